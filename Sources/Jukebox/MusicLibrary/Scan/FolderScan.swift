internal import Glibc
internal import Jukebox
internal import MusicFiles
internal import SystemSupport

/// A pass over the music directory or a part of it. Finds new, changed and deleted files, and reads only new
/// and changed ones unless `rereads` is set.
struct FolderScan {
  /// Limits that keep any arrangement of links from filling the disk or running for hours.
  private enum Limits {
    static let depth = 64
    /// The maximum number of times that one folder's files are recorded if several links lead to it.
    static let appearances = 4
    /// The minimum time between commits, in seconds, and as a multiple of a commit's duration. Arranging a
    /// folder with very many songs for a commit takes long.
    static let transaction = 0.5
    static let transactionRatio = 10.0
    /// The time between progress notifications, in seconds, doubled after each notification, because every
    /// notified client reads everything again.
    static let progress = 1.0...30.0
  }

  struct Cancellation: Error {}

  private let writer: LibraryWriter
  private let home: MediaPath
  private let watch: FolderWatch?
  private let rereads: Bool
  private let seconds: () -> Double
  private let isCancelled: () -> Bool
  private let onProgress: () -> Void

  private var appearances: [FileStatus.Identity: Int] = [:]
  /// The folders scanned without their known subfolders. Each is scanned once, however many of its files were
  /// deleted.
  private var shallow: Set<[UInt8]> = []
  /// The times of the next commit and progress notification, and the interval after that, in seconds.
  private var transactionEnd: Double
  private var progressDue: Double
  private var progressInterval = Limits.progress.lowerBound

  private struct Link {
    let path: [UInt8]
    let above: [FileStatus.Identity]
  }

  /// Pending links, followed after everything else so that the music directory's own songs come first.
  private var links: [Link] = []
  private var linkAllowance: LinkAllowance
  /// The link in progress, and the time at which it was entered, in seconds.
  private var link: (path: [UInt8], since: Double)?
  private let kernelFiles = KernelFileSystems()
  /// The unplayable sound files in scanned folders, including those that are named like songs.
  private(set) var unplayable = UnplayableFiles()
  /// The first reading problem, and the number of further ones.
  private var problems: (first: String, more: Int)?

  /// Creates a pass that adds folders to `watch`. `rereads` includes unchanged files; `seconds` is a clock. `isCancelled`
  /// is called at least before each subfolder and each file that is read. `onProgress` is called at growing intervals
  /// when further results are visible to readers.
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

  var problem: String? { problems.map { $0.more == 0 ? $0.first : "\($0.first) (and \($0.more) more)" } }

  /// Scans a folder, and with `isDeep` also known subfolders; for a file, its folder; for a path that no
  /// longer exists, the nearest existing folder above. Called within a transaction of the writer, which it
  /// commits from time to time to begin another.
  mutating func scan(_ path: [UInt8], isDeep: Bool) throws {
    var (folder, isDeep) = (path, isDeep)
    while (try? FileStatus(of: location(folder)))?.type != S_IFDIR {
      // Known songs are kept, because a missing disk may be mounted again.
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
  ) throws {
    // Known songs are kept once the allowance for links is used up.
    if link != nil, linkAllowance.refusal != nil { return }
    let status: FileStatus
    let entries: FolderEntries
    do throws(FileBytes.Problem) {
      status = try FileStatus(of: location(folder))
      if !above.isEmpty, kernelFiles.contains(status.identity) { throw .ofTheKernel }
      // Watching starts before reading, so that no change is missed. Folders below links are watched only if
      // they are known to hold music: a link to / would report every change on the machine.
      if link == nil || (try? writer.hasFolder(folder)) == true { watch?.add(folder) }
      entries = try self.entries(of: folder)
    } catch {
      return try skip(folder, because: error)
    }
    // Not scanned: a link back to a folder above, too many levels, or too many links to the same folder.
    if above.contains(status.identity) || above.count >= Limits.depth
      || appearances[status.identity, default: 0] >= Limits.appearances
    {
      return try forget(folder)
    }
    appearances[status.identity, default: 0] += 1
    for name in entries.unplayable { unplayable.add(location(LibraryPath.path(folder, name))) }
    try scanFiles(in: folder, entries, modified: status.modified)
    try scanFolders(in: folder, entries, above + [status.identity], isDeep)
    // The folder has a row now if music was found below it.
    guard try writer.hasFolder(folder) else { return }
    _ = try writer.folder(folder, modified: status.modified)
    if link != nil { watch?.add(folder) }
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

  private mutating func followLinks() throws {
    // Links found during the loop are appended and followed too.
    var index = 0
    while index < links.count, linkAllowance.refusal == nil {
      if isCancelled() { throw Cancellation() }
      let link = links[index]
      index += 1
      try follow(link, isDeep: true)
      // If the link led to music, the writer may have added rows for the folders above, with modification
      // time 0. Set the actual times.
      var parent = link.path
      while !parent.isEmpty {
        parent = LibraryPath.folder(of: parent)
        guard try writer.hasFolder(parent), let status = try? FileStatus(of: location(parent)) else {
          continue
        }
        _ = try writer.folder(parent, modified: status.modified)
      }
      try commitIfDue()
    }
    links = []
  }

  private mutating func follow(_ link: Link, isDeep: Bool) throws {
    guard linkAllowance.refusal == nil else { return }
    let start = seconds()
    self.link = (link.path, start)
    try scan(link.path, above: link.above, isDeep: isDeep)
    self.link = nil
    linkAllowance.take(seconds: seconds() - start)
    if let refusal = linkAllowance.refusal {
      report(location(link.path), .interrupted("\(refusal); remaining entries skipped"))
    }
  }

  // MARK: Files

  private mutating func scanFiles(
    in folder: [UInt8], _ entries: FolderEntries, modified: Int64
  ) throws {
    let hasFiles = !entries.songs.isEmpty || !entries.playlists.isEmpty
    guard try hasFiles || writer.hasFolder(folder) else { return }
    let id = try writer.folder(folder, modified: modified)
    var gone = try writer.files(in: id)
    for (name, reason) in entries.unreadable {
      let path = LibraryPath.path(folder, name)
      if gone.removeValue(forKey: path) != nil { report(location(path), reason) }
    }
    // A scan that was cancelled within this folder has left its songs unarranged.
    var hasChanged = try !writer.isArranged(id) && !entries.songs.isEmpty
    for (name, isPlaylist) in entries.songs.map({ ($0, false) }) + entries.playlists.map({ ($0, true) }) {
      let path = LibraryPath.path(folder, name)
      let status: FileStatus
      do throws(FileBytes.Problem) {
        status = try FileStatus(of: location(path))
      } catch {
        // A known file that has vanished during the scan stays in `gone`. After any other error it is kept.
        if error != .system(ENOENT), error != .system(ENOTDIR) { gone.removeValue(forKey: path) }
        continue
      }
      let known = gone.removeValue(forKey: path)
      if let known, known.isSame(as: status), !rereads {
        if !isPlaylist, known.song == nil { unplayable.add(location(path)) }
        continue
      }
      if isCancelled() { throw Cancellation() }
      let metadata: SongMetadata?
      do throws(FileBytes.Problem) {
        metadata = try isPlaylist ? nil : SongMetadata(reading: location(path).bytes)
      } catch .system(ENOENT) {
        gone[path] = known
        continue
      } catch {
        // The next scan tries again. Until then a known song is kept. A new file gets a row whose status never
        // matches, because a folder without rows would be removed.
        report(location(path), error)
        if known == nil { try writer.add(other: path, to: id, nil, isPlaylist: false) }
        continue
      }
      hasChanged = true
      if let known { try writer.remove(path, known) }
      // Stores the status from before reading, so that the next scan detects a change made during reading.
      if let metadata, metadata.sampleRate != nil {
        try writer.add(song: path, as: known?.song, to: id, status, metadata)
      } else {
        try writer.add(other: path, to: id, status, isPlaylist: isPlaylist)
        if !isPlaylist { unplayable.add(location(path)) }
      }
      try commitIfDue(arranging: id)
    }
    for (path, known) in gone {
      hasChanged = true
      try writer.remove(path, known)
    }
    if hasChanged { try writer.arrangeSongs(in: id) }
  }

  // MARK: Folders

  private mutating func scanFolders(
    in folder: [UInt8], _ entries: FolderEntries, _ above: [FileStatus.Identity], _ isDeep: Bool
  ) throws {
    var gone = try writer.folders(in: folder)
    for (name, reason) in entries.unreadable {
      let path = LibraryPath.path(folder, name)
      if gone.remove(path) != nil { report(location(path), reason) }
    }
    for name in entries.folders {
      if isCancelled() { throw Cancellation() }
      let path = LibraryPath.path(folder, name)
      let isKnown = gone.remove(path) != nil
      if isDeep || !isKnown {
        if entries.linkedFolders.contains(name) {
          links.append(Link(path: path, above: above))
        } else {
          try scan(path, above: above, isDeep: true)
        }
      }
      try commitIfDue()
    }
    for path in gone { try writer.remove(folder: path) }
  }

  /// Removes a folder, other than the music directory, that no longer exists. Otherwise keeps its songs, and reports the
  /// reason unless the allowance for links is used up.
  private mutating func skip(_ folder: [UInt8], because reason: FileBytes.Problem) throws {
    if reason == .system(ENOENT) || reason == .system(ENOTDIR), !folder.isEmpty {
      try forget(folder)
    } else if link == nil || linkAllowance.refusal == nil {
      if isCancelled() { throw Cancellation() }
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

  // MARK: Commits

  /// Commits the results so far for readers if a commit is due. Before that, arranges the songs of `folder`,
  /// the folder in progress.
  private mutating func commitIfDue(arranging folder: Int64? = nil) throws {
    let now = seconds()
    guard now >= transactionEnd else { return }
    let isNews = now >= progressDue && writer.hasChanged
    if let folder { try writer.arrangeSongs(in: folder) }
    if isNews { try writer.noteFigures() }
    try writer.commit()
    try writer.begin()
    let end = seconds()
    transactionEnd = end + max(Limits.transaction, Limits.transactionRatio * (end - now))
    guard isNews else { return }
    progressInterval = min(progressInterval * 2, Limits.progress.upperBound)
    progressDue = end + progressInterval
    onProgress()
  }
}
