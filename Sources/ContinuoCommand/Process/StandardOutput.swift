import Glibc

/// Text for a person. A reader that went away ends the text and not the player.
enum StandardOutput {
  /// What a player says of itself while it plays: a pager that shows one page and reads no further does not hold it up.
  private static let lines = {
    let lines = LineWriter(descriptor: STDOUT_FILENO, owned: false) { _ in }
    CleanUp.add {
      let lost = lines.finish()
      if lost > 0 { complain("\(lost) lines to standard output are lost: its reader has stalled") }
    }
    return lines
  }()

  /// Writes a line, in order with the others and without waiting for a reader that has stalled. Only in a process that
  /// ends by `CleanUp.exit`, which writes what is left. Any thread.
  static func writeLine(_ text: String) { lines.write(Array("\(text)\n".utf8)) }

  /// Writes `text` at once. Blocks while a pipe's reader is slow.
  static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes a line of the command's own to standard error.
  static func complain(_ text: String) { write("continuo: \(text)\n", to: STDERR_FILENO) }

  /// Writes `text` to a descriptor at once. Blocks while a pipe's reader is slow.
  static func write(_ text: String, to descriptor: Int32) {
    _ = WholeWrite.write(Array(text.utf8), to: descriptor)
  }
}
