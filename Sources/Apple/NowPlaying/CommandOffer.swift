/// The remote commands offered by an application or by the jukebox, as a value.
package struct CommandOffer: Hashable, Sendable {
  /// A set of command kinds. Some kinds of commands have an argument, which is a number.
  package struct Kinds: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let play = Kinds(rawValue: 1 << 0)
    package static let pause = Kinds(rawValue: 1 << 1)
    package static let stop = Kinds(rawValue: 1 << 2)
    package static let toggle = Kinds(rawValue: 1 << 3)
    package static let next = Kinds(rawValue: 1 << 4)
    package static let previous = Kinds(rawValue: 1 << 5)
    /// The argument is the skip interval in seconds, not negative.
    package static let skipForward = Kinds(rawValue: 1 << 6)
    package static let skipBackward = Kinds(rawValue: 1 << 7)
    /// The argument is the position in seconds.
    package static let position = Kinds(rawValue: 1 << 8)
    /// The argument is the playback rate, positive.
    package static let rate = Kinds(rawValue: 1 << 9)
    /// The argument is the raw value of an `MPRepeatType`.
    package static let repeatMode = Kinds(rawValue: 1 << 10)
    /// The argument is the raw value of an `MPShuffleType`.
    package static let shuffleMode = Kinds(rawValue: 1 << 11)
    /// The argument is the volume, 0…1.
    package static let volume = Kinds(rawValue: 1 << 12)
  }

  package var kinds: Kinds = []
  /// The skip interval in seconds.
  var forwardInterval = 10.0
  var backwardInterval = 10.0
  /// The supported rates, all positive.
  package var rates: [Double] = []
  package var repeatType = MPRepeatType.off
  package var shuffleType = MPShuffleType.off
  /// The volume to publish, 0…1. Always 1 for an application, which has no volume command.
  package var volume = 1.0
  /// The URL schemes and MIME types that can be opened; empty if opening is not supported.
  package var schemes: [String] = []
  package var mimeTypes: [String] = []

  package init() {}

  package func has(_ kind: Kinds) -> Bool { !kinds.isDisjoint(with: kind) }
}
