internal import ControlProtocol
internal import Glibc
internal import MusicFiles

/// The database file: its tables, its version and its permissions.
enum LibraryFile {
  /// The schema version. Increases with every change of the tables or of the format of their contents.
  /// Version 2 permanently recorded unreadable songs as files without audio.
  private static let version: Int64 = 3

  private static let tables = [
    "CREATE TABLE about(name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    // Paths are relative to the music directory, which has the empty path. `position` is the rank in a walk
    // through all folders.
    """
    CREATE TABLE folders(id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, parent INTEGER NOT NULL,
      position INTEGER NOT NULL, modified INTEGER NOT NULL)
    """,
    "CREATE INDEX folders_parent ON folders(parent, position)",
    // `changed` is in nanoseconds and serves to detect changes; `tagged` has a bit for each tag by which a
    // filter finds the song.
    """
    CREATE TABLE songs(id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, position INTEGER NOT NULL,
      path BLOB NOT NULL UNIQUE, changed INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
      duration REAL NOT NULL, rate INTEGER NOT NULL, channels INTEGER NOT NULL, tagged INTEGER NOT NULL,
      metadata BLOB NOT NULL)
    """,
    "CREATE INDEX songs_folder ON songs(folder, position)",
    "CREATE INDEX songs_modified ON songs(modified)",
    "CREATE INDEX songs_tagged ON songs(tagged)",
    // Playlists, and files that are named like songs and cannot be read as audio.
    """
    CREATE TABLE others(path BLOB PRIMARY KEY, folder INTEGER NOT NULL, changed INTEGER NOT NULL,
      size INTEGER NOT NULL, playlist INTEGER NOT NULL) WITHOUT ROWID
    """,
    "CREATE INDEX others_folder ON others(folder)",
    // Each distinct text of a tag, once.
    "CREATE TABLE texts(id INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE, folded BLOB NOT NULL)",
    "CREATE INDEX texts_folded ON texts(folded)",
    // The tags by which a filter finds a song: its own, and the substitutes for tags that it lacks.
    """
    CREATE TABLE tags(type INTEGER NOT NULL, text INTEGER NOT NULL, song INTEGER NOT NULL,
      PRIMARY KEY(type, text, song)) WITHOUT ROWID
    """,
    // The case-folded paths of a folder's songs, one a line: searching for a part of a name reads a tenth as
    // many rows.
    "CREATE TABLE names(folder INTEGER PRIMARY KEY, text BLOB NOT NULL)",
    // The distinct combinations of grouping tags among the songs of a folder: an album takes one row or a
    // few.
    """
    CREATE TABLE groups(id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, songs INTEGER NOT NULL,
      duration REAL NOT NULL, metadata BLOB NOT NULL)
    """,
    "CREATE INDEX groups_folder ON groups(folder)",
  ]

  private static let contents = ["folders", "songs", "others", "texts", "tags", "names", "groups"]

  /// The names of the tags, in the order of their numbers in the tables.
  private static let tagNames = Array(TagType.allCases.map(\.rawValue).joined(separator: " ").utf8)

  /// Returns the database, which is created with mode 0600 if missing. Deletes its contents if they are of an older
  /// version, of other tags or from another music directory. Throws `unknownVersion` for a newer version.
  static func open(_ path: MediaPath, home: MediaPath) throws(DatabaseError) -> Database {
    try makePrivate(path)
    let database = try connect(path)
    let found = try database.integer("PRAGMA user_version") ?? 0
    // An older version is created again in place, as all of its contents come from the files.
    guard (0...version).contains(found) else { throw .unknownVersion(found) }
    var isOurs = found == version
    if isOurs { isOurs = try has(database, "tags", .bytes(tagNames)) }
    if !isOurs { try make(database) }
    if try !has(database, "home", .bytes(home.bytes)) { try forget(database, home) }
    return database
  }

  /// Creates the file if it does not exist, and makes it accessible to this user only.
  static func makePrivate(_ path: MediaPath) throws(DatabaseError) {
    do {
      let descriptor = try path.systemCall { Glibc.open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
      fchmod(descriptor, 0o600)
      Glibc.close(descriptor)
    } catch {
      throw .failed(code: 0, "\(error)")
    }
  }

  /// Returns a new connection to the file.
  static func connect(_ path: MediaPath) throws(DatabaseError) -> Database {
    let database = try Database(path)
    try database.run("PRAGMA journal_mode = WAL")
    // A kill loses nothing; a power failure may lose the last songs, which the next scan finds again.
    try database.run("PRAGMA synchronous = NORMAL")
    try database.run("PRAGMA temp_store = MEMORY")
    return database
  }

  private static func has(
    _ database: borrowing Database, _ name: String, _ value: DatabaseValue
  ) throws(DatabaseError) -> Bool {
    try database.integer(
      "SELECT count(*) FROM about WHERE name = ? AND value = ?", .bytes(Array(name.utf8)), value) == 1
  }

  private static func make(_ database: borrowing Database) throws(DatabaseError) {
    try database.run("BEGIN IMMEDIATE")
    for name in ["about"] + contents { try database.run("DROP TABLE IF EXISTS \(name)") }
    for table in tables { try database.run(table) }
    try database.run("INSERT INTO about VALUES(?, ?)", .bytes(Array("tags".utf8)), .bytes(tagNames))
    try database.run("PRAGMA user_version = \(version)")
    try database.run("COMMIT")
  }

  private static func forget(_ database: borrowing Database, _ home: MediaPath) throws(DatabaseError) {
    try database.run("BEGIN IMMEDIATE")
    for name in contents { try database.run("DELETE FROM \(name)") }
    try database.run("DELETE FROM about WHERE name <> ?", .bytes(Array("tags".utf8)))
    try database.run("INSERT INTO about VALUES(?, ?)", .bytes(Array("home".utf8)), .bytes(home.bytes))
    try database.run("COMMIT")
  }

  /// Renames an unusable database, as `MediaPath.setAside` does, with its write-ahead log, because a
  /// connection that is still open does not write the log's entries into a renamed file. Returns the new
  /// path; nil if the database had to be deleted.
  static func setAside(_ path: MediaPath, keeping count: Int) -> MediaPath? {
    let place = try? path.setAside(keeping: count, side: "-wal")
    for suffix in ["-wal", "-shm"] + (place == nil ? [""] : []) {
      _ = path.adding(suffix: suffix).withCString { unlink($0) }
    }
    return place
  }
}
