/// What a client may do. Every command that needs a permission needs exactly one.
package struct Permissions: OptionSet, Hashable, Sendable {
  /// One bit for each.
  package let rawValue: UInt8

  /// The set with these bits.
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Ask for anything.
  package static let read = Permissions(rawValue: 1)
  /// Put songs into the queue.
  package static let add = Permissions(rawValue: 2)
  /// Drive the player and edit the queue.
  package static let player = Permissions(rawValue: 4)
  /// Drive the application's life cycle, and other clients by messages.
  package static let control = Permissions(rawValue: 8)
  /// Open and close the output, end the application.
  package static let admin = Permissions(rawValue: 16)
  /// Everything.
  package static let all: Permissions = [.read, .add, .player, .control, .admin]
}

extension Permissions {
  private static let names: [(name: String, permission: Permissions)] = [
    ("read", .read), ("add", .add), ("player", .player),
    // As in mpd, where `control` once was what `player` is now.
    ("control", [.control, .player]), ("admin", .admin), ("none", []),
  ]

  /// Reads mpd's list: `read,add,player,control,admin`, or `none`.
  ///
  /// - Throws: the word that is none of them.
  package init(list: String) throws(UnknownWord) {
    self = []
    for word in list.split(separator: ",", omittingEmptySubsequences: false) {
      guard let entry = Self.names.first(where: { $0.name == word }) else {
        throw UnknownWord(word: String(word))
      }
      formUnion(entry.permission)
    }
  }

  /// A word that names no permission.
  package struct UnknownWord: Error, Equatable, CustomStringConvertible {
    let word: String
    /// For a person.
    package var description: String {
      "\"\(word)\" is no permission; there are read, add, player, control, admin and none"
    }
  }
}
