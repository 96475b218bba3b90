/// The remote commands offered by an application, as a value.
struct CommandOffer: Hashable, Sendable {
  /// A set of command kinds.
  struct Kinds: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let play = Kinds(rawValue: 1 << 0)
    static let pause = Kinds(rawValue: 1 << 1)
    static let stop = Kinds(rawValue: 1 << 2)
    static let toggle = Kinds(rawValue: 1 << 3)
    static let next = Kinds(rawValue: 1 << 4)
    static let previous = Kinds(rawValue: 1 << 5)
    static let skipForward = Kinds(rawValue: 1 << 6)
    static let skipBackward = Kinds(rawValue: 1 << 7)
    static let position = Kinds(rawValue: 1 << 8)
    static let rate = Kinds(rawValue: 1 << 9)
    static let repeatMode = Kinds(rawValue: 1 << 10)
    static let shuffleMode = Kinds(rawValue: 1 << 11)
  }

  var kinds: Kinds = []
  /// The skip interval in seconds.
  var forwardInterval = 10.0
  var backwardInterval = 10.0
  /// The supported rates, all positive.
  var rates: [Double] = []
  var repeatType = MPRepeatType.off
  var shuffleType = MPShuffleType.off

  func has(_ kind: Kinds) -> Bool { !kinds.isDisjoint(with: kind) }
}

/// A remote command with its arguments.
enum RemoteAction: Hashable, Sendable {
  case play
  case pause
  case stop
  case toggle
  case next
  case previous
  /// The skip interval in seconds, not negative.
  case skipForward(Double)
  case skipBackward(Double)
  case position(Double)
  /// The playback rate, positive.
  case rate(Double)
  case repeatMode(MPRepeatType)
  case shuffleMode(MPShuffleType)
}
