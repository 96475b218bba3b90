import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

/// `continuo seek`.
struct Seek: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "seek", "Seeks to a time in the current song.", usage: "continuo seek [OPTIONS] TIME",
    """
    TIME is 12, 12.34, 1:02 or 1:02:03.5 from the beginning of the song, or with + or - from the position.
    """)

  @OptionGroup var control: ControlOptions

  // A list, because the parser takes -5 for an option.
  @ArgumentParser.Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The time to seek to.", valueName: "TIME"),
    completion: Completions.seek)
  var words: [String]

  mutating func validate() throws {
    // A `--` that ends the options is among the words.
    if words.first == "--" { words.removeFirst() }
    _ = try target
  }

  private var target: SeekTarget {
    get throws {
      guard words.count == 1 else { throw ValidationError("seek takes one time, as in seek 1:02.") }
      do {
        return try SeekTarget(parsing: words[0])
      } catch {
        throw ValidationError("\(error).")
      }
    }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    // The protocol's resolution is a millisecond.
    let time: Milliseconds
    var sign = ""
    switch try target {
    case .absolute(let duration): time = Milliseconds(seconds: duration.inSeconds)
    case .relative(let duration):
      time = Milliseconds(seconds: duration.inSeconds)
      if time.rawValue >= 0 { sign = "+" }
    }
    try client.ask("seekcur", [ControlProtocol.Argument("\(sign)\(time)")])
    return .played
  }
}
