internal import ControlProtocol
internal import Glibc
internal import Jukebox
internal import MusicFiles

/// Writes scan results to the database. Used by one thread at a time.
final class LibraryWriter {
  struct KnownFile: Hashable {
    /// The number of the song; nil for a file that is not a song.
    var song: Int64?
    var changed: Int64
    var size: Int64

    /// Whether the modification time and size of the file are unchanged.
    func isSame(as status: FileStatus) -> Bool { changed == status.changed && size == status.size }
  }

  let database: Database
  /// Prepared statements that run for every folder. Preparing one takes longer than running it.
  private var statements: [String: CachedStatement] = [:]
  private let insertSong: DatabaseStatement
  private let insertTag: DatabaseStatement
  private let insertText: DatabaseStatement
  private let findText: DatabaseStatement
  private let deleteTag: DatabaseStatement
  /// The numbers of recently used texts: artists and albums repeat.
  private var texts: [[UInt8]: Int64] = [:]
  private static let textLimit = 1000
  /// The name of the row that exists while committed changes await `finish`.
  private static let unfinished = DatabaseValue.bytes(Array("unfinished".utf8))
  /// Whether anything has changed since the last committed `finish`.
  private(set) var hasChanged = false
  private var hasRemoved = false
  private var mustOrderFolders = false
  /// Whether `finish` has completed the pass in the transaction in progress.
  private var isFinished = false

  init(_ database: consuming Database) throws(DatabaseError) {
    // Inserts touch all indexes. SQLite's default cache of 2 MB would be written out and read back all the
    // time.
    try database.run("PRAGMA cache_size = -8000")
    insertSong = try database.statement(
      """
      INSERT INTO songs(id, folder, position, path, changed, size, modified, duration, rate, channels, tagged, metadata)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insertTag = try database.statement("INSERT OR IGNORE INTO tags VALUES(?, ?, ?)")
    insertText = try database.statement("INSERT INTO texts(text, folded) VALUES(?1, folded(?1))")
    findText = try database.statement("SELECT id FROM texts WHERE text = ?")
    deleteTag = try database.statement("DELETE FROM tags WHERE type = ? AND text = ? AND song = ?")
    self.database = database
    let isUnfinished = try integer("SELECT 1 FROM about WHERE name = ?", Self.unfinished) != nil
    (hasChanged, hasRemoved, mustOrderFolders) = (isUnfinished, isUnfinished, isUnfinished)
  }

  private final class CachedStatement {
    let statement: DatabaseStatement

    init(_ statement: consuming DatabaseStatement) { self.statement = statement }
  }

  /// Runs a statement, which is prepared at its first use. Returns the value that `body` makes of each row.
  @discardableResult
  private func rows<Value>(
    _ text: String, _ values: [DatabaseValue], _ body: (DatabaseRow) -> Value = { _ in }
  ) throws(DatabaseError) -> [Value] {
    let cached: CachedStatement
    if let known = statements[text] {
      cached = known
    } else {
      cached = CachedStatement(try database.statement(text))
      statements[text] = cached
    }
    return try cached.statement.rows(values) { body($0) }
  }

  private func integer(_ text: String, _ values: DatabaseValue...) throws(DatabaseError) -> Int64? {
    try rows(text, values) { $0.integer(0) }.first
  }

  // MARK: Transactions

  /// Begins a transaction, whose changes other connections see after `commit`.
  func begin() throws(DatabaseError) { try database.run("BEGIN IMMEDIATE") }

  /// Commits the changes. If `finish` is still to come, the next writer completes the pass, should this one end before.
  func commit() throws(DatabaseError) {
    let isUnfinished = hasChanged && !isFinished
    if isUnfinished { try database.run("INSERT OR REPLACE INTO about VALUES(?, 1)", Self.unfinished) }
    try database.run("COMMIT")
    if isFinished { (hasChanged, hasRemoved, mustOrderFolders, isFinished) = (false, false, false, false) }
  }

  /// Rolls the transaction back, unless SQLite has already done so after an error.
  func rollBack() {
    texts = [:]
    isFinished = false
    try? database.run("ROLLBACK")
  }

  /// Completes a pass: deletes unused rows (unused texts only after a pass through all folders), orders the
  /// folders and updates the statistics. Returns whether anything has changed.
  func finish(isComplete: Bool) throws(DatabaseError) -> Bool {
    guard hasChanged else { return false }
    repeat {
      try database.run(
        """
        DELETE FROM folders WHERE path <> x'' AND NOT EXISTS(SELECT 1 FROM songs WHERE folder = folders.id)
        AND NOT EXISTS(SELECT 1 FROM others WHERE folder = folders.id)
        AND NOT EXISTS(SELECT 1 FROM folders AS f WHERE f.parent = folders.id)
        """)
    } while database.changes > 0
    if mustOrderFolders { try orderFolders() }
    if hasRemoved {
      for table in ["names", "groups"] {
        try database.run("DELETE FROM \(table) WHERE folder NOT IN (SELECT id FROM folders)")
      }
    }
    if isComplete, hasRemoved {
      try database.run("DELETE FROM texts WHERE id NOT IN (SELECT text FROM tags)")
      texts = [:]
    }
    try noteFigures()
    try database.run("DELETE FROM about WHERE name = ?", Self.unfinished)
    isFinished = true
    return true
  }

  /// Updates the statistics of the whole library from the songs found so far.
  func noteFigures() throws(DatabaseError) {
    try setAbout("songs", "SELECT count(*) FROM songs")
    try setAbout("playtime", "SELECT CAST(total(duration) AS INTEGER) FROM songs")
    for (name, type) in [("artists", TagType.artist), ("albums", .album)] {
      try setAbout(name, "SELECT count(DISTINCT text) FROM tags WHERE type = \(type.index)")
    }
    try setAbout("updated", "SELECT \(time(nil))")
  }

  func rest() {
    texts = [:]
    database.releaseMemory()
  }

  private func setAbout(_ name: String, _ query: String) throws(DatabaseError) {
    try database.run("INSERT OR REPLACE INTO about VALUES(?, (\(query)))", .bytes(Array(name.utf8)))
  }

  // MARK: Folders

  /// Returns the number of this folder, and records its modification time in seconds since 1970. Adds missing rows for
  /// the folder and the folders above. A walk in order adds the rows in order, so that clients see folders sorted before
  /// the walk ends.
  func folder(_ path: [UInt8], modified: Int64) throws(DatabaseError) -> Int64 {
    let known = try rows("SELECT id, modified FROM folders WHERE path = ?", [.bytes(path)]) {
      (id: $0.integer(0), modified: $0.integer(1))
    }
    if let known = known.first {
      if known.modified != modified {
        try rows("UPDATE folders SET modified = ? WHERE id = ?", [.integer(modified), .integer(known.id)])
      }
      return known.id
    }
    let parent = path.isEmpty ? 0 : try folder(above: path)
    let position = try integer("SELECT max(id) FROM folders") ?? 0
    try rows(
      "INSERT INTO folders(path, parent, position, modified) VALUES(?, ?, ?, ?)",
      [.bytes(path), .integer(parent), .integer(position + 1), .integer(modified)])
    (hasChanged, mustOrderFolders) = (true, true)
    return database.lastRow
  }

  private func folder(above path: [UInt8]) throws(DatabaseError) -> Int64 {
    let parent = LibraryPath.folder(of: path)
    if let id = try integer("SELECT id FROM folders WHERE path = ?", .bytes(parent)) { return id }
    return try folder(parent, modified: 0)
  }

  /// Returns the known subfolders of this folder.
  func folders(in folder: [UInt8]) throws(DatabaseError) -> Set<[UInt8]> {
    let query = "SELECT path FROM folders WHERE parent = (SELECT id FROM folders WHERE path = ?)"
    return Set(try rows(query, [.bytes(folder)]) { $0.bytes(0) })
  }

  func hasFolder(_ path: [UInt8]) throws(DatabaseError) -> Bool {
    try integer("SELECT 1 FROM folders WHERE path = ?", .bytes(path)) != nil
  }

  /// Removes the folder with everything in it and below it.
  func remove(folder path: [UInt8]) throws(DatabaseError) {
    let range = LibraryPath.range(below: path)
    let songs = try rows("SELECT id FROM songs WHERE path >= ? AND path < ?", range) { $0.integer(0) }
    for song in songs { try remove(song: song) }
    try rows("DELETE FROM others WHERE path >= ? AND path < ?", range)
    for table in ["names", "groups"] {
      try rows(
        "DELETE FROM \(table) WHERE folder IN (SELECT id FROM folders WHERE path = ? OR path >= ? AND path < ?)",
        [.bytes(path)] + range)
    }
    try rows("DELETE FROM folders WHERE path >= ? AND path < ?", range)
    try rows("DELETE FROM folders WHERE path = ?", [.bytes(path)])
    (hasChanged, hasRemoved) = (true, true)
  }

  private func orderFolders() throws(DatabaseError) {
    var folders = try rows("SELECT path, id, position FROM folders", []) { row in
      let names = row.bytes(0).split(separator: UInt8(ascii: "/")).map { NaturalOrder(Array($0)) }
      return (order: names, id: row.integer(1), position: row.integer(2))
    }
    folders.sort { $0.order.lexicographicallyPrecedes($1.order) }
    let update = try database.statement("UPDATE folders SET position = ? WHERE id = ?")
    for (index, folder) in folders.enumerated() where folder.position != index {
      try update.run(.integer(Int64(index)), .integer(folder.id))
    }
  }

  // MARK: Files

  /// Returns the recorded files of this folder, by path.
  func files(in folder: Int64) throws(DatabaseError) -> [[UInt8]: KnownFile] {
    var files: [[UInt8]: KnownFile] = [:]
    try rows("SELECT path, id, changed, size FROM songs WHERE folder = ?", [.integer(folder)]) {
      files[$0.bytes(0)] = KnownFile(song: $0.integer(1), changed: $0.integer(2), size: $0.integer(3))
    }
    try rows("SELECT path, changed, size FROM others WHERE folder = ?", [.integer(folder)]) {
      files[$0.bytes(0)] = KnownFile(song: nil, changed: $0.integer(1), size: $0.integer(2))
    }
    return files
  }

  func remove(_ path: [UInt8], _ known: KnownFile) throws(DatabaseError) {
    if let song = known.song {
      try remove(song: song)
    } else {
      try rows("DELETE FROM others WHERE path = ?", [.bytes(path)])
    }
    (hasChanged, hasRemoved) = (true, true)
  }

  private func remove(song: Int64) throws(DatabaseError) {
    let metadata = try rows("SELECT metadata FROM songs WHERE id = ?", [.integer(song)]) { $0.bytes(0) }
    for tag in Self.searchable(metadata.first.flatMap { SongMetadata(encoded: $0) } ?? SongMetadata()) {
      for text in tag.texts {
        try deleteTag.run(.integer(Int64(tag.type.index)), .integer(try number(of: text)), .integer(song))
      }
    }
    try rows("DELETE FROM songs WHERE id = ?", [.integer(song)])
  }

  /// Adds a playlist, or a file that is named like a song and contains no audio. If the file could not be
  /// read, `status` is nil. The row then gets a size that no file has, so that the next scan reads the file.
  func add(other path: [UInt8], to folder: Int64, _ status: FileStatus?, isPlaylist: Bool)
    throws(DatabaseError)
  {
    try rows(
      "INSERT OR REPLACE INTO others VALUES(?, ?, ?, ?, ?)",
      [
        .bytes(path), .integer(folder),
        .integer(status?.changed ?? 0), .integer(status?.size ?? -1), .integer(isPlaylist ? 1 : 0),
      ])
    hasChanged = true
  }

  /// Adds a song with its tags, under its previous number, if any, because the rest of a long reply may refer
  /// to it. The folder counts as not arranged until `arrangeSongs`.
  func add(
    song path: [UInt8], as known: Int64?, to folder: Int64, _ status: FileStatus, _ metadata: SongMetadata
  ) throws(DatabaseError) {
    let tags = Self.searchable(metadata)
    let tagged = tags.reduce(0) { $0 | Int64(1) << Int64($1.type.index) }
    try insertSong.run(
      known.map { .integer($0) } ?? .null, .integer(folder), .integer(.max), .bytes(path),
      .integer(status.changed), .integer(status.size),
      .integer(metadata.modified ?? 0), .real(metadata.duration ?? 0),
      .integer(Int64(metadata.sampleRate ?? 0)),
      .integer(Int64(metadata.channels ?? 0)), .integer(tagged), .bytes(metadata.encoded))
    let song = database.lastRow
    // Until the folder is arranged again, possibly after a restart, searches for names examine its songs
    // instead.
    try rows("DELETE FROM names WHERE folder = ?", [.integer(folder)])
    for (type, texts) in tags {
      for text in texts {
        try insertTag.run(.integer(Int64(type.index)), .integer(try number(of: text)), .integer(song))
      }
    }
    hasChanged = true
  }

  /// Returns the values by which filters find a song, for each tag: its own values, or those of the first substitute
  /// that the song has. Tags without either are left out.
  private static func searchable(_ metadata: SongMetadata) -> [(type: TagType, texts: [[UInt8]])] {
    var own: [TagType: [[UInt8]]] = [:]
    for tag in metadata.tags { own[tag.type, default: []].append(tag.value.bytes) }
    return TagType.allCases.compactMap { type in
      ([type] + type.substitutes).lazy.compactMap { own[$0] }.first.map { (type, $0) }
    }
  }

  private func number(of text: [UInt8]) throws(DatabaseError) -> Int64 {
    if let number = texts[text] { return number }
    let found = try findText.rows([.bytes(text)]) { $0.integer(0) }.first
    if found == nil { try insertText.run(.bytes(text)) }
    let number = found ?? database.lastRow
    if texts.count >= Self.textLimit { texts = [:] }
    texts[text] = number
    return number
  }

  /// Whether no song was added to the folder since its songs were arranged.
  func isArranged(_ folder: Int64) throws(DatabaseError) -> Bool {
    try integer("SELECT 1 FROM names WHERE folder = ?", .integer(folder)) != nil
  }

  /// Sorts the songs of a folder by album, disc, track and name, and renews its rows in `names` and `groups`.
  /// Required after songs of the folder were added or removed.
  func arrangeSongs(in folder: Int64) throws(DatabaseError) {
    struct Key: Comparable {
      let album: NaturalOrder
      let disc: Int64
      let track: Int64
      let name: NaturalOrder

      static func < (left: Key, right: Key) -> Bool {
        (left.album, left.disc, left.track, left.name) < (right.album, right.disc, right.track, right.name)
      }
    }
    var songs: [(key: Key, id: Int64, position: Int64)] = []
    var names: [UInt8] = []
    var groups: [SongMetadata: (songs: Int64, duration: Double)] = [:]
    try rows("SELECT path, metadata, id, position FROM songs WHERE folder = ?", [.integer(folder)]) {
      row in
      let metadata = SongMetadata(encoded: row.bytes(1)) ?? SongMetadata()
      func number(_ type: TagType) -> Int64 { Argument.Number(metadata.first(type)[...])?.value ?? 0 }
      // Without the extension, "Song" sorts before "Song 2".
      let name = MediaPath.stem(of: Array(LibraryPath.name(of: row.bytes(0))))
      let key = Key(
        album: NaturalOrder(metadata.first(.album)), disc: number(.disc), track: number(.track),
        name: NaturalOrder(name))
      songs.append((key, row.integer(2), row.integer(3)))
      names += Argument(row.bytes(0)).foldingCase().bytes
      names.append(0x0A)
      let group = SongMetadata(tags: metadata.tags.filter { LibraryReader.groupTags.contains($0.type) })
      groups[group, default: (0, 0)].songs += 1
      groups[group, default: (0, 0)].duration += metadata.duration ?? 0
    }
    try rows("INSERT OR REPLACE INTO names VALUES(?, ?)", [.integer(folder), .bytes(names)])
    try rows("DELETE FROM groups WHERE folder = ?", [.integer(folder)])
    for (metadata, group) in groups {
      try rows(
        "INSERT INTO groups(folder, songs, duration, metadata) VALUES(?, ?, ?, ?)",
        [.integer(folder), .integer(group.songs), .real(group.duration), .bytes(metadata.encoded)])
    }
    songs.sort { $0.key < $1.key }
    let update = try database.statement("UPDATE songs SET position = ? WHERE id = ?")
    for (index, song) in songs.enumerated() where song.position != index {
      try update.run(.integer(Int64(index)), .integer(song.id))
    }
  }
}
