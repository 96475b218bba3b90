import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

struct Speed: ControlCommand {
  static let configuration = CommandConfiguration.control(
    "speed", "Sets the speed of playback, or prints it.", usage: "continuo speed [OPTIONS] [N]",
    """
    N is 0.25 to 4, or with + or - a change; 1 is the recorded speed. The pitch stays the same. Times and watched steps \
    remain those of the song. Without N the speed is printed; with --json as an object with the key speed.

    EXAMPLES
      continuo speed 1.25
      continuo speed +0.1
    """)

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  // A list, because the parser takes -0.1 for an option.
  @ArgumentParser.Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The speed to set.", valueName: "N"),
    completion: Completions.speed)
  var words: [String] = []

  mutating func validate() throws {
    words.removeTerminator()
    if try target != nil, form.json { throw ValidationError("--json cannot be combined with a new speed.") }
  }

  private var target: SpeedTarget? {
    get throws {
      guard words.count <= 1 else { throw ValidationError("speed takes one number, as in speed 1.25.") }
      return try ValidationError.wrapping {
        try words.first.map { word throws(SyntaxError) in try SpeedTarget(parsing: word) }
      }
    }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    let target = try target
    if case .absolute(let speed) = target {
      try client.ask("speed", [.init("\(speed)")])
      return
    }
    guard let text = try client.ask("getspeed")["speed"], let present = PlaybackSpeed(text) else {
      throw ProtocolTrouble()
    }
    if let target {
      try client.ask("speed", [.init("\(target.speed(from: present))")])
    } else if form.json {
      try output.write(.object(["speed": .number(written: text)]))
    } else {
      try output.write("\(text)\n")
    }
  }
}
