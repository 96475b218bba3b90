import ArgumentParser
import ControlClient
import ControlProtocol
import TextFormatting

/// A command of `continuo` that sets or prints one of the modes in which the queue is played.
protocol ModeControl: ControlCommand {
  /// Its name, which is also the command's and that of the field of `status`.
  static var mode: String { get }
  var form: FormOptions { get }
  var value: ModeValue? { get }
}

/// What a mode is to be.
enum ModeValue: String, ExpressibleByArgument, CaseIterable {
  case on, off, oneshot, toggle

  /// What the protocol calls it; nil for a change.
  var word: ControlProtocol.Argument? {
    switch self {
    case .on: "1"
    case .off: "0"
    case .oneshot: "oneshot"
    case .toggle: nil
    }
  }

  /// What the server calls so.
  init?(word: String) {
    guard let value = Self.allCases.first(where: { $0.word?.string == word }) else { return nil }
    self = value
  }
}

extension ModeControl {
  func perform(with client: inout ControlClient, output: CommandOutput) throws -> ExitStatus {
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

  /// Refuses what the mode does not have.
  func validateMode(hasOneshot: Bool) throws {
    if value == .oneshot, !hasOneshot { throw ValidationError("\(Self.mode) has no oneshot.") }
    if value != nil, form.json { throw ValidationError("--json has nothing to print while setting.") }
  }

  /// What the help of such a command says.
  static func describe(_ abstract: String, oneshot: String? = nil) -> CommandConfiguration {
    .control(
      mode, abstract, usage: "continuo \(mode) [OPTIONS] [on|off|\(oneshot == nil ? "" : "oneshot|")toggle]",
      """
      \(oneshot.map { "\($0) " } ?? "")Without a word the mode is printed; with --json as an object with the key \
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
  static let configuration: CommandConfiguration = describe("Plays the queue in random order, or in its own.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "What it is to be.") var value: ModeValue?
  mutating func validate() throws { try validateMode(hasOneshot: false) }
}

/// `continuo repeat`.
struct Repeat: ModeControl {
  static let mode = "repeat"
  static let configuration: CommandConfiguration = describe(
    "Begins anew behind the last song, or stops there.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "What it is to be.") var value: ModeValue?
  mutating func validate() throws { try validateMode(hasOneshot: false) }
}

/// `continuo single`.
struct Single: ModeControl {
  static let mode = "single"
  static let configuration: CommandConfiguration = describe(
    "Stops behind each song, or plays on.", oneshot: "With oneshot it does so once.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "What it is to be.") var value: ModeValue?
  mutating func validate() throws { try validateMode(hasOneshot: true) }
}

/// `continuo consume`.
struct Consume: ModeControl {
  static let mode = "consume"
  static let configuration: CommandConfiguration = describe(
    "Takes each song out of the queue once it was played, or keeps it.")
  @OptionGroup var control: ControlOptions
  @OptionGroup var form: FormOptions
  @ArgumentParser.Argument(help: "What it is to be.") var value: ModeValue?
  mutating func validate() throws { try validateMode(hasOneshot: false) }
}
