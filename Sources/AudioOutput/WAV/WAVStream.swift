import AudioCore
import HostTime

/// The engine's end of a stream to a WAV file.
final class WAVStream: AudioOutputStream {
  private let core: WAVStreamCore
  private let worker: any Worker

  init(core: WAVStreamCore, worker: any Worker) {
    self.core = core
    self.worker = worker
  }

  func start() { order(.start) }
  func stop() { order(.stop) }
  func flush(completion: @escaping @Sendable (Int64) -> Void) { order(.flush(completion)) }
  func dataAvailable() { order(.data) }
  func setVolume(_ volume: Float, muted: Bool) { order(.volume(muted ? 0 : volume)) }
  func timing() -> OutputTiming { core.timing() }

  func close() {
    core.stopTaking()
    worker.cancel()
    core.settle()
  }

  private func order(_ order: WAVStreamCore.Order) {
    if core.accept(order) { worker.signal() }
  }
}
