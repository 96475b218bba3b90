package import ControlProtocol
internal import Glibc
package import MusicFiles
internal import Synchronization

/// Stickers: names with values, such as ratings, that clients attach to songs, stored by the song's path.
/// They exist nowhere else, unlike the library's database, which can be rebuilt from the music. They have a
/// file of their own, so that changes need not wait for a scan, which writes to the database for minutes.
/// Stickers of a missing song are kept, because its disk may be mounted again. The file is opened at its
/// first use. Any thread; all calls block on the disk.
package final class StickerStore: Sendable {
  private final class Connection: Sendable {
    let database: Database

    init(_ database: consuming Database) { self.database = database }
  }

  private static let version: Int64 = 1
  /// The maximum file size in pages of 4 KiB: 256 MiB. A client could fill the disk otherwise.
  private static let pageLimit = 65_536

  private let path: MediaPath
  private let complain: @Sendable (String) -> Void
  private let connection = Mutex<Connection?>(nil)

  /// Creates a store. The file is created with mode 0600 at its first use. An unusable file is renamed or, if
  /// that fails, deleted. In both cases `complain` gets a message for a person, on the caller's thread.
  package init(_ path: MediaPath, complain: @escaping @Sendable (String) -> Void) {
    self.path = path
    self.complain = complain
  }

  // MARK: Queries

  /// Returns the value of a sticker; nil if the song has no sticker of that name.
  package func value(of name: [UInt8], for song: [UInt8]) throws(DatabaseError) -> [UInt8]? {
    try rows("SELECT value FROM stickers WHERE song = ? AND name = ?", [.bytes(song), .bytes(name)]) {
      $0.bytes(0)
    }.first
  }

  /// Returns all stickers of a song, in byte order of their names.
  package func all(for song: [UInt8]) throws(DatabaseError) -> [(name: [UInt8], value: [UInt8])] {
    try rows("SELECT name, value FROM stickers WHERE song = ? ORDER BY name", [.bytes(song)]) {
      ($0.bytes(0), $0.bytes(1))
    }
  }

  /// Returns the songs below a folder (empty: all) with a sticker of that name whose value passes the test,
  /// in byte order of their paths. Throws `DatabaseError.refused` once `interruption`, called for each song,
  /// returns a reason.
  package func find(
    _ name: [UInt8], below folder: [UInt8], _ test: StickerTest?, interruption: () -> String? = { nil }
  ) throws(DatabaseError) -> [(song: [UInt8], value: [UInt8])] {
    let condition: (text: String, values: [DatabaseValue]) =
      switch test {
      case nil: ("", [])
      case .equals(let value): ("AND value = ?", [.bytes(value.bytes)])
      case .below(let value): ("AND value < ?", [.bytes(value.bytes)])
      case .above(let value): ("AND value > ?", [.bytes(value.bytes)])
      }
    return try rows(
      "SELECT song, value FROM stickers WHERE song >= ? AND song < ? AND name = ? \(condition.text) ORDER BY song",
      LibraryPath.range(below: folder) + [.bytes(name)] + condition.values
    ) { row throws(DatabaseError) in
      if let reason = interruption() { throw .refused(.interrupted(reason)) }
      return (row.bytes(0), row.bytes(1))
    }
  }

  // MARK: Changes

  /// Sets a sticker and replaces its previous value.
  package func set(_ name: [UInt8], to value: [UInt8], for song: [UInt8]) throws(DatabaseError) {
    try rows(
      "INSERT OR REPLACE INTO stickers VALUES(?, ?, ?)", [.bytes(song), .bytes(name), .bytes(value)])
  }

  /// Removes a sticker of a song, or all of its stickers if `name` is nil. Returns whether any existed.
  package func remove(_ name: [UInt8]?, for song: [UInt8]) throws(DatabaseError) -> Bool {
    // Two statements, because RETURNING requires SQLite 3.35.
    let condition = "FROM stickers WHERE song = ?1 AND (?2 IS NULL OR name = ?2)"
    let values: [DatabaseValue] = [.bytes(song), name.map { .bytes($0) } ?? .null]
    let existed = try !rows("SELECT 1 \(condition) LIMIT 1", values).isEmpty
    try rows("DELETE \(condition)", values)
    return existed
  }

  // MARK: File

  @discardableResult
  private func rows<Value>(
    _ query: String, _ values: [DatabaseValue],
    _ body: (DatabaseRow) throws(DatabaseError) -> Value = { _ in }
  ) throws(DatabaseError) -> [Value] {
    let used = try connect()
    do throws(DatabaseError) {
      return try used.database.rows(query, values, body)
    } catch {
      guard error.isUnusable else { throw error }
      return try connect(insteadOf: (used, error)).database.rows(query, values, body)
    }
  }

  /// Returns the connection, opened if necessary. Sets the file aside if it is damaged or of another version, as found by
  /// opening it, or if `unusable` is still the open connection. Each file is set aside once, under the lock, so that no
  /// thread opens it in between.
  private func connect(
    insteadOf unusable: (connection: Connection, reason: DatabaseError)? = nil
  ) throws(DatabaseError) -> Connection {
    var message: String?
    defer { if let message { complain(message) } }
    return try connection.withLock { connection throws(DatabaseError) in
      let reason: DatabaseError?
      if let present = connection {
        guard let unusable, present === unusable.connection else { return present }
        reason = unusable.reason
        connection = nil
      } else {
        do throws(DatabaseError) {
          connection = try open()
          reason = nil
        } catch {
          guard error.isUnusable else { throw error }
          reason = error
        }
      }
      if let reason { message = setAside(because: reason) }
      if let opened = connection { return opened }
      let opened = try open()
      connection = opened
      return opened
    }
  }

  /// Sets the file aside and returns the message about it.
  private func setAside(because reason: DatabaseError) -> String {
    let place = LibraryFile.setAside(path, keeping: 3)
    let fate = place.map { "renamed to \($0)" } ?? "deleted"
    return "\(path): \(reason); \(fate); starting with no stickers"
  }

  private func open() throws(DatabaseError) -> Connection {
    try LibraryFile.makePrivate(path)
    let database = try LibraryFile.connect(path)
    let found = try database.integer("PRAGMA user_version") ?? 0
    guard found == 0 || found == Self.version else { throw .unknownVersion(found) }
    // Stickers cannot be rebuilt. With FULL, a power failure loses no change that was acknowledged.
    try database.run("PRAGMA synchronous = FULL")
    try database.run("PRAGMA max_page_count = \(Self.pageLimit)")
    try database.run(
      """
      CREATE TABLE IF NOT EXISTS stickers(song BLOB NOT NULL, name BLOB NOT NULL, value BLOB NOT NULL,
        PRIMARY KEY(song, name)) WITHOUT ROWID
      """)
    if found == 0 { try database.run("PRAGMA user_version = \(Self.version)") }
    return Connection(database)
  }
}

extension DatabaseError {
  /// Whether the file is damaged, or of another version.
  fileprivate var isUnusable: Bool {
    switch self {
    case .damaged, .unknownVersion: true
    default: false
    }
  }
}
