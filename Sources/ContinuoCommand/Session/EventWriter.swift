import Glibc
import HostTime
import MusicFiles

/// Sends events to a file, a pipe or standard output, line by line, so that a reader sees each at once.
///
/// When nobody reads any more or the disk is full, events stop for good, one warning is given, and playback goes on. A
/// reader that stalls does not hold playback up: `LineWriter` says what becomes of its lines.
final class EventWriter: Sendable {
  private let name: String
  private let warn: @Sendable (String) -> Void
  private let output: LineWriter

  /// Opens the file at `path` and empties it, or takes standard output for `-`. From then on writing to a pipe that
  /// nobody reads is an error for the whole process and no longer its end. `warn` gets warnings, at most one when events
  /// stop and one at the end, on whatever thread it happens. Blocks on a named pipe until somebody reads it.
  convenience init(path: String, warn: @escaping @Sendable (String) -> Void) throws(FileBytes.Problem) {
    if path == "-" {
      self.init(descriptor: STDOUT_FILENO, owned: false, name: "standard output", warn: warn)
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .system(errno) }
    self.init(descriptor: descriptor, owned: true, name: path, warn: warn)
  }

  /// The same with an open descriptor, closed at the end if `owned`.
  init(descriptor: Int32, owned: Bool, name: String, warn: @escaping @Sendable (String) -> Void) {
    signal(SIGPIPE, SIG_IGN)
    self.name = name
    self.warn = warn
    output = LineWriter(descriptor: descriptor, owned: owned) { error in
      let reason = error == EPIPE ? "nobody reads them any more" : SystemError.text(error)
      warn("events to \(name) stop: \(reason)")
    }
  }

  /// Writes an event. Any thread; lines are written whole and in the order of the calls. Waits for a reader only as
  /// `LineWriter` does.
  func write(_ line: EventLine) { output.write(line.bytes) }

  /// Waits until every line is written, as long as the reader reads, and warns of those that it lost. Once, at the end of
  /// the process; any thread.
  func finish() {
    let lost = output.finish()
    if lost > 0 { warn("\(lost) events to \(name) are lost: its reader has stalled") }
  }
}
