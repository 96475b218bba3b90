import TextFormatting

/// A value of `--at`: a command and its time.
struct ScheduledCommand: Hashable, Sendable {
  /// The delay after the start of playback.
  var time: Duration
  var command: PlayerCommand

  /// Parses `SECONDS:COMMAND`, such as `6.5:foreground`.
  init(parsing text: String) throws(SyntaxError) {
    guard let colon = text.firstIndex(of: ":") else {
      throw SyntaxError("\"\(text)\" is not SECONDS:COMMAND, as in 3:home")
    }
    let seconds = text[..<colon]
    // Accepts `.5` for `0.5`.
    guard let time = TimeText.parse(seconds.first == "." ? "0\(seconds)" : String(seconds)) else {
      throw SyntaxError("\"\(seconds)\" is not a number of seconds like 3 or 6.5")
    }
    self.time = time
    command = try PlayerCommand(parsing: text[text.index(after: colon)...])
  }
}
