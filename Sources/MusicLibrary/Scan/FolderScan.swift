internal import Glibc
internal import Jukebox
internal import MusicFiles

/// One run through the home directory, or a part of it: finds what is new, changed and gone, and reads only that.
struct FolderScan {
  /// Bounds, so that no arrangement of links can fill the disk or the day.
  private enum Limits {
    /// Folders in folders, as where a queue is built of folders.
    static let depth = 64
    /// How often one folder is taken, where several links lead to it.
    static let appearances = 4
    /// Seconds after which others see what was found.
    static let transaction = 0.5
  }

  /// Why a run ended before its end.
  enum Interruption: Error {
    /// Nobody wants it any more.
    case cancelled
    /// The database did not take what was found.
    case database(DatabaseError)
  }

  private let writer: LibraryWriter
  private let home: MediaPath
  private let watch: FolderWatch?
  private let rereads: Bool
  private let seconds: () -> Double
  private let isCancelled: () -> Bool

  /// How often each folder was met in a walk.
  private var appearances: [FileStatus.Identity: Int] = [:]
  /// The folders that were looked into without those below them: many that are gone lead to the same one above.
  private var shallow: Set<[UInt8]> = []
  private var transactionStart: Double
  /// The first thing that could not be looked into.
  private(set) var problem: (path: MediaPath, reason: FileBytes.Problem)?

  /// A run for `writer`; folders are told to `watch` before they are read.
  ///
  /// - Parameters:
  ///   - rereads: Whether files are read that have not changed.
  ///   - seconds: A clock.
  ///   - isCancelled: Asked before each file.
  init(
    _ writer: LibraryWriter, home: MediaPath, watch: FolderWatch?, rereads: Bool,
    seconds: @escaping () -> Double, isCancelled: @escaping () -> Bool
  ) {
    self.writer = writer
    self.home = home
    self.watch = watch
    self.rereads = rereads
    self.seconds = seconds
    self.isCancelled = isCancelled
    transactionStart = seconds()
  }

  /// Looks into a folder, or the folder of a file, or where neither is there any more into the next one above. Within a
  /// transaction of the writer's.
  ///
  /// - Parameter isDeep: Whether folders that are known are looked into too.
  mutating func scan(_ path: [UInt8], isDeep: Bool) throws(Interruption) {
    var (folder, isDeep) = (path, isDeep)
    while (try? FileStatus(of: location(folder)))?.type != S_IFDIR {
      // What was known stays: a disk that was taken away comes back.
      guard !folder.isEmpty else { return problem = (home, .system(ENOENT)) }
      (folder, isDeep) = (LibraryPath.folder(of: folder), false)
    }
    if !isDeep, !shallow.insert(folder).inserted { return }
    appearances = [:]
    var above: [FileStatus.Identity] = []
    var parent = folder
    while !parent.isEmpty {
      parent = LibraryPath.folder(of: parent)
      if let status = try? FileStatus(of: location(parent)) { above.append(status.identity) }
    }
    try scan(folder, above: above, isDeep: isDeep)
  }

  private func location(_ path: [UInt8]) -> MediaPath { path.isEmpty ? home : home.appending(path) }

  private mutating func scan(
    _ folder: [UInt8], above: [FileStatus.Identity], isDeep: Bool
  ) throws(Interruption) {
    // Before it is read, so that nothing is missed.
    watch?.add(folder)
    let status: FileStatus
    let entries: FolderEntries
    do throws(FileBytes.Problem) {
      status = try FileStatus(of: location(folder))
      entries = try FolderEntries(of: location(folder))
    } catch {
      return try skip(folder, because: error)
    }
    // A link that leads back up, or once more to where others have led.
    if above.contains(status.identity) || above.count >= Limits.depth
      || appearances[status.identity, default: 0] >= Limits.appearances
    {
      return try inDatabase { () throws(DatabaseError) in try forget(folder) }
    }
    appearances[status.identity, default: 0] += 1
    let modified = status.changed / 1_000_000_000
    try scanFiles(in: folder, entries, modified: modified)
    try scanFolders(in: folder, entries, above + [status.identity], isDeep)
    // It is known now if something was found below it.
    try inDatabase { () throws(DatabaseError) in
      if try writer.hasFolder(folder) { _ = try writer.folder(folder, modified: modified) }
    }
  }

  // MARK: Files

  private mutating func scanFiles(
    in folder: [UInt8], _ entries: FolderEntries, modified: Int64
  ) throws(Interruption) {
    let hasFiles = !entries.songs.isEmpty || !entries.playlists.isEmpty
    let (id, files, isArranged) = try inDatabase {
      () throws(DatabaseError) -> (Int64, [[UInt8]: LibraryWriter.KnownFile], Bool) in
      if !hasFiles { guard try writer.hasFolder(folder) else { return (0, [:], true) } }
      let id = try writer.folder(folder, modified: modified)
      let isArranged = try writer.isArranged(id)
      return (id, try writer.files(in: id), isArranged || entries.songs.isEmpty)
    }
    var gone = files
    // Not arranged: a scan was ended in the midst of the folder.
    var hasChanged = !isArranged
    for (name, isPlaylist) in entries.songs.map({ ($0, false) }) + entries.playlists.map({ ($0, true) }) {
      let path = LibraryPath.path(folder, name)
      // What vanishes meanwhile is gone.
      guard let status = try? FileStatus(of: location(path)) else { continue }
      let known = gone.removeValue(forKey: path)
      if let known, known.isSame(as: status), !rereads { continue }
      if isCancelled() { throw .cancelled }
      let metadata = isPlaylist ? nil : SongMetadata(path: location(path).bytes)
      hasChanged = true
      try inDatabase { () throws(DatabaseError) in
        if let known { try writer.remove(path, known) }
        // With the status from before it was read: a file that is being rewritten is seen to have changed next time.
        if let metadata, metadata.sampleRate != nil {
          try writer.add(song: path, to: id, status, metadata)
        } else {
          try writer.add(other: path, to: id, status, isPlaylist: isPlaylist)
        }
      }
      try share()
    }
    for (path, known) in gone {
      hasChanged = true
      try inDatabase { () throws(DatabaseError) in try writer.remove(path, known) }
    }
    if hasChanged { try inDatabase { () throws(DatabaseError) in try writer.arrangeSongs(in: id) } }
  }

  // MARK: Folders

  private mutating func scanFolders(
    in folder: [UInt8], _ entries: FolderEntries, _ above: [FileStatus.Identity], _ isDeep: Bool
  ) throws(Interruption) {
    var gone = try inDatabase { () throws(DatabaseError) in try writer.folders(in: folder) }
    for name in entries.folders {
      if isCancelled() { throw .cancelled }
      let path = LibraryPath.path(folder, name)
      let isKnown = gone.remove(path) != nil
      if isDeep || !isKnown { try scan(path, above: above, isDeep: true) }
      try share()
    }
    for path in gone { try inDatabase { () throws(DatabaseError) in try writer.remove(folder: path) } }
  }

  /// A folder that cannot be looked into. If it has vanished it is forgotten, else what was known stays.
  private mutating func skip(_ folder: [UInt8], because reason: FileBytes.Problem) throws(Interruption) {
    if reason == .system(ENOENT) || reason == .system(ENOTDIR), !folder.isEmpty {
      try inDatabase { () throws(DatabaseError) in try forget(folder) }
    } else if problem == nil {
      problem = (location(folder), reason)
    }
  }

  private func forget(_ folder: [UInt8]) throws(DatabaseError) {
    guard !folder.isEmpty else { return }
    if try writer.hasFolder(folder) { try writer.remove(folder: folder) }
  }

  // MARK: The database

  /// Shows others what was found, from time to time.
  private mutating func share() throws(Interruption) {
    guard seconds() - transactionStart > Limits.transaction else { return }
    try inDatabase { () throws(DatabaseError) in
      try writer.commit()
      try writer.begin()
    }
    transactionStart = seconds()
  }

  private func inDatabase<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(Interruption) -> Result {
    do throws(DatabaseError) { return try body() } catch { throw .database(error) }
  }
}
