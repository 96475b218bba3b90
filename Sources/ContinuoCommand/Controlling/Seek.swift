import ArgumentParser
import ControlProtocol

/// `continuo seek`.
struct Seek: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "seek", "Goes to a time in the current song.",
    usage: "continuo seek [--socket <path>] TIME",
    """
    TIME is 12, 12.34, 1:02 or 1:02:03.5 from the beginning of the song, or with + or - from where it is.
    """)

  @OptionGroup var control: ControlOptions

  // A list, since -5 is an option to the parser.
  @ArgumentParser.Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("Where to go.", valueName: "TIME"))
  var words: [String]

  mutating func validate() throws {
    // A `--` that ends the options is among the words.
    if words.first == "--" { words.removeFirst() }
    _ = try target
  }

  private var target: PlayerCommand.SeekTarget {
    get throws {
      guard words.count == 1 else { throw ValidationError("seek takes one time, as in seek 1:02.") }
      do {
        return try PlayerCommand.SeekTarget(parsing: words[0])
      } catch {
        throw ValidationError("\(error).")
      }
    }
  }

  func perform(in session: inout ControlSession, output: CommandOutput) throws -> ExitStatus {
    try session.perform(.seekcur(SeekTarget(try target)))
    return .played
  }
}

extension SeekTarget {
  /// The same to a millisecond, which is what the protocol has.
  init(_ target: PlayerCommand.SeekTarget) {
    self =
      switch target {
      case .absolute(let time): .absolute(Milliseconds(seconds: time.inSeconds))
      case .relative(let time): .relative(Milliseconds(seconds: time.inSeconds))
      }
  }
}
