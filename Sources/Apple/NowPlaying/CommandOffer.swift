/// The remote commands offered by an application, as a value.
struct CommandOffer: Hashable, Sendable {
  /// A set of command kinds. Some commands have an argument, a number.
  struct Kinds: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let play = Kinds(rawValue: 1 << 0)
    static let pause = Kinds(rawValue: 1 << 1)
    static let stop = Kinds(rawValue: 1 << 2)
    static let toggle = Kinds(rawValue: 1 << 3)
    static let next = Kinds(rawValue: 1 << 4)
    static let previous = Kinds(rawValue: 1 << 5)
    /// The skip interval in seconds, not negative.
    static let skipForward = Kinds(rawValue: 1 << 6)
    static let skipBackward = Kinds(rawValue: 1 << 7)
    /// The position in seconds.
    static let position = Kinds(rawValue: 1 << 8)
    /// The playback rate, positive.
    static let rate = Kinds(rawValue: 1 << 9)
    /// The raw value of an `MPRepeatType`.
    static let repeatMode = Kinds(rawValue: 1 << 10)
    /// The raw value of an `MPShuffleType`.
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
