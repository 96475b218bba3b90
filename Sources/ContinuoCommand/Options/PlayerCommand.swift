/// What a person can ask a playing player for, by `--at` or by a key.
enum PlayerCommand: Hashable, Sendable {
  case pause
  case play
  /// Pauses what plays, plays what is paused.
  case toggle
  case next
  case previous
  case seek(SeekTarget)
  case volume(VolumeTarget)
  /// Mutes what sounds, unmutes what is muted.
  case mute
  case home
  case foreground
  case lock
  case unlock
  case quit

  /// Where to seek.
  enum SeekTarget: Hashable, Sendable {
    /// That far from the item's beginning.
    case absolute(Duration)
    /// That far from the present position, back if negative.
    case relative(Duration)
  }

  /// What volume to set, in percent.
  enum VolumeTarget: Hashable, Sendable {
    /// 0…100.
    case absolute(Int)
    /// -100…100, added to the present volume.
    case relative(Int)
  }

  /// The commands without an argument, by name, in the order in which a person should read them.
  private static let plain: [(name: String, command: PlayerCommand)] = [
    ("pause", .pause), ("play", .play), ("toggle", .toggle), ("next", .next), ("previous", .previous),
    ("mute", .mute), ("home", .home), ("foreground", .foreground), ("lock", .lock), ("unlock", .unlock),
    ("quit", .quit),
  ]

  /// All commands, for help and errors.
  static let summary = plain.map(\.name).joined(separator: ", ") + ", seek TIME, volume N"

  /// Reads a command like `pause` or `seek 1:02`.
  init(parsing text: some StringProtocol) throws(SyntaxError) {
    let words = String(text).split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    guard let name = words.first else {
      throw SyntaxError("a command is missing; known ones are \(Self.summary)")
    }
    let arguments = words.dropFirst()
    if let (_, command) = Self.plain.first(where: { $0.name == name }) {
      guard arguments.isEmpty else { throw SyntaxError("\(name) takes no argument, but got \(arguments[1])") }
      self = command
      return
    }
    guard name == "seek" || name == "volume" else {
      throw SyntaxError("unknown command \"\(name)\"; known ones are \(Self.summary)")
    }
    guard arguments.count == 1, let argument = arguments.first else {
      throw SyntaxError("\(name) takes one argument, as in \(name == "seek" ? "seek 1:02" : "volume 50")")
    }
    self =
      name == "seek" ? .seek(try SeekTarget(parsing: argument)) : .volume(try VolumeTarget(parsing: argument))
  }
}

extension PlayerCommand.SeekTarget {
  init(parsing text: String) throws(SyntaxError) {
    let sign = text.first.flatMap { $0 == "+" ? 1 : $0 == "-" ? -1 : nil }
    guard let time = TimeText.parse(text.dropFirst(sign == nil ? 0 : 1)) else {
      throw SyntaxError("\"\(text)\" is not a time like 12, 12.34, 1:02, 1:02:03.5, +5 or -5")
    }
    self = sign.map { .relative(time * $0) } ?? .absolute(time)
  }
}

extension PlayerCommand.VolumeTarget {
  init(parsing text: String) throws(SyntaxError) {
    let sign = text.first.flatMap { $0 == "+" ? 1 : $0 == "-" ? -1 : nil }
    let digits = text.dropFirst(sign == nil ? 0 : 1)
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(digits), value <= 100 else {
      throw SyntaxError("\"\(text)\" is not a volume from 0 to 100, or a change like +5 or -5")
    }
    self = sign.map { .relative(value * $0) } ?? .absolute(value)
  }
}

extension PlayerCommand: CustomStringConvertible {
  /// The command as it can be given.
  var description: String {
    switch self {
    case .seek(.absolute(let time)): "seek \(Self.text(time))"
    case .seek(.relative(let time)):
      "seek \(time < .zero ? "-" : "+")\(Self.text(time < .zero ? .zero - time : time))"
    case .volume(.absolute(let percent)): "volume \(percent)"
    case .volume(.relative(let percent)): "volume \(percent < 0 ? "" : "+")\(percent)"
    default: Self.plain.first { $0.command == self }?.name ?? ""
    }
  }

  private static func text(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    return ElapsedTime.text(value: seconds * 100 + attoseconds / 10_000_000_000_000_000, timescale: 100)
  }
}
