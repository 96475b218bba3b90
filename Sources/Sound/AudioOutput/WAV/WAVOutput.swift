package import AudioCore
package import Clocks
import Synchronization

/// Writes the rendered frames to a WAV file, as fast as they arrive.
///
/// The samples are the rendered 32-bit floats, multiplied by the volume if that is not 1. The header is
/// updated during writing and is exact after a stream is closed and whenever the source reaches its end. Past
/// 4 GiB the file becomes RF64. Later streams of the same format continue the file; streams of other formats
/// fail.
///
/// A pipe also works, named or as "-" (standard output, not a terminal): its header has the largest possible
/// sizes. The output waits for a slow reader, and up to 10 s for a reader to appear, without blocking any
/// thread.
///
/// A file error is reported as an unrecoverable `OutputError` with the path and the reason, unless it only
/// prevents the last header update.
package final class WAVOutput: AudioOutputDevice {
  /// The path for messages.
  let path: String
  private let clock: any HostClock
  private let file: Mutex<WAVFile>

  /// Creates an output to `path` ("-": standard output), created or truncated when the first stream opens.
  package convenience init(path: String, clock: any HostClock) {
    self.init(path: Array(path.utf8), clock: clock)
  }

  /// Creates an output to a path that consists of these bytes, which need not be UTF-8.
  package init(path: [UInt8], clock: any HostClock) {
    self.path = String(decoding: path, as: UTF8.self)
    self.clock = clock
    file = Mutex(WAVFile(path: path))
  }

  package var isOffline: Bool { true }

  /// Opens a stream. Written frames count as heard; the heard frame changes only with writes and flushes
  /// (`timingChanged`).
  package func makeStream(
    format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
  ) -> any AudioOutputStream {
    let core = WAVStreamCore(device: self, clock: clock, format: format, source: source, events: events)
    return OrderedStream(core: core, worker: clock.makeWorker("wav-output") { core.run() })
  }

  /// Completes the header; later frames wait, as for a full pipe, and are not written. For a process that
  /// exits without closing its streams. Thread-safe; waits for a write in progress.
  package func finish() { file.withLock { $0.finish() } }

  /// Runs `body` with exclusive access to the file. Called by workers and by the thread that closes a stream.
  func withFile<Result: Sendable>(
    _ body: (inout WAVFile) throws(OutputError) -> Result
  ) throws(OutputError) -> Result {
    try file.withLock { file throws(OutputError) in try body(&file) }
  }
}
