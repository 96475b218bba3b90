import AppLifecycle
import ControlProtocol
import TextFormatting

/// A command of `--at` or of a key, for the player or for the device with the application.
enum PlayerCommand: Hashable, Sendable {
  case pause
  case play
  case toggle
  case next
  case previous
  case seek(SeekTarget)
  case volume(VolumeTarget)
  case speed(SpeedTarget)
  case mute
  /// Carries out an event of the user or the system.
  case system(LifecycleHappening)
  /// Begins a background task of the application.
  case taskBegin(name: String)
  case taskEnd(name: String)
  case quit

  enum VolumeTarget: Hashable, Sendable {
    /// The new volume, 0…100.
    case absolute(Int)
    /// The change of the volume, -100…100.
    case relative(Int)
  }

  /// The name of a background task if the command contains none.
  static let defaultTaskName = "task"

  /// Whether the device records the command: an event of the life cycle, or of a background task.
  var isOfDevice: Bool {
    switch self {
    case .system, .taskBegin, .taskEnd: true
    case .pause, .play, .toggle, .next, .previous, .seek, .volume, .speed, .mute, .quit: false
    }
  }
}

extension PlayerCommand {
  static let home = system(.home)
  static let foreground = system(.foreground)
  static let lock = system(.lock)
  static let unlock = system(.unlock)
  static let interruptBegin = system(.interruptionBegan)
  static let fetch = system(.fetch)
  static let memoryWarning = system(.memoryWarning)
  static let terminate = system(.terminate)
  static let launch = system(.launch)

  static func interruptEnd(resumes: Bool) -> PlayerCommand {
    .system(.interruptionEnded(shouldResume: resumes))
  }

  /// The event of a `system` command; nil for other commands.
  var happening: LifecycleHappening? { if case .system(let happening) = self { happening } else { nil } }
}

extension PlayerCommand: CustomStringConvertible {
  /// The commands without an argument by name, in the order of the help.
  private static let plain: [(name: String, command: PlayerCommand)] = [
    ("pause", .pause), ("play", .play), ("toggle", .toggle), ("next", .next), ("previous", .previous),
    ("mute", .mute), ("home", .home), ("foreground", .foreground), ("lock", .lock), ("unlock", .unlock),
    ("fetch", .fetch), ("memory-warning", .memoryWarning), ("terminate", .terminate), ("launch", .launch),
    ("quit", .quit),
  ]

  static let summary =
    plain.reduce(into: "") { $0 += $1.name + ", " }
    + "seek TIME, volume N, speed N, interrupt begin, interrupt end [resume|noresume], task begin [NAME], task end [NAME]"

  /// The beginnings of commands that a shell offers, without a time, a number or a name.
  static let beginnings =
    plain.map(\.name) + [
      "seek", "volume", "speed", "interrupt begin", "interrupt end", "interrupt end noresume", "task begin",
      "task end",
    ]

  /// Parses a command such as `pause`, `seek 1:02` or `task begin upload`.
  init(parsing text: some StringProtocol) throws(SyntaxError) {
    let words = String(text).split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    guard let name = words.first else {
      throw SyntaxError("a command is missing; known ones are \(Self.summary)")
    }
    let arguments = Array(words.dropFirst())
    if let (_, command) = Self.plain.first(where: { $0.name == name }) {
      guard arguments.isEmpty else {
        throw SyntaxError("\(name) takes no argument: unexpected \(arguments[0])")
      }
      self = command
      return
    }
    switch name {
    case "seek": self = .seek(try SeekTarget(parsing: try Self.only(arguments, of: "seek", as: "seek 1:02")))
    case "volume":
      self = .volume(try VolumeTarget(parsing: try Self.only(arguments, of: "volume", as: "volume 50")))
    case "speed":
      self = .speed(try SpeedTarget(parsing: try Self.only(arguments, of: "speed", as: "speed 1.25")))
    case "interrupt": self = try Self.interruption(arguments)
    case "task": self = try Self.task(arguments)
    case "touch": self = .system(.touch(try Self.rest(arguments, of: name)))
    case "launch-task": self = .system(.launchTask(try Self.rest(arguments, of: name)))
    case "expire-task": self = .system(.expireTask(try Self.rest(arguments, of: name)))
    default: throw SyntaxError("unknown command \"\(name)\"; known ones are \(Self.summary)")
    }
  }

  private static func only(
    _ arguments: [String], of name: String, as example: String
  ) throws(SyntaxError) -> String {
    guard arguments.count == 1 else { throw SyntaxError("\(name) takes one argument, as in \(example)") }
    return arguments[0]
  }

  /// Joins the arguments to one name, with single spaces. Throws if there are none.
  private static func rest(_ arguments: [String], of name: String) throws(SyntaxError) -> String {
    guard !arguments.isEmpty else { throw SyntaxError("\(name) takes a name") }
    return arguments.joined(separator: " ")
  }

  private static func interruption(_ arguments: [String]) throws(SyntaxError) -> PlayerCommand {
    switch arguments {
    case ["begin"]: .interruptBegin
    case ["end"], ["end", "resume"]: .interruptEnd(resumes: true)
    case ["end", "noresume"]: .interruptEnd(resumes: false)
    default: throw SyntaxError("interrupt takes begin, end, end resume or end noresume")
    }
  }

  private static func task(_ arguments: [String]) throws(SyntaxError) -> PlayerCommand {
    // The remaining words are the name, separated by single spaces.
    let name = arguments.count > 1 ? arguments.dropFirst().joined(separator: " ") : defaultTaskName
    switch arguments.first {
    case "begin": return .taskBegin(name: name)
    case "end": return .taskEnd(name: name)
    default: throw SyntaxError("task takes begin or end and an optional name, as in task begin upload")
    }
  }

  /// The command in the form that `init(parsing:)` reads.
  var description: String {
    switch self {
    case .seek(.absolute(let time)): "seek \(ElapsedTime.text(time))"
    case .seek(.relative(let time)):
      "seek \(time < .zero ? "-" : "+")\(ElapsedTime.text(time < .zero ? .zero - time : time))"
    case .volume(.absolute(let percent)): "volume \(percent)"
    case .volume(.relative(let percent)): "volume \(percent < 0 ? "" : "+")\(percent)"
    case .speed(let target): "speed \(target)"
    case .system(let happening): happening.description
    case .taskBegin(let name): "task begin \(name)"
    case .taskEnd(let name): "task end \(name)"
    default: Self.plain.first { $0.command == self }?.name ?? ""
    }
  }
}

extension SeekTarget {
  init(parsing text: String) throws(SyntaxError) {
    let sign = text.sign
    guard let time = TimeText.parse(text.dropFirst(sign == nil ? 0 : 1)) else {
      throw SyntaxError("\"\(text)\" is not a time like 12, 12.34, 1:02, 1:02:03.5, +5 or -5")
    }
    self = sign.map { .relative(time * $0) } ?? .absolute(time)
  }
}

extension PlayerCommand.VolumeTarget {
  init(parsing text: String) throws(SyntaxError) {
    let sign = text.sign
    let digits = text.dropFirst(sign == nil ? 0 : 1)
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(digits), value <= 100 else {
      throw SyntaxError("\"\(text)\" is not a volume from 0 to 100, or a change like +5 or -5")
    }
    self = sign.map { .relative(value * $0) } ?? .absolute(value)
  }
}

/// A value of `--at`, such as `6.5:foreground`: a command and its time.
struct ScheduledCommand: Hashable, Sendable {
  /// The delay after the start of playback or, for `phone run`, of the phone.
  var time: Duration
  var command: PlayerCommand

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
