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
    /// Seconds after which others see what was found, and times as many as it takes to put a folder of very many songs in
    /// order for them.
    static let transaction = 0.5
    static let transactionRatio = 10.0
    /// Seconds after which others are told of it, twice as many each time: each of them reads everything again.
    static let progress = 1.0...30.0
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
  private let onProgress: () -> Void

  /// How often each folder was met in a walk.
  private var appearances: [FileStatus.Identity: Int] = [:]
  /// The folders that were looked into without those below them: many that are gone lead to the same one above.
  private var shallow: Set<[UInt8]> = []
  /// When others see what was found the next time, when they are told of it, and the seconds until the time after that.
  private var transactionEnd: Double
  private var progressDue: Double
  private var progressInterval = Limits.progress.lowerBound

  /// A folder that is a link, and the folders above it.
  private struct Link {
    let path: [UInt8]
    let above: [FileStatus.Identity]
  }

  /// Links that are followed when all else has been read: the songs of the home come first.
  private var links: [Link] = []
  private var linkAllowance: LinkAllowance
  /// The link that is followed, and when it was entered.
  private var link: (path: [UInt8], since: Double)?
  private let kernelFiles = KernelFileSystems()
  /// The first of what could not be read, and how many more there are.
  private var problems: (first: String, more: Int)?

  /// A run for `writer`; folders are told to `watch` before they are read.
  ///
  /// - Parameters:
  ///   - rereads: Whether files are read that have not changed.
  ///   - seconds: A clock.
  ///   - linkAllowance: What is read of folders that links lead to.
  ///   - isCancelled: Asked before each file.
  ///   - onProgress: Called when more of what was found can be seen, ever more seldom.
  init(
    _ writer: LibraryWriter, home: MediaPath, watch: FolderWatch?, rereads: Bool,
    linkAllowance: LinkAllowance = LinkAllowance(), seconds: @escaping () -> Double,
    isCancelled: @escaping () -> Bool, onProgress: @escaping () -> Void = {}
  ) {
    self.writer = writer
    self.home = home
    self.watch = watch
    self.rereads = rereads
    self.seconds = seconds
    self.isCancelled = isCancelled
    self.onProgress = onProgress
    self.linkAllowance = linkAllowance
    transactionEnd = seconds() + Limits.transaction
    progressDue = seconds() + Limits.progress.lowerBound
  }

  /// What could not be read, in words; nil if all was.
  var problem: String? {
    problems.map { $0.more == 0 ? $0.first : "\($0.first) (and \($0.more) more)" }
  }

  /// Looks into a folder, or the folder of a file, or where neither is there any more into the next one above. Within a
  /// transaction of the writer's.
  ///
  /// - Parameter isDeep: Whether folders that are known are looked into too.
  mutating func scan(_ path: [UInt8], isDeep: Bool) throws(Interruption) {
    var (folder, isDeep) = (path, isDeep)
    while (try? FileStatus(of: location(folder)))?.type != S_IFDIR {
      // What was known stays: a disk that was taken away comes back.
      guard !folder.isEmpty else { return report(home, .system(ENOENT)) }
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
    let real = try? location(folder).resolvingLinks()
    if let real, real != location(folder) {
      try follow(Link(path: folder, above: above), isDeep: isDeep)
    } else {
      try scan(folder, above: above, isDeep: isDeep)
    }
    try followLinks()
  }

  private func location(_ path: [UInt8]) -> MediaPath { path.isEmpty ? home : home.appending(path) }

  private mutating func scan(
    _ folder: [UInt8], above: [FileStatus.Identity], isDeep: Bool
  ) throws(Interruption) {
    // What was known stays where a link's allowance has ended.
    if link != nil, linkAllowance.refusal != nil { return }
    let status: FileStatus
    let entries: FolderEntries
    do throws(FileBytes.Problem) {
      status = try FileStatus(of: location(folder))
      if !above.isEmpty, kernelFiles.contains(status.identity) { throw .ofTheKernel }
      // Before it is read, so that nothing is missed. Behind links only where there is music: a link to / would have every
      // change on the machine looked at.
      if link == nil || (try? writer.hasFolder(folder)) == true { watch?.add(folder) }
      entries = try self.entries(of: folder)
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
      guard try writer.hasFolder(folder) else { return }
      _ = try writer.folder(folder, modified: modified)
      if link != nil { watch?.add(folder) }
    }
  }

  private mutating func entries(of folder: [UInt8]) throws(FileBytes.Problem) -> FolderEntries {
    guard let link else { return try FolderEntries(of: location(folder), excluding: kernelFiles) }
    var allowance = linkAllowance
    defer { linkAllowance = allowance }
    let entries = try FolderEntries(of: location(folder), excluding: kernelFiles) { [seconds, isCancelled] in
      isCancelled() ? "cancelled" : allowance.takeName(seconds() - link.since)
    }
    allowance.add(songs: entries.songs.count)
    return entries
  }

  // MARK: Links

  private mutating func followLinks() throws(Interruption) {
    // Those that are met on the way are added behind.
    var index = 0
    while index < links.count, linkAllowance.refusal == nil {
      if isCancelled() { throw .cancelled }
      let link = links[index]
      index += 1
      try follow(link, isDeep: true)
      // The folders above are known now if something was found.
      var parent = link.path
      while !parent.isEmpty {
        parent = LibraryPath.folder(of: parent)
        try inDatabase { [parent] () throws(DatabaseError) -> Void in
          guard try writer.hasFolder(parent), let status = try? FileStatus(of: location(parent)) else {
            return
          }
          _ = try writer.folder(parent, modified: status.changed / 1_000_000_000)
        }
      }
      try share()
    }
    links = []
  }

  private mutating func follow(_ link: Link, isDeep: Bool) throws(Interruption) {
    guard linkAllowance.refusal == nil else { return }
    let start = seconds()
    self.link = (link.path, start)
    try scan(link.path, above: link.above, isDeep: isDeep)
    self.link = nil
    linkAllowance.take(seconds: seconds() - start)
    if let refusal = linkAllowance.refusal {
      report(location(link.path), .interrupted("\(refusal); the rest of it is left out"))
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
      try share(arranging: id)
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
      if isDeep || !isKnown {
        if entries.linkedFolders.contains(name) {
          links.append(Link(path: path, above: above))
        } else {
          try scan(path, above: above, isDeep: true)
        }
      }
      try share()
    }
    for path in gone { try inDatabase { () throws(DatabaseError) in try writer.remove(folder: path) } }
  }

  /// A folder that cannot be looked into. If it has vanished it is forgotten, else what was known stays.
  private mutating func skip(_ folder: [UInt8], because reason: FileBytes.Problem) throws(Interruption) {
    if reason == .system(ENOENT) || reason == .system(ENOTDIR), !folder.isEmpty {
      try inDatabase { () throws(DatabaseError) in try forget(folder) }
    } else if link == nil || linkAllowance.refusal == nil {
      if isCancelled() { throw .cancelled }
      report(location(folder), reason)
    }
  }

  private mutating func report(_ path: MediaPath, _ reason: FileBytes.Problem) {
    if let problems {
      self.problems = (problems.first, problems.more + 1)
    } else {
      problems = ("\(path): \(reason)", 0)
    }
  }

  private func forget(_ folder: [UInt8]) throws(DatabaseError) {
    guard !folder.isEmpty else { return }
    if try writer.hasFolder(folder) { try writer.remove(folder: folder) }
  }

  // MARK: The database

  /// Shows others what was found, from time to time; in the midst of a folder, its songs in order.
  private mutating func share(arranging folder: Int64? = nil) throws(Interruption) {
    let now = seconds()
    guard now >= transactionEnd else { return }
    let isNews = now >= progressDue && writer.hasChanged
    try inDatabase { () throws(DatabaseError) in
      if let folder { try writer.arrangeSongs(in: folder) }
      if isNews { try writer.noteFigures() }
      try writer.commit()
      try writer.begin()
    }
    let end = seconds()
    transactionEnd = end + max(Limits.transaction, Limits.transactionRatio * (end - now))
    guard isNews else { return }
    progressInterval = min(progressInterval * 2, Limits.progress.upperBound)
    progressDue = end + progressInterval
    onProgress()
  }

  private func inDatabase<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(Interruption) -> Result {
    do throws(DatabaseError) { return try body() } catch { throw .database(error) }
  }
}
