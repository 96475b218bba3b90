internal import CThreads
package import ControlProtocol
package import Jukebox
internal import Synchronization

package struct LibrarySong: Sendable {
  package let path: [UInt8]
  package let metadata: SongMetadata
}

package struct LibraryEntry: Hashable, Sendable {
  /// The path, relative to the music directory.
  package let path: [UInt8]
  /// The time of the last change, in seconds since 1970.
  package let modified: Int64
}

package struct LibraryFigures: Hashable, Sendable {
  /// The numbers of artists, albums and songs.
  package var artists = 0
  package var albums = 0
  package var songs = 0
  /// The total duration of all songs, in seconds.
  package var playtime: Int64 = 0
  /// The time at which a scan last recorded changes, in seconds since 1970.
  package var updated: Int64 = 0
}

/// Answers queries about the library. Used by one thread at a time; blocks on the disk.
package final class LibraryReader: Sendable {
  private let database: Database
  private let answers = Mutex(KeptAnswers())

  init(_ database: consuming Database) throws(DatabaseError) {
    // Several readers may exist, and SQLite's cache duplicates the system's cache, so 1 MB each is enough.
    try database.run("PRAGMA cache_size = -1000")
    try database.run("PRAGMA query_only = 1")
    self.database = database
  }

  /// Returns the result of `body`, whose queries all see the same state of the library, and share a new
  /// budget. A query ends with an error once `interruption` returns a reason. After an error the reader must
  /// not be used again.
  func read<Result>(
    _ interruption: @escaping @Sendable () -> String?, _ body: (LibraryReader) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    database.question.begin(interruption)
    try database.run("BEGIN")
    let result = try body(self)
    try database.run("COMMIT")
    return result
  }

  // MARK: Songs

  /// The number of songs read between two checks for an interruption. Each song takes some ten microseconds.
  private static let songsBetweenLooks = 100

  /// The sort key of songs in a walk through all folders.
  private static let walk = "(SELECT position FROM folders WHERE folders.id = songs.folder), position"

  /// Returns the songs that match a query, as numbers for `songs(_:)`.
  package func find(_ query: SongQuery, foldsCase: Bool) throws(DatabaseError) -> [Int64] {
    let condition = SongCondition(query.filter, foldsCase: foldsCase)
    let start = Int64(query.window?.lowerBound ?? 0)
    let count = query.window?.upperBound.map { Int64($0) - start } ?? -1
    if let order = query.order {
      let ids = try sorted(condition, order)
      let lower = min(Int(start), ids.count)
      return Array(ids[lower..<(count < 0 ? ids.count : min(lower + Int(count), ids.count))])
    }
    return try database.rows(
      "SELECT id FROM songs WHERE \(condition.text) ORDER BY \(Self.walk) LIMIT ? OFFSET ?",
      condition.values + [.integer(count), .integer(start)]
    ) { $0.integer(0) }
  }

  private func sorted(_ condition: SongCondition, _ order: SongQuery.Order) throws(DatabaseError) -> [Int64] {
    guard let tag = order.tag else {
      return try database.rows(
        "SELECT id FROM songs WHERE \(condition.text) ORDER BY modified \(order.isDescending ? "DESC" : ""), \(Self.walk)",
        condition.values
      ) { $0.integer(0) }
    }
    let isNumber = tag == .track || tag == .disc
    var songs = try database.rows(
      "SELECT id, metadata FROM songs WHERE \(condition.text) ORDER BY \(Self.walk)", condition.values
    ) { row in
      let key = SongMetadata(encoded: row.bytes(1))?.first(tag) ?? []
      return (
        key: isNumber ? [] : key, number: isNumber ? Argument.Number(key[...])?.value ?? 0 : 0,
        id: row.integer(0)
      )
    }
    // Swift's sort is stable: songs with equal keys keep the order of the walk.
    songs.sort { left, right in
      let (first, second) = order.isDescending ? (right, left) : (left, right)
      return isNumber ? first.number < second.number : first.key.lexicographicallyPrecedes(second.key)
    }
    return songs.map(\.id)
  }

  /// Returns the songs with these numbers, in this order. Songs that no longer exist are left out.
  package func songs(_ ids: some Sequence<Int64>) throws(DatabaseError) -> [LibrarySong] {
    let statement = try database.statement("SELECT path, metadata FROM songs WHERE id = ?")
    var songs: [LibrarySong] = []
    for id in ids {
      // Checked here, because SQLite counts its instructions from zero for each statement and would never
      // call the progress handler.
      let isLook = songs.count % Self.songsBetweenLooks == Self.songsBetweenLooks - 1
      if isLook, database.question.isInterrupted(), let refusal = database.question.refusal {
        throw .refused(refusal)
      }
      songs += try statement.rows([.integer(id)], Self.song)
    }
    return songs
  }

  package func song(_ path: [UInt8]) throws(DatabaseError) -> LibrarySong? {
    try database.rows("SELECT path, metadata FROM songs WHERE path = ?", [.bytes(path)], Self.song).first
  }

  private static func song(_ row: DatabaseRow) throws(DatabaseError) -> LibrarySong {
    guard let metadata = SongMetadata(encoded: row.bytes(1)) else {
      throw .damaged("a song's tags are damaged")
    }
    return LibrarySong(path: row.bytes(0), metadata: metadata)
  }

  // MARK: Folders

  package func folder(_ path: [UInt8]) throws(DatabaseError) -> Int64? {
    try database.integer("SELECT id FROM folders WHERE path = ?", .bytes(path))
  }

  /// Returns the numbers of the folder with this path and of all folders below it, in order.
  package func folders(from path: [UInt8]) throws(DatabaseError) -> [Int64] {
    try database.rows(
      "SELECT id FROM folders WHERE path = ? OR path >= ? AND path < ? ORDER BY position",
      [.bytes(path)] + LibraryPath.range(below: path)
    ) { $0.integer(0) }
  }

  package func entry(ofFolder folder: Int64) throws(DatabaseError) -> LibraryEntry? {
    try entries("SELECT path, modified FROM folders WHERE id = ?", folder).first
  }

  package func folders(in folder: Int64) throws(DatabaseError) -> [LibraryEntry] {
    try entries("SELECT path, modified FROM folders WHERE parent = ? ORDER BY position", folder)
  }

  /// Returns the playlists in a folder, in order of their paths.
  package func playlists(in folder: Int64) throws(DatabaseError) -> [LibraryEntry] {
    try entries(
      "SELECT path, changed / 1000000000 FROM others WHERE folder = ? AND playlist ORDER BY path", folder)
  }

  /// Returns the songs in a folder, as numbers for `songs(_:)`, in order.
  package func songs(in folder: Int64) throws(DatabaseError) -> [Int64] {
    try database.rows("SELECT id FROM songs WHERE folder = ? ORDER BY position", [.integer(folder)]) {
      $0.integer(0)
    }
  }

  private func entries(_ query: String, _ folder: Int64) throws(DatabaseError) -> [LibraryEntry] {
    try database.rows(query, [.integer(folder)]) { LibraryEntry(path: $0.bytes(0), modified: $0.integer(1)) }
  }

  // MARK: Tags

  /// Returns the paths of the songs that match a filter, in the order of a walk through all folders.
  package func paths(_ filter: FilterExpression?) throws(DatabaseError) -> [[UInt8]] {
    let condition = SongCondition(filter ?? .all([]), foldsCase: false)
    return try database.rows(
      "SELECT path FROM songs WHERE \(condition.text) ORDER BY \(Self.walk)", condition.values
    ) { $0.bytes(0) }
  }

  /// Calls `body` with each distinct combination of these tags' values among the songs of a filter, in byte
  /// order. A song without a tag has an empty value.
  package func forEachValues(
    of types: [TagType], _ filter: FilterExpression?, _ body: ([[UInt8]]) -> Void
  ) throws(DatabaseError) {
    let isGrouped = filter == nil && types.allSatisfy(Self.isGrouped)
    if types.count == 1, filter == nil, !isGrouped { return try forEachValue(of: types[0]) { body([$0]) } }
    var rows = ValueRows(of: types)
    if isGrouped {
      try forEachGroup { metadata, _ in rows.add(metadata) }
    } else {
      try forEachSong(filter) { metadata, _ in rows.add(metadata) }
    }
    rows.forEachSorted(body)
  }

  /// The tags by which songs are grouped. An album's songs usually share them; a folder stores each
  /// combination once.
  static let groupTags: Set<TagType> = [
    .artist, .artistSort, .album, .albumSort, .albumArtist, .albumArtistSort, .date, .originalDate, .genre,
    .disc, .label,
  ]

  private static func isGrouped(_ type: TagType) -> Bool {
    groupTags.contains(type) && type.substitutes.allSatisfy(groupTags.contains)
  }

  private func forEachGroup(_ body: (SongMetadata, Count) -> Void) throws(DatabaseError) {
    try database.statement("SELECT metadata, songs, duration FROM groups").forEach([]) { row in
      guard let metadata = SongMetadata(encoded: row.bytes(0)) else { return }
      body(metadata, Count(songs: Int(row.integer(1)), seconds: row.real(2)))
    }
  }

  private func forEachValue(of type: TagType, _ body: ([UInt8]) -> Void) throws(DatabaseError) {
    let bit = Int64(1) << Int64(type.index)
    if try database.integer("SELECT 1 FROM songs WHERE tagged & \(bit) = 0 LIMIT 1") != nil { body([]) }
    // Steps from one distinct text to the next by the index.
    try database.statement(
      """
      WITH RECURSIVE present(text) AS (SELECT min(text) FROM tags WHERE type = ?1 UNION ALL
      SELECT (SELECT min(text) FROM tags WHERE type = ?1 AND tags.text > present.text) FROM present
      WHERE text IS NOT NULL)
      SELECT texts.text FROM present CROSS JOIN texts ON texts.id = present.text ORDER BY 1
      """
    ).forEach([.integer(Int64(type.index))]) { body($0.bytes(0)) }
  }

  /// A number of songs, and their total duration in seconds.
  package struct Count: Hashable, Sendable {
    package var songs = 0
    package var seconds = 0.0
  }

  package func count(_ filter: FilterExpression) throws(DatabaseError) -> Count {
    let condition = SongCondition(filter, foldsCase: false)
    return try database.rows(
      "SELECT count(*), total(duration) FROM songs WHERE \(condition.text)", condition.values
    ) { Count(songs: Int($0.integer(0)), seconds: $0.real(1)) }.first ?? Count()
  }

  /// Returns the count of the songs that match a filter for each value of a tag, in byte order of the values.
  package func count(
    _ filter: FilterExpression?, by type: TagType
  ) throws(DatabaseError) -> [(value: [UInt8], count: Count)] {
    var counts: [[UInt8]: Count] = [:]
    let add = { (metadata: SongMetadata, count: Count) in
      for value in metadata.values(of: type) {
        counts[value, default: Count()].songs += count.songs
        counts[value, default: Count()].seconds += count.seconds
      }
    }
    if filter == nil, Self.isGrouped(type) {
      try forEachGroup(add)
    } else {
      try forEachSong(filter) { metadata, seconds in add(metadata, Count(songs: 1, seconds: seconds)) }
    }
    return counts.map { (value: $0, count: $1) }.sorted { $0.value.lexicographicallyPrecedes($1.value) }
  }

  private func forEachSong(
    _ filter: FilterExpression?, _ body: (SongMetadata, Double) -> Void
  ) throws(DatabaseError) {
    let condition = SongCondition(filter ?? .all([]), foldsCase: false)
    try database.statement("SELECT metadata, duration FROM songs WHERE \(condition.text)").forEach(
      condition.values
    ) { row in if let metadata = SongMetadata(encoded: row.bytes(0)) { body(metadata, row.real(1)) } }
  }

  // MARK: Answers

  /// Returns the reply of `make`, or a copy kept since an earlier call. Keeps recent long replies until the library
  /// changes, since clients request complete listings each time that they show them.
  package func answer(
    to command: Command.Database, _ make: () throws(DatabaseError) -> Reply
  ) throws(DatabaseError) -> Reply {
    // Changes whenever another connection has written. Read before the reply is made, so that the next
    // command sees a concurrent change.
    let version = try database.integer("PRAGMA data_version")
    if let kept = answers.withLock({ $0.reply(to: command, version) }) { return kept }
    let reply = try make()
    // Making the reply takes megabytes of heap, which glibc would keep for this thread.
    if answers.withLock({ $0.keep(reply, to: command, version) }) { _ = continuo_malloc_trim(0) }
    return reply
  }

  // MARK: Figures

  /// Returns the statistics of the whole library; nil until a scan has recorded them.
  func figures() throws(DatabaseError) -> LibraryFigures? {
    var values: [String: Int64] = [:]
    try database.statement("SELECT name, value FROM about").forEach([]) {
      values[String(decoding: $0.bytes(0), as: UTF8.self)] = $0.integer(1)
    }
    guard let updated = values["updated"] else { return nil }
    return LibraryFigures(
      artists: Int(values["artists"] ?? 0), albums: Int(values["albums"] ?? 0),
      songs: Int(values["songs"] ?? 0), playtime: values["playtime"] ?? 0, updated: updated)
  }
}
