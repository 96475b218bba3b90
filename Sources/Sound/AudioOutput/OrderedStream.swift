import AudioCore
import Clocks

enum StreamOrder: Sendable {
  case start
  case stop
  case flush(@Sendable (Int64) -> Void)
  case data
  case replace
  case volume(Float, muted: Bool)
}

/// The worker side of a stream: queues orders and executes them one after another on its worker.
protocol OrderedStreamCore: AnyObject, Sendable {
  /// Queues an order. Returns whether the worker must be signalled. Thread-safe.
  func accept(_ order: StreamOrder) -> Bool
  func timing() -> OutputTiming
  /// Rejects further orders and starts no further action. Thread-safe.
  func close()
  /// Cleans up after the worker has ended.
  func finish()
}

/// The engine's end of a stream: forwards orders and wakes the worker.
final class OrderedStream: AudioOutputStream {
  private let core: any OrderedStreamCore
  private let worker: any Worker

  init(core: any OrderedStreamCore, worker: any Worker) {
    self.core = core
    self.worker = worker
  }

  func start() { order(.start) }
  func stop() { order(.stop) }
  func flush(completion: @escaping @Sendable (Int64) -> Void) { order(.flush(completion)) }
  func dataAvailable() { order(.data) }
  func replaceFrames() { order(.replace) }
  func setVolume(_ volume: Float, muted: Bool) { order(.volume(volume, muted: muted)) }
  func timing() -> OutputTiming { core.timing() }
  var isStill: Bool { timing().frameRate == 0 }

  func close() {
    core.close()
    worker.cancel()
    core.finish()
  }

  private func order(_ order: StreamOrder) {
    if core.accept(order) { worker.signal() }
  }
}
