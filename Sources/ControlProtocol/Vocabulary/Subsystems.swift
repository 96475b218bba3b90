/// What can change, for `idle`: MPD's fourteen names, and one of Continuo's own.
package struct Subsystems: OptionSet, Hashable, Sendable {
  /// One bit for each.
  package let rawValue: UInt16

  /// The set with these bits.
  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// The database has changed. python-mpd2's asyncio client waits for it to keep its connection.
  package static let database = Subsystems(rawValue: 1 << 0)
  /// Stored playlists.
  package static let storedPlaylist = Subsystems(rawValue: 1 << 1)
  /// The queue.
  package static let playlist = Subsystems(rawValue: 1 << 2)
  /// Playing, pausing, stopping, seeking, going to another song.
  package static let player = Subsystems(rawValue: 1 << 3)
  /// The volume.
  package static let mixer = Subsystems(rawValue: 1 << 4)
  /// An output was opened or closed.
  package static let output = Subsystems(rawValue: 1 << 5)
  /// repeat, random, single, consume and their like; also home, foreground and lock.
  package static let options = Subsystems(rawValue: 1 << 6)
  /// Stickers.
  package static let sticker = Subsystems(rawValue: 1 << 7)
  /// An update of the database began or ended.
  package static let update = Subsystems(rawValue: 1 << 8)
  /// A channel got its first subscriber or lost its last.
  package static let subscription = Subsystems(rawValue: 1 << 9)
  /// A message on a channel that this client has subscribed to.
  package static let message = Subsystems(rawValue: 1 << 10)
  /// Neighbours. Never raised.
  package static let neighbor = Subsystems(rawValue: 1 << 11)
  /// Mounts. Never raised.
  package static let mount = Subsystems(rawValue: 1 << 12)
  /// Partitions. Never raised.
  package static let partition = Subsystems(rawValue: 1 << 13)
  /// The life cycle of the application. Only for clients that name it: an unknown name in the answer to a bare `idle`
  /// sends mpc's loop and ncmpcpp into a spin.
  package static let application = Subsystems(rawValue: 1 << 14)

  /// What a bare `idle` waits for: MPD's fourteen.
  package static let standard = Subsystems(rawValue: (1 << 14) - 1)

  /// All names in the order of the bits, which is also the order of an answer.
  static let allNames = [
    "database", "stored_playlist", "playlist", "player", "mixer", "output", "options", "sticker", "update",
    "subscription", "message", "neighbor", "mount", "partition", "application",
  ]

  /// The subsystem with this name, in capitals or small letters; `nil` if there is none.
  package init?(name: Argument) {
    let wanted = name.bytes.map(\.lowercased)
    guard let index = Self.allNames.firstIndex(where: { $0.utf8.elementsEqual(wanted) }) else { return nil }
    self.init(rawValue: 1 << UInt16(index))
  }

  /// The names, in the order of an answer.
  package var names: [String] {
    Self.allNames.indices.filter { rawValue & (1 << UInt16($0)) != 0 }.map { Self.allNames[$0] }
  }
}
