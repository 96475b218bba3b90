import Glibc
import MusicFiles
import SystemSupport
import TextFormatting

struct CommandOutput {
  /// The reason why nothing more can be printed.
  enum Failure: Error, Hashable, Sendable {
    /// The reader has closed the pipe, which is a normal end.
    case readerLeft
    case system(Int32)
  }

  /// Writes a part of the command's result, unbuffered. Blocks while a reader is slow.
  let write: (_ bytes: [UInt8]) throws(Failure) -> Void
  /// Writes a message for a person.
  let complain: (_ text: String) -> Void
  let isTerminal: Bool

  /// Returns standard output and standard error. From then on, a closed pipe is an error and does not end the
  /// process.
  static func standard() -> CommandOutput {
    signal(SIGPIPE, SIG_IGN)
    return CommandOutput(
      write: { bytes throws(Failure) in
        guard let error = WholeTransfer.write(bytes, to: STDOUT_FILENO) else { return }
        throw error == EPIPE ? .readerLeft : .system(error)
      },
      complain: { StandardOutput.complain(TerminalText.sanitized($0)) },
      isTerminal: isatty(STDOUT_FILENO) == 1)
  }

  func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

  func write(_ json: JSONValue) throws(Failure) { try write(json.line) }
}
