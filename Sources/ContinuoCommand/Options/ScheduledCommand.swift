import TextFormatting

/// A value of `--at`: a command and when it is due.
struct ScheduledCommand: Hashable, Sendable {
  /// How long after playback starts.
  var time: Duration
  /// What to do then.
  var command: PlayerCommand

  /// Reads `SECONDS:COMMAND`, like `6.5:foreground`.
  init(parsing text: String) throws(SyntaxError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw SyntaxError("\"\(text)\" is not SECONDS:COMMAND, as in 3:home")
    }
    let seconds = text[..<colon]
    // As people write it.
    guard let time = TimeText.parse(seconds.first == "." ? "0\(seconds)" : String(seconds)) else {
      throw SyntaxError("\"\(seconds)\" is not a number of seconds like 3 or 6.5")
    }
    self.time = time
    command = try PlayerCommand(parsing: text[text.index(after: colon)...])
  }
}
