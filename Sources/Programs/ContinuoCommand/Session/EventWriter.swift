import Clocks
import Glibc
import MusicFiles
import SystemSupport

/// Writes events as lines to a file, a pipe or standard output, so that a reader sees each at once. If the
/// reader has left or the disk is full, events stop permanently with one warning. A stalled reader does not
/// delay playback: `LineWriter` buffers or drops its lines.
final class EventWriter: Sendable {
  private let name: String
  private let warn: @Sendable (String) -> Void
  private let output: LineWriter

  /// Opens and truncates the file; `-` is standard output. From then on, a pipe without a reader does not end
  /// the process. `warn` gets at most one warning when events stop and one at the end, on any thread. Blocks
  /// on a named pipe until a reader opens it.
  convenience init(path: String, warn: @escaping @Sendable (String) -> Void) throws(FileBytes.Problem) {
    if path == "-" {
      self.init(descriptor: STDOUT_FILENO, owned: false, name: "standard output", warn: warn)
      return
    }
    let descriptor = RawArguments.bytes(of: path).withCString {
      open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }
    guard descriptor >= 0 else { throw .system(errno) }
    self.init(descriptor: descriptor, owned: true, name: path, warn: warn)
  }

  /// Returns the writer that `--events` requests, which finishes with the process; nil without the option. Ends the
  /// command if the file cannot be opened.
  static func orExit(option path: String?) throws -> EventWriter? {
    let writer = try path.map { path in
      try ExitStatus.usage.orExit("--events \(path)") {
        try EventWriter(path: path) { StandardOutput.complain($0) }
      }
    }
    if let writer { CleanUp.add(writer.finish) }
    return writer
  }

  /// Uses an open descriptor, which is closed with the writer if `owned`.
  init(descriptor: Int32, owned: Bool, name: String, warn: @escaping @Sendable (String) -> Void) {
    signal(SIGPIPE, SIG_IGN)
    self.name = name
    self.warn = warn
    output = LineWriter(descriptor: descriptor, owned: owned) { error in
      let reason = error == EPIPE ? "the reader closed the pipe" : SystemError.text(error)
      warn("events to \(name) stop: \(reason)")
    }
  }

  /// Writes an event as a whole line, in the order of the calls. Any thread; waits for a reader as
  /// `LineWriter` does.
  func write(_ line: EventLine) { write(line.bytes) }

  /// Writes the bytes of an event's line.
  func write(_ bytes: [UInt8]) { output.write(bytes) }

  /// Waits for the reader of pending lines, with the limits of `LineWriter.finish`, and warns about lost
  /// lines. Call once, at the end.
  func finish() {
    let lost = output.finish(until: CleanUp.writersDeadline)
    if lost > 0 { warn("\(lost) events to \(name) dropped: the reader has stalled") }
  }
}
