import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

/// A command of `continuo` that sets or prints a playback mode of the queue.
protocol ModeControl: ControlCommand {
  /// The name of the mode, of its command, and of its field in `status`.
  static var mode: String { get }
  var form: FormOptions { get }
  var value: ModeValue? { get }
}

/// A new value for a mode.
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

  /// Creates the value from the protocol's word.
  init?(word: String) {
    guard let value = Self.allCases.first(where: { $0.word?.string == word }) else { return nil }
    self = value
  }
}

extension ModeControl {
  func perform(with client: inout MPDClient, output: CommandOutput) throws -> ExitStatus {
    if let word = value?.word {
      try client.ask(Self.mode, [word])
      return .played
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
    return .played
  }

  /// Throws if the mode does not have the value.
  func validateMode(hasOneshot: Bool) throws {
    if value == .oneshot, !hasOneshot { throw ValidationError("\(Self.mode) has no oneshot.") }
    if value != nil, form.json { throw ValidationError("--json has nothing to print while setting.") }
  }

  /// Returns the configuration of a mode's command, with its help.
  static func describe(_ abstract: String, oneshot: String? = nil) -> CommandConfiguration {
    .control(
      mode, abstract, usage: "continuo \(mode) [OPTIONS] [on|off|\(oneshot == nil ? "" : "oneshot|")toggle]",
      """
      \(oneshot.map { "\($0) " } ?? "")Without a value the mode is printed; with --json as an object with the key \
      \(mode).

      EXAMPLES
        continuo \(mode) on
        continuo \(mode) toggle
      """)
  }
}

/// `continuo random`.
struct Random: ModeControl {
  static let mode = "random"
  static let configuration: CommandConfiguration = describe("Turns random order of the queue on or off.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "New value: on, off or toggle.") var value: ModeValue?
  mutating func validate() throws { try validateMode(hasOneshot: false) }
}

/// `continuo repeat`.
struct Repeat: ModeControl {
  static let mode = "repeat"
  static let configuration: CommandConfiguration = describe("Turns repetition of the queue on or off.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "New value: on, off or toggle.") var value: ModeValue?
  mutating func validate() throws { try validateMode(hasOneshot: false) }
}

/// `continuo single`.
struct Single: ModeControl {
  static let mode = "single"
  static let configuration: CommandConfiguration = describe(
    "Turns stopping after each song on or off.", oneshot: "With oneshot playback stops once.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "New value: on, off, oneshot or toggle.") var value: ModeValue?
  mutating func validate() throws { try validateMode(hasOneshot: true) }
}

/// `continuo consume`.
struct Consume: ModeControl {
  static let mode = "consume"
  static let configuration: CommandConfiguration = describe(
    "Turns removal of played songs from the queue on or off.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "New value: on, off or toggle.") var value: ModeValue?
  mutating func validate() throws { try validateMode(hasOneshot: false) }
}
