import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

protocol ModeControl: ControlCommand {
  /// The name of the mode, of its command, and of its field in `status`.
  static var mode: String { get }
  var form: FormOptions { get }
  var value: ModeValue? { get }
}

enum ModeValue: String, ExpressibleByArgument, CaseIterable {
  case on, off, oneshot, toggle

  /// The protocol's word for the value; nil for `toggle`.
  var word: ControlProtocol.Argument? {
    switch self {
    case .on: "1"
    case .off: "0"
    case .oneshot: "oneshot"
    case .toggle: nil
    }
  }

  init?(word: String) {
    guard let value = Self.allCases.first(where: { $0.word?.string == word }) else { return nil }
    self = value
  }
}

/// The values of a mode without `oneshot`.
enum SwitchValue: String, ExpressibleByArgument, CaseIterable {
  case on, off, toggle

  var mode: ModeValue? { ModeValue(rawValue: rawValue) }
}

extension ModeControl {

  func perform(with client: inout MPDClient, output: CommandOutput) throws {
    if let word = value?.word {
      try client.ask(Self.mode, [word])
      return
    }
    guard let present = try client.ask("status")[Self.mode].flatMap({ ModeValue(word: $0) }) else {
      throw ProtocolTrouble()
    }
    if value == .toggle {
      try client.ask(Self.mode, [present == .off ? "1" : "0"])
    } else if form.json {
      try output.write(.object([Self.mode: .string(present.rawValue)]))
    } else {
      try output.write("\(present.rawValue)\n")
    }
  }

  mutating func validate() throws {
    if value != nil, form.json { throw ValidationError("--json cannot be combined with a new value.") }
  }

  static func describe(_ abstract: String, hasOneshot: Bool = false) -> CommandConfiguration {
    .control(
      mode, abstract, usage: "continuo \(mode) [OPTIONS] [on|off|\(hasOneshot ? "oneshot|" : "")toggle]",
      """
      \(hasOneshot ? "With oneshot playback stops once. " : "")Without a value the mode is printed; with --json as an object with the key \
      \(mode).

      EXAMPLES
        continuo \(mode) on
        continuo \(mode) toggle
      """)
  }
}

struct Random: ModeControl {
  static let mode = "random"
  static let configuration: CommandConfiguration = describe("Turns random order of the queue on or off.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: ArgumentHelp("New value.", valueName: "value")) var setting: SwitchValue?
  var value: ModeValue? { setting?.mode }
}

struct Repeat: ModeControl {
  static let mode = "repeat"
  static let configuration: CommandConfiguration = describe("Turns repetition of the queue on or off.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: ArgumentHelp("New value.", valueName: "value")) var setting: SwitchValue?
  var value: ModeValue? { setting?.mode }
}

struct Single: ModeControl {
  static let mode = "single"
  static let configuration: CommandConfiguration = describe(
    "Turns stopping after each song on or off.", hasOneshot: true)
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "New value.") var value: ModeValue?
}

struct Consume: ModeControl {
  static let mode = "consume"
  static let configuration: CommandConfiguration = describe(
    "Turns removal of played songs from the queue on or off.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: ArgumentHelp("New value.", valueName: "value")) var setting: SwitchValue?
  var value: ModeValue? { setting?.mode }
}
