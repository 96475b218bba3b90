import AudioCore
import HostTime

/// What the engine asks of a stream.
enum StreamOrder: Sendable {
  case start
  case stop
  case flush(@Sendable (Int64) -> Void)
  case data
  case replace
  case volume(Float, muted: Bool)
}

/// What a stream does on its worker: it takes orders and carries them out there, one after another.
protocol OrderedStreamCore: AnyObject, Sendable {
  /// Queues an order. Returns whether the worker has to know. Any thread.
  func accept(_ order: StreamOrder) -> Bool
  func timing() -> OutputTiming
  /// Takes no more orders and begins nothing more. Any thread.
  func close()
  /// Puts in order what is left when the worker has ended.
  func finish()
}

/// The engine's end of a stream: passes orders on and wakes the worker.
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

  func close() {
    core.close()
    worker.cancel()
    core.finish()
  }

  private func order(_ order: StreamOrder) {
    if core.accept(order) { worker.signal() }
  }
}
