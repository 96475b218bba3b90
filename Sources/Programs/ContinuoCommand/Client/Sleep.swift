import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

struct Sleep: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "sleep", "Pauses playback after a time or at the end of the song.",
    usage: "continuo sleep [OPTIONS] [TIME|song|off]",
    """
    TIME is 30m, 90s, 1h30m or 1:30:00, at most a day. The sound fades over the last minute; the volume stays as it \
    is set. Without an argument the remaining time is printed; with --json as an object with the key sleep.

    EXAMPLES
      continuo sleep 30m
      continuo sleep song
      continuo sleep off
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  @ArgumentParser.Argument(
    help: ArgumentHelp("The time, song for the end of the current song, or off.", valueName: "TIME"),
    completion: .list(["15m", "30m", "1h", "song", "off"]), transform: Self.request(parsing:))
  var request: SleepRequest?

  mutating func validate() throws {
    if request != nil, form.json { throw ValidationError("--json cannot be combined with a new time.") }
  }

  @Sendable static func request(parsing text: String) throws(SyntaxError) -> SleepRequest {
    if text == "song" { return .song }
    if text == "off" { return .off }
    guard let time = time(parsing: text) else {
      throw SyntaxError("\"\(text)\" is not a time like 30m, 90s, 1h30m or 1:30:00")
    }
    guard time > .zero, time.inSeconds <= ProtocolLimits.longestSleep else {
      throw SyntaxError("\(text) is not above 0 and at most a day")
    }
    return .after(Milliseconds(seconds: time.inSeconds))
  }

  /// Returns a time with units or colons; nil for other texts. A bare number is refused, because it means
  /// seconds in other commands and users may mean minutes.
  private static func time(parsing text: String) -> Duration? {
    if text.contains(":") { return TimeText.parse(text) }
    var rest = text[...]
    var time = Duration.zero
    for (unit, seconds) in [("h", 3600), ("m", 60), ("s", 1)] as [(Character, Int)] {
      guard let end = rest.firstIndex(of: unit) else { continue }
      guard let number = TimeText.parse(rest[..<end]) else { return nil }
      time += number * seconds
      rest = rest[rest.index(after: end)...]
    }
    return rest.isEmpty && !text.isEmpty ? time : nil
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    switch request {
    case .after(let time): try client.ask("sleep", [.init("\(time)")])
    case .song: try client.ask("sleep", ["song"])
    case .off: try client.ask("sleep", ["off"])
    case nil:
      guard let pending = try client.ask("getsleep")["sleep"] else { throw ProtocolTrouble() }
      let time = TimeText.parse(pending)
      if form.json {
        try output.write(.object(["sleep": time == nil ? .string(pending) : .number(written: pending)]))
      } else {
        try output.write((time.map { ElapsedTime.text($0) } ?? pending) + "\n")
      }
    }
  }
}
