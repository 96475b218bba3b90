import Glibc
import MusicFiles
import TextFormatting

/// Where a command's words go.
struct CommandOutput {
  /// Why no more can be printed.
  enum Failure: Error, Hashable, Sendable {
    /// Whoever read it has had enough. That is an end like any other.
    case readerLeft
    /// The system said no, with this `errno`.
    case system(Int32)
  }

  /// Takes bytes for whoever asked, all of them and at once. Blocks while a pipe's reader is slow.
  let write: (_ bytes: [UInt8]) throws(Failure) -> Void
  /// Takes a line for the person.
  let complain: (_ text: String) -> Void
  /// Whether a person looks at it.
  let isTerminal: Bool

  /// Standard output and standard error. From then on a reader that leaves is an error and not the process's end.
  static func standard() -> CommandOutput {
    signal(SIGPIPE, SIG_IGN)
    return CommandOutput(
      write: { bytes throws(Failure) in
        guard let error = WholeWrite.write(bytes, to: STDOUT_FILENO) else { return }
        throw error == EPIPE ? .readerLeft : .system(error)
      },
      complain: { StandardOutput.complain(TerminalText.sanitized($0)) },
      isTerminal: isatty(STDOUT_FILENO) == 1)
  }

  /// Prints text.
  func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

  /// Prints a value as one line of JSON.
  func write(_ json: JSONValue) throws(Failure) { try write(json.line) }
}
