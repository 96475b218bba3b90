package import AudioCore
package import HostTime
import Synchronization

/// Writes what is played to a WAV file, as fast as it comes, bit for bit.
///
/// The samples are 32-bit floats as they were rendered (multiplied by the volume if that is not 1). The header is kept
/// up to date while writing and is exact when a stream is closed and whenever the source comes to its end; past
/// 4 GiB the file becomes RF64. Streams opened one after another continue the same file if they have its format, and
/// fail if not.
///
/// A pipe works too, named or as "-" (standard output, not a terminal): the header then has the largest sizes there
/// are, and a reader that is slow, or not there yet (10 s), is waited for without blocking anyone.
///
/// Whatever goes wrong with the file is an unrecoverable `OutputError` that names it and the reason.
package final class WAVOutput: AudioOutputDevice {
  /// Where it writes.
  let path: String
  private let clock: any HostClock
  private let file: Mutex<WAVFile>

  /// An output to `path`, which is created, or emptied, when the first stream opens; "-" is the standard output.
  /// The streams' workers run on `clock`.
  package init(path: String, clock: any HostClock) {
    self.path = path
    self.clock = clock
    file = Mutex(WAVFile(path: path))
  }

  /// Always.
  package var isOffline: Bool { true }

  /// Opens a stream; see `AudioOutputDevice`. What it wrote counts as heard; `timing` never moves by itself, and each
  /// step it makes is told by `timingChanged`.
  package func makeStream(
    format: PCMFormat, source: any RenderSource, events: @escaping @Sendable (OutputEvent) -> Void
  ) -> any AudioOutputStream {
    let core = WAVStreamCore(device: self, clock: clock, format: format, source: source, events: events)
    return WAVStream(core: core, worker: clock.makeWorker("wav-output") { core.run() })
  }

  /// Ends the file with a header that is exact; what comes after is neither written nor refused. For the way out of a
  /// process that does not get to closing its streams. Any thread; waits for a write that is going on.
  public func finish() { file.withLock { $0.finish() } }

  /// Has the file to itself. Workers, and whoever closes a stream.
  func withFile<Result: Sendable>(
    _ body: (inout WAVFile) throws(OutputError) -> Result
  ) throws(OutputError) -> Result {
    try file.withLock { file throws(OutputError) in try body(&file) }
  }
}
