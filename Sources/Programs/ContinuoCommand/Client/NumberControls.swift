import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

/// A command that sets a number of the player, or prints it.
protocol NumberControl: ControlCommand {
  associatedtype Target
  /// `name` is the name of the command and of the number's field in the reply to the protocol's command `query`.
  /// `example` is a number for messages.
  static var number: (name: String, query: String, example: String) { get }
  var form: FormOptions { get }
  var words: [String] { get set }

  static func target(_ word: String) throws(SyntaxError) -> Target
  func set(_ target: Target, with client: inout MPDClient) throws
}

extension NumberControl {
  mutating func validate() throws {
    words.removeTerminator()
    if try target != nil, form.json {
      throw ValidationError("--json cannot be combined with a new \(Self.number.name).")
    }
  }

  private var target: Target? {
    get throws {
      guard words.count <= 1 else {
        let name = Self.number.name
        throw ValidationError("\(name) takes one number, as in \(name) \(Self.number.example).")
      }
      return try ValidationError.wrapping {
        try words.first.map { word throws(SyntaxError) in try Self.target(word) }
      }
    }
  }

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    if let target = try target { return try set(target, with: &client) }
    let text = try Self.present(with: &client)
    if form.json {
      try output.write(.object([Self.number.name: .number(written: text)]))
    } else {
      try output.write("\(text)\n")
    }
  }

  /// Returns the player's current number, in the protocol's form.
  fileprivate static func present(with client: inout MPDClient) throws -> String {
    guard let text = try client.ask(number.query)[number.name], Double(text) != nil else {
      throw ProtocolTrouble()
    }
    return text
  }
}

struct Volume: NumberControl {
  static let configuration = CommandConfiguration.control(
    "volume", "Sets the volume, or prints it.", usage: "continuo volume [OPTIONS] [N]",
    """
    N is 0 to 100, or with + or - a change. Without it the volume is printed; with --json as an object with the key \
    volume.
    """)

  static let number = (name: "volume", query: "getvol", example: "50")

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  // A list, because the parser takes -5 for an option.
  @ArgumentParser.Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The volume to set.", valueName: "N"),
    completion: Completions.volume)
  var words: [String] = []

  static func target(_ word: String) throws(SyntaxError) -> PlayerCommand.VolumeTarget {
    try PlayerCommand.VolumeTarget(parsing: word)
  }

  func set(_ target: PlayerCommand.VolumeTarget, with client: inout MPDClient) throws {
    switch target {
    case .absolute(let percent): try client.ask("setvol", [.init("\(percent)")])
    case .relative(let change): try client.ask("volume", [.init("\(change)")])
    }
  }
}

struct Speed: NumberControl {
  static let configuration = CommandConfiguration.control(
    "speed", "Sets the speed of playback, or prints it.", usage: "continuo speed [OPTIONS] [N]",
    """
    N is 0.25 to 4, or with + or - a change; 1 is the recorded speed. The pitch stays the same. Times and watched steps \
    remain those of the song. Without N the speed is printed; with --json as an object with the key speed.

    EXAMPLES
      continuo speed 1.25
      continuo speed +0.1
    """)

  static let number = (name: "speed", query: "getspeed", example: "1.25")

  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions

  // A list, because the parser takes -0.1 for an option.
  @ArgumentParser.Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The speed to set.", valueName: "N"),
    completion: Completions.speed)
  var words: [String] = []

  static func target(_ word: String) throws(SyntaxError) -> SpeedTarget { try SpeedTarget(parsing: word) }

  func set(_ target: SpeedTarget, with client: inout MPDClient) throws {
    var speed = PlaybackSpeed.normal
    if case .relative = target {
      guard let present = PlaybackSpeed(try Self.present(with: &client)) else { throw ProtocolTrouble() }
      speed = present
    }
    try client.ask("speed", [.init("\(target.speed(from: speed))")])
  }
}
