import Glibc
import MusicFiles
import Synchronization
import SystemSupport

/// Text on standard output and standard error. If the reader leaves, a player's further text is discarded and the
/// player continues. A file on a full disk loses only the lines that find no room.
enum StandardOutput {
  private struct Writers {
    var output: LineWriter?
    var errors: LineWriter?
    /// The level of the least important messages that are written.
    var level = LogLevel.info
  }
  private static let writers = Mutex(Writers())

  /// Limits the wait of each later message to standard error for a stalled reader, which would delay a player, to
  /// `LineWriter.patience` seconds. Only for a process that ends by `CleanUp.exit`, which writes the remaining
  /// lines.
  static func waitForNobody() {
    let errors = LineWriter(descriptor: STDERR_FILENO, owned: false, outlivesFullDisk: true) { _ in }
    writers.withLock { $0.errors = errors }
  }

  /// The writer of lines to standard output. A stalled reader, such as a pager that shows one page, delays a call
  /// by at most `LineWriter.patience` seconds. Only for a process that ends by `CleanUp.exit`, which writes the
  /// remaining lines.
  static var lines: LineWriter {
    writers.withLock { writers in
      let lines =
        writers.output ?? LineWriter(descriptor: STDOUT_FILENO, owned: false, outlivesFullDisk: true) { _ in }
      writers.output = lines
      return lines
    }
  }

  static func writeLine(_ text: String) { lines.write(Array("\(text)\n".utf8)) }

  /// Writes the pending lines, with the limits of `LineWriter.finish`. Call at the end of the process.
  static func finish() {
    let writers = writers.withLock { $0 }
    if let lost = writers.output?.finish(until: CleanUp.writersDeadline), lost > 0 {
      complain("\(lost) lines to standard output dropped: the reader has stalled, or the disk was full")
    }
    writers.errors?.finish(until: CleanUp.writersDeadline)
  }

  /// Sets the level of the least important messages that are written.
  static func setLevel(_ level: LogLevel) { writers.withLock { $0.level = level } }

  /// Writes a message to standard error, if its level is wanted. Any thread. Until `waitForNobody`, blocks
  /// while a pipe's reader is slow.
  static func complain(_ text: String, _ level: LogLevel = .error) {
    let (errors, isWanted) = writers.withLock { ($0.errors, level <= $0.level) }
    guard isWanted else { return }
    let line = "continuo: \(text)\n"
    guard let errors else { return write(line, to: STDERR_FILENO) }
    errors.write(Array(line.utf8))
  }

  /// Writes `text` to a descriptor at once. Blocks while a pipe's reader is slow.
  static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    _ = WholeTransfer.write(Array(text.utf8), to: descriptor)
  }
}
