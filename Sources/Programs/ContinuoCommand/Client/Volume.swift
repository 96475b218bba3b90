import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

/// `continuo volume`.
struct Volume: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "volume", "Sets the volume, or prints it.", usage: "continuo volume [OPTIONS] [N]",
    """
    N is 0 to 100, or with + or - a change. Without it the volume is printed; with --json as an object with the key \
    volume.
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  // A list, because the parser takes -5 for an option.
  @ArgumentParser.Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The volume to set.", valueName: "N"),
    completion: Completions.volume)
  var words: [String] = []

  mutating func validate() throws {
    // A `--` that ends the options is among the words.
    if words.first == "--" { words.removeFirst() }
    if try target != nil, form.json { throw ValidationError("--json has nothing to print while setting.") }
  }

  private var target: PlayerCommand.VolumeTarget? {
    get throws {
      guard words.count <= 1 else { throw ValidationError("volume takes one number, as in volume 50.") }
      do {
        return try words.first.map { word throws(SyntaxError) in
          try PlayerCommand.VolumeTarget(parsing: word)
        }
      } catch {
        throw ValidationError("\(error).")
      }
    }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    switch try target {
    case .absolute(let percent): try client.ask("setvol", [ControlProtocol.Argument("\(percent)")])
    case .relative(let change): try client.ask("volume", [ControlProtocol.Argument("\(change)")])
    case nil:
      guard let volume = try client.ask("getvol")["volume"] else { throw ProtocolTrouble() }
      if form.json {
        try output.write(.object(["volume": .number(written: volume)]))
      } else {
        try output.write("\(volume)\n")
      }
    }
    return .played
  }
}
