/// The permissions of a client. A command requires at most one of them, and some arguments another one.
package struct Permissions: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// May query the state, except for `config`, `sticker` and `unplayable`, wait for changes, and subscribe to
  /// channels.
  package static let read = Permissions(rawValue: 1)
  /// May add songs to the queue, set their ranges and tags, name URLs that the server then requests, and use
  /// `unplayable`.
  package static let add = Permissions(rawValue: 2)
  /// May control the player, and remove, move, shuffle and prioritize songs of the queue.
  package static let player = Permissions(rawValue: 4)
  /// May act as the application's user (home button, lock, interruption), edit stored playlists, update the
  /// database and send messages to other clients.
  package static let control = Permissions(rawValue: 8)
  /// May enable and disable outputs, use stickers and `config`, and start and end the application.
  package static let admin = Permissions(rawValue: 16)
  package static let all: Permissions = [.read, .add, .player, .control, .admin]
}

extension Permissions {
  private static let names: [(name: String, permission: Permissions)] = [
    ("read", .read), ("add", .add), ("player", .player),
    // Includes `player`, as in mpd, where `player` was a part of `control` in earlier versions.
    ("control", [.control, .player]), ("admin", .admin), ("none", []),
  ]

  /// Reads a list in mpd's format: `read,add,player,control,admin`, or `none`.
  ///
  /// - Throws: An `UnknownWord` for a word that is not a permission.
  package init(list: String) throws(UnknownWord) {
    self = []
    for word in list.split(separator: ",", omittingEmptySubsequences: false) {
      guard let entry = Self.names.first(where: { $0.name == word }) else {
        throw UnknownWord(word: String(word))
      }
      formUnion(entry.permission)
    }
  }

  package struct UnknownWord: Error, Equatable, CustomStringConvertible {
    let word: String
    package var description: String {
      "\"\(word)\" is not a permission; there are read, add, player, control, admin and none"
    }
  }
}
