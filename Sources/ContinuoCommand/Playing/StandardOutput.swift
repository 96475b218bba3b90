import Glibc

/// Text for a person. A reader that went away ends the text and not the player.
enum StandardOutput {
  /// Writes `text` at once. Blocks while a pipe's reader is slow.
  static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Writes a line of the command's own to standard error.
  static func complain(_ text: String) { write("continuo: \(text)\n", to: STDERR_FILENO) }

  /// Writes `text` to a descriptor at once. Blocks while a pipe's reader is slow.
  static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = Glibc.write(descriptor, start, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }
}
