/// The subsystems whose changes `idle` reports: MPD's fourteen, and one of Continuo's own.
package struct Subsystems: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Replaces the initializer of the standard library, which looks for conformances at run time.
  package init(arrayLiteral elements: Subsystems...) {
    self.init(rawValue: elements.reduce(0) { $0 | $1.rawValue })
  }

  /// The database of songs changed. python-mpd2's asyncio client waits for this subsystem to keep its
  /// connection open.
  package static let database = Subsystems(rawValue: 1 << 0)
  package static let storedPlaylist = Subsystems(rawValue: 1 << 1)
  package static let playlist = Subsystems(rawValue: 1 << 2)
  /// The player's state or error, the current song or its tags, or the availability of sound changed, or playback
  /// jumped.
  package static let player = Subsystems(rawValue: 1 << 3)
  package static let mixer = Subsystems(rawValue: 1 << 4)
  package static let output = Subsystems(rawValue: 1 << 5)
  /// A mode such as repeat, random, single or consume changed, or the application's state.
  package static let options = Subsystems(rawValue: 1 << 6)
  package static let sticker = Subsystems(rawValue: 1 << 7)
  /// An update of the database began or ended.
  package static let update = Subsystems(rawValue: 1 << 8)
  /// A client has subscribed to a channel or ended a subscription.
  package static let subscription = Subsystems(rawValue: 1 << 9)
  /// A message arrived on a channel that this client subscribes to.
  package static let message = Subsystems(rawValue: 1 << 10)
  // The bits 11 to 13, neighbours, mounts and partitions, are never raised.
  /// The application's state changed. Reported only to clients that name this subsystem. An unknown name in the
  /// answer to an `idle` without arguments makes `mpc idleloop` and ncmpcpp loop without pause.
  package static let application = Subsystems(rawValue: 1 << 14)

  /// The subsystems of an `idle` without arguments: MPD's fourteen.
  package static let standard = Subsystems(rawValue: (1 << 14) - 1)

  /// The names in the order of the bits, which is also their order in an answer.
  static let allNames = [
    "database", "stored_playlist", "playlist", "player", "mixer", "output", "options", "sticker", "update",
    "subscription", "message", "neighbor", "mount", "partition", "application",
  ]

  /// Creates the subsystem with this name, ignoring case; nil if it does not exist.
  package init?(name: Argument) {
    let wanted = name.bytes.map(\.lowercased)
    guard let index = Self.allNames.firstIndex(where: { $0.utf8.elementsEqual(wanted) }) else { return nil }
    self.init(rawValue: 1 << UInt16(index))
  }

  package var names: [String] {
    Self.allNames.indices.filter { rawValue & (1 << UInt16($0)) != 0 }.map { Self.allNames[$0] }
  }
}
