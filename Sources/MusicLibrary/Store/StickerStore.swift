package import ControlProtocol
internal import Glibc
package import MusicFiles
internal import Synchronization

/// What clients note about songs, as a rating: names with values, by the song's path.
///
/// In a file of its own beside the library's. What the library knows can be read anew, and is when its file is damaged or
/// of another version; these notes are nowhere else. They also do not wait for a scan, which writes to the library for
/// minutes. The notes of a song that has vanished are kept: a disk that was taken away comes back.
///
/// The file is opened when it is first asked for. Any thread; all calls block on the disk.
package final class StickerStore: Sendable {
  private final class Connection: Sendable {
    let database: Database

    init(_ database: consuming Database) { self.database = database }
  }

  private static let version: Int64 = 1
  /// Pages of 4 KiB that the file takes at most, 256 MiB: a client could fill the disk.
  private static let pageLimit = 65_536

  private let path: MediaPath
  private let complain: @Sendable (String) -> Void
  private let connection = Mutex<Connection?>(nil)

  /// The notes in the file at `path`, which is made, with the mode 0600, if there is none. One that cannot be used is put
  /// aside with a word by `complain`, which gets lines for a person on the caller's thread.
  package init(_ path: MediaPath, complain: @escaping @Sendable (String) -> Void) {
    self.path = path
    self.complain = complain
  }

  // MARK: Asking

  /// The value of a note; `nil` if the song has none of that name.
  package func value(of name: [UInt8], for song: [UInt8]) throws(DatabaseError) -> [UInt8]? {
    var value: [UInt8]?
    try forEach("SELECT value FROM stickers WHERE song = ? AND name = ?", [.bytes(song), .bytes(name)]) {
      value = $0.bytes(0)
    }
    return value
  }

  /// All notes about a song, in the order of their names' bytes.
  package func all(for song: [UInt8]) throws(DatabaseError) -> [(name: [UInt8], value: [UInt8])] {
    var found: [(name: [UInt8], value: [UInt8])] = []
    try forEach("SELECT name, value FROM stickers WHERE song = ? ORDER BY name", [.bytes(song)]) {
      found.append(($0.bytes(0), $0.bytes(1)))
    }
    return found
  }

  /// The songs below a folder (the empty one: all) that have a note of that name, and whose value passes, in the order
  /// of their paths' bytes. Where `interruption` has a reason, which is asked at each of them, the question ends.
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
    var found: [(song: [UInt8], value: [UInt8])] = []
    try forEach(
      "SELECT song, value FROM stickers WHERE song >= ? AND song < ? AND name = ? \(condition.text) ORDER BY song",
      LibraryPath.range(below: folder) + [.bytes(name)] + condition.values
    ) { row throws(DatabaseError) in
      if let reason = interruption() { throw .refused(.interrupted(reason)) }
      found.append((row.bytes(0), row.bytes(1)))
    }
    return found
  }

  // MARK: Noting

  /// Notes a value, in the place of the one before.
  package func set(_ name: [UInt8], to value: [UInt8], for song: [UInt8]) throws(DatabaseError) {
    try forEach(
      "INSERT OR REPLACE INTO stickers VALUES(?, ?, ?)", [.bytes(song), .bytes(name), .bytes(value)])
  }

  /// Forgets a note about a song, or all; whether there was one.
  package func remove(_ name: [UInt8]?, for song: [UInt8]) throws(DatabaseError) -> Bool {
    var hadOne = false
    try forEach(
      "DELETE FROM stickers WHERE song = ?1 AND (?2 IS NULL OR name = ?2) RETURNING 1",
      [.bytes(song), name.map { .bytes($0) } ?? .null]
    ) { _ in hadOne = true }
    return hadOne
  }

  // MARK: The file

  private func forEach(
    _ query: String, _ values: [DatabaseValue], _ body: (DatabaseRow) throws(DatabaseError) -> Void = { _ in }
  ) throws(DatabaseError) {
    do throws(DatabaseError) {
      return try connect().database.statement(query).forEach(values, body)
    } catch {
      switch error {
      case .damaged, .unknownVersion: break
      default: throw error
      }
      connection.withLock { $0 = nil }
      let place = LibraryFile.setAside(path)
      complain("\(path): \(error); \(place.map { "kept as \($0)" } ?? "removed"), stickers begin anew")
    }
    try connect().database.statement(query).forEach(values, body)
  }

  private func connect() throws(DatabaseError) -> Connection {
    try connection.withLock { connection throws(DatabaseError) in
      if let connection { return connection }
      let opened = try open()
      connection = opened
      return opened
    }
  }

  private func open() throws(DatabaseError) -> Connection {
    try LibraryFile.makePrivate(path)
    let database = try LibraryFile.connect(path)
    let found = try database.integer("PRAGMA user_version") ?? 0
    guard found == 0 || found == Self.version else { throw .unknownVersion(found) }
    // Nobody can read these anew: a power cut loses nothing that was answered.
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
