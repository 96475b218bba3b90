internal import ControlProtocol
internal import Glibc
internal import MusicFiles

/// The database's file: what is in it, and whether it is one of ours.
enum LibraryFile {
  /// Rises with every change of the tables, or of what is kept in them.
  private static let version: Int64 = 2

  private static let tables = [
    "CREATE TABLE about(name TEXT PRIMARY KEY, value) WITHOUT ROWID",
    // Paths are relative to the home, which is the empty one. `position` is the place in a walk through all folders.
    """
    CREATE TABLE folders(id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, parent INTEGER NOT NULL,
      position INTEGER NOT NULL, modified INTEGER NOT NULL)
    """,
    "CREATE INDEX folders_parent ON folders(parent, position)",
    // `changed` is in nanoseconds, to know a file again; `tagged` has a bit for each tag that a filter finds.
    """
    CREATE TABLE songs(id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, position INTEGER NOT NULL,
      path BLOB NOT NULL UNIQUE, changed INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
      duration REAL NOT NULL, rate INTEGER NOT NULL, channels INTEGER NOT NULL, tagged INTEGER NOT NULL,
      metadata BLOB NOT NULL)
    """,
    "CREATE INDEX songs_folder ON songs(folder, position)",
    "CREATE INDEX songs_modified ON songs(modified)",
    "CREATE INDEX songs_tagged ON songs(tagged)",
    // Playlists, and files that are called like songs and are none.
    """
    CREATE TABLE others(path BLOB PRIMARY KEY, folder INTEGER NOT NULL, changed INTEGER NOT NULL,
      size INTEGER NOT NULL, playlist INTEGER NOT NULL) WITHOUT ROWID
    """,
    "CREATE INDEX others_folder ON others(folder)",
    // Every text that a tag has, once.
    "CREATE TABLE texts(id INTEGER PRIMARY KEY, text BLOB NOT NULL UNIQUE, folded BLOB NOT NULL)",
    "CREATE INDEX texts_folded ON texts(folded)",
    // What a filter finds a song by: its tags, and those that stand for one that it does not have.
    """
    CREATE TABLE tags(type INTEGER NOT NULL, text INTEGER NOT NULL, song INTEGER NOT NULL,
      PRIMARY KEY(type, text, song)) WITHOUT ROWID
    """,
    // All songs' paths of a folder, folded, one a line: a part of a name is looked for in a tenth as many rows.
    "CREATE TABLE names(folder INTEGER PRIMARY KEY, text BLOB NOT NULL)",
    // What the songs of a folder differ in by the tags that songs are grouped by: an album is a row or a few.
    """
    CREATE TABLE groups(id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, songs INTEGER NOT NULL,
      duration REAL NOT NULL, metadata BLOB NOT NULL)
    """,
    "CREATE INDEX groups_folder ON groups(folder)",
  ]

  /// All of them but what is said about the database itself.
  private static let contents = ["folders", "songs", "others", "texts", "tags", "names", "groups"]

  /// The names of tags in the order of their numbers, which the tables have.
  private static let tagNames = Array(TagType.allCases.map(\.rawValue).joined(separator: " ").utf8)

  /// Opens the database at `path`, with the mode 0600, or makes one. What it knows of another home is forgotten.
  static func open(_ path: MediaPath, home: MediaPath) throws(DatabaseError) -> Database {
    try makePrivate(path)
    let database = try connect(path)
    let found = try database.integer("PRAGMA user_version") ?? 0
    // An older one is made anew in its place, as all is read from the files.
    guard (0...version).contains(found) else { throw .unknownVersion(found) }
    var isOurs = found == version
    if isOurs { isOurs = try has(database, "tags", .bytes(tagNames)) }
    if !isOurs { try make(database) }
    if try !has(database, "home", .bytes(home.bytes)) { try forget(database, home) }
    return database
  }

  /// Makes the file if there is none, for this user only.
  static func makePrivate(_ path: MediaPath) throws(DatabaseError) {
    do {
      let descriptor = try path.systemCall { Glibc.open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
      fchmod(descriptor, 0o600)
      Glibc.close(descriptor)
    } catch {
      throw .failed(code: 0, "\(error)")
    }
  }

  /// Another connection to it.
  static func connect(_ path: MediaPath) throws(DatabaseError) -> Database {
    let database = try Database(path)
    try database.run("PRAGMA journal_mode = WAL")
    // A kill loses nothing; a power cut perhaps the last songs, which are found again.
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
    for name in ["about"] + contents {
      try database.run("DROP TABLE IF EXISTS \(name)")
    }
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

  /// Puts a database that cannot be used out of the way; says where it is now, or nil if it is gone.
  static func setAside(_ path: MediaPath) -> MediaPath? {
    let place = MediaPath(bytes: path.bytes + Array(".damaged".utf8))
    let isKept = path.withCString { old in place.withCString { rename(old, $0) } } == 0
    for suffix in ["-wal", "-shm"] + (isKept ? [] : [""]) {
      _ = MediaPath(bytes: path.bytes + Array(suffix.utf8)).withCString { unlink($0) }
    }
    return isKept ? place : nil
  }
}
