import Glibc

/// Text for a person. A reader that went away ends the text and not the player.
enum StandardOutput {
  /// Writes `text` at once. Blocks while a pipe's reader is slow.
  static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes a line of the command's own to standard error.
  static func complain(_ text: String) { write("continuo: \(text)\n", to: STDERR_FILENO) }

  /// Writes `text` to a descriptor at once. Blocks while a pipe's reader is slow.
  static func write(_ text: String, to descriptor: Int32) {
    _ = WholeWrite.write(Array(text.utf8), to: descriptor)
  }
}
