import Clocks
import ControlProtocol
import Glibc
package import Jukebox
package import NetworkPlaylists
package import SystemSupport
import TextFormatting
package import Transfer

/// Builds a queue from files, URLs, folders and playlists. Unusable entries, and the limit at which reading
/// stops, are reported as problems; the rest is played. The builder itself opens no media, and sends network
/// requests only through `readPlaylist`.
package struct QueueBuilder {
  // The compiler does not count a thrown type of a parameter as a use of the package import.
  package typealias ReadProblem = FileBytes.Problem

  /// Limits that keep a wrong name or a malicious playlist from filling the memory or being read for hours.
  package struct Limits: Sendable {
    /// The maximum number of files and URLs in the queue: as many as a jukebox accepts.
    package var files = 1_000_000
    /// The maximum number of entries of any kind in all playlists, apart from playlists at URLs. Each entry
    /// costs an access to the disk.
    package var names = 1_000_000
    /// The maximum number of playlist files read, and that of playlists requested from URLs, counting
    /// repetitions: enough for a playlist that names a playlist for every album.
    package var playlists = 1000
    package var playlistDepth = 8
    /// The maximum size of all playlists, apart from playlists at URLs, in bytes: enough for half a million
    /// long names. A film taken for a playlist exceeds it.
    package var playlistBytes = 64 << 20
    /// The maximum nesting of folders: no collection is so deep, and recursion needs a limit.
    package var folderDepth = 64
    /// The maximum number of folders read. Detecting repeated folders costs memory for each.
    package var folders = 1_000_000
    package var links = LinkAllowance()
    /// The maximum number of problems kept, more than anybody reads. Further ones are counted.
    package var problems = 1000
  }

  package private(set) var locators: [SongLocator] = []
  package var files: [MediaPath] { locators.compactMap(\.file) }
  /// The songs in the queue, with titles from playlists and credentials from URLs.
  package var songs: [Song] {
    locators.enumerated().map { index, locator in
      let hint = hints[index]
      let metadata = hint?.title.map { SongMetadata(tags: [SongTag(.name, Argument($0))]) }
      return Song(
        locator, metadata: metadata, reach: hint?.reach ?? reach ?? .publicOnly,
        credentials: hint?.credentials)
    }
  }
  /// The files that do not exist. Empty unless `keepsMissing` was set.
  package private(set) var missing: Set<SongLocator> = []
  /// The number of songs that are not missing.
  package var playableCount: Int {
    missing.isEmpty ? locators.count : locators.count { !missing.contains($0) }
  }
  /// The problems in the order of their detection: up to the limit, and the one that ended reading.
  package private(set) var problems: [QueueProblem] = []
  package private(set) var problemCount = 0
  /// The unplayable sound files in folders. They are not among the problems.
  package private(set) var unplayable = UnplayableFiles()
  /// The reason why reading stopped early; nil if it did not.
  package private(set) var limitation: String?
  /// The number of files and URLs before the first skipped entries of a network playlist; nil if none
  /// were skipped.
  package private(set) var completeCount: Int?
  package private(set) var playlists: [MediaPath] = []

  private let directory: MediaPath
  private let home: MusicHome?
  private let limits: Limits
  private let keepsMissing: Bool
  private let reach: NetworkReach?
  private let readPlaylist: PlaylistReading?
  private let takesURLsForPlaylists: Bool
  private struct Hint {
    var title: String?
    var reach: NetworkReach?
    var credentials: Credentials?
  }
  /// The known properties of URLs, by their index in `locators`.
  private var hints: [Int: Hint] = [:]
  private let readStandardInput: (_ limit: Int) throws(FileBytes.Problem) -> [UInt8]
  private let refusal: (_ file: MediaPath) -> String?
  private let interruption: (_ fileCount: Int) -> String?
  /// The playlists in progress, outermost first.
  private var openPlaylists: [FileStatus.Identity] = []
  private var playlistBytes = 0, names = 0, playlistRequests = 0, folders = 0
  /// The folders visited for the argument or entry in progress.
  private var visited: Set<FileStatus.Identity> = []
  private var links: LinkAllowance
  /// The file systems to skip, determined when the first folder is read.
  private lazy var kernelFiles = KernelFileSystems()

  /// Creates a builder that resolves relative names against `directory`.
  ///
  /// - Parameters:
  ///   - home: The only directory whose files may be added. Other files count as missing, and problems show
  ///     relative names. If nil, all files may be added.
  ///   - keepsMissing: Whether a missing file has a position in the queue, in addition to a problem.
  ///   - reach: The addresses that URLs may lead to; nil makes every URL a problem.
  ///   - refusal: Called before a file is added. Returns the reason to refuse the file; nil accepts it.
  ///   - interruption: Called with the number of files and URLs so far, before each name in a folder or
  ///     playlist but not before an argument. Reading stops once it returns a reason.
  ///   - readPlaylist: Reads playlists at URLs that are named like playlists; nil adds such URLs as songs.
  ///   - takesURLsForPlaylists: Whether `readPlaylist` also finds out which URLs among arguments are playlists.
  package init(
    directory: MediaPath, confinedTo home: MusicHome? = nil, limits: Limits = Limits(),
    keepsMissing: Bool = false, reach: NetworkReach? = .all,
    readStandardInput: @escaping (_ limit: Int) throws(ReadProblem) -> [UInt8] = {
      limit throws(FileBytes.Problem) in
      try FileBytes.readAll(STDIN_FILENO, limit: limit)
    },
    refusal: @escaping (_ file: MediaPath) -> String? = { _ in nil },
    interruption: @escaping (_ fileCount: Int) -> String? = { _ in nil },
    readPlaylist: PlaylistReading? = nil, takesURLsForPlaylists: Bool = false
  ) {
    self.directory = directory
    self.home = home
    self.reach = reach
    self.readPlaylist = readPlaylist
    self.takesURLsForPlaylists = takesURLsForPlaylists
    self.refusal = refusal
    self.limits = limits
    links = limits.links
    self.keepsMissing = keepsMissing
    self.readStandardInput = readStandardInput
    self.interruption = interruption
  }

  /// Adds the file, URL, folder or playlist that an argument names; `-` is a playlist on standard input. May
  /// block on files and requests.
  package mutating func add(argument: MediaPath) {
    guard limitation == nil else { return }
    if argument == MediaPath("-") {
      addPlaylist(name: "standard input", directory: directory, read: readStandardInput)
    } else {
      add(argument.bytes, seenFrom: directory, origin: nil)
    }
  }

  package mutating func add(_ url: WebURL, _ credentials: Credentials?) {
    guard limitation == nil else { return }
    add(url, Hint(credentials: credentials), origin: nil)
  }

  /// The problems as lines for a person, and the number of problems that were not kept.
  package var complaints: [String] {
    let rest = problemCount - problems.count
    return problems.map(\.description) + (rest == 0 ? [] : ["\(rest) more cannot be played"])
  }

  private mutating func add(
    _ text: [UInt8], title: String? = nil, seenFrom directory: MediaPath, origin: String?
  ) {
    let name = shownName(of: text)
    // An existing file takes precedence, even if its name looks like a URL.
    let written = MediaPath(bytes: text).resolved(against: directory)
    var problem: FileBytes.Problem
    do {
      return add(written, try status(of: written), name: name, origin: origin)
    } catch {
      problem = error
    }
    switch EntryLocation(text) {
    case .unusable(let reason): report(name, origin, reason)
    case .url(let url, let credentials):
      add(url, Hint(title: title, credentials: credentials), origin: origin)
    case .paths(let paths):
      for path in paths.map({ $0.resolved(against: directory) }) where path != written {
        do {
          return add(path, try status(of: path), name: name, origin: origin)
        } catch {
          if error != .system(ENOENT) { problem = error }
        }
      }
      report(name, origin, problem == .system(ENOENT) ? "no such file" : "\(problem)")
      // A missing file counts as a song that cannot be decoded, so that it has a position.
      if keepsMissing, problem == .system(ENOENT), locators.count < limits.files {
        let locator = SongLocator(written)
        locators.append(locator)
        missing.insert(locator)
      }
    }
  }

  private func status(of path: MediaPath) throws(FileBytes.Problem) -> FileStatus {
    guard isReachable(path) else { throw .system(ENOENT) }
    return try FileStatus(of: path)
  }

  private func isReachable(_ path: MediaPath) -> Bool { home?.holds(path) ?? true }

  private func shownName(of path: MediaPath) -> String { home?.shownName(of: path) ?? path.description }

  /// Returns the name for messages, without paths of this machine if the client may not know them.
  private func shownName(of text: [UInt8]) -> String {
    if home != nil, case .paths(let paths) = EntryLocation(text), let path = paths.first, path.isAbsolute {
      return shownName(of: path.resolved(against: directory))
    }
    return String(decoding: WebURL.withoutCredentials(text), as: UTF8.self)
  }

  private mutating func add(_ path: MediaPath, _ status: FileStatus, name: String, origin: String?) {
    if status.type == S_IFDIR {
      let before = (songs: locators.count, problems: problemCount)
      visited = []
      addFolder(path, depth: 0, origin: origin)
      if locators.count == before.songs, problemCount == before.problems {
        report(name, origin, QueueProblem.noMusic)
      }
    } else if path.isPlaylist {
      addPlaylist(path, status.identity, name: name, origin: origin)
    } else {
      append(path, name: name, origin: origin)
    }
  }

  private mutating func append(_ file: MediaPath, name: String, origin: String?) {
    if let reason = refusal(file) {
      report(name, origin, reason)
    } else {
      append(SongLocator(file), name: shownName(of: file))
    }
  }

  private mutating func append(_ locator: SongLocator, _ hint: Hint? = nil, name: String) {
    guard locators.count < limits.files else { return stop(name, "more than \(limits.files) files") }
    if let hint { hints[locators.count] = hint }
    locators.append(locator)
  }

  private mutating func add(_ url: WebURL, _ hint: Hint, origin: String?) {
    guard let reach else {
      return report(url.textForMessages, origin, "nothing is played from the network for other users")
    }
    guard let readPlaylist, NetworkPlaylist.kind(named: url) != nil || takesURLsForPlaylists && origin == nil
    else { return append(SongLocator(url), hint, name: url.textForMessages) }
    let name = url.textForMessages
    guard playlistRequests < limits.playlists else {
      return stop(name, "more than \(limits.playlists) playlists")
    }
    playlistRequests += 1
    let answer = readPlaylist(url, hint.credentials, reach) { [interruption, count = locators.count] in
      interruption(count)
    }
    if let failure = answer.failure {
      report(name, origin, failure)
      if completeCount == nil { completeCount = answer.completeCount.map { locators.count + $0 } }
    } else if !answer.isPlaylist {
      append(SongLocator(url), hint, name: name)
    }
    for problem in answer.problems { report(problem.text, name, problem.reason) }
    for medium in answer.media where shouldContinue() {
      let entry = medium.entry
      // The playlist's credentials apply only to its own origin, as in a browser.
      let credentials = entry.credentials ?? (entry.url.origin == url.origin ? hint.credentials : nil)
      append(
        SongLocator(entry.url), Hint(title: entry.title, reach: medium.reach, credentials: credentials),
        name: entry.url.textForMessages)
    }
  }

  // MARK: Folders

  /// Adds the songs of a folder, then those of its subfolders, both in natural order and without hidden
  /// names. Follows links within their allowance, and visits each folder once.
  private mutating func addFolder(_ folder: MediaPath, depth: Int, isLinked: Bool = false, origin: String?) {
    guard depth <= limits.folderDepth else {
      return report(shownName(of: folder), origin, "more than \(limits.folderDepth) folders deep")
    }
    let entries: FolderEntries
    do throws(FileBytes.Problem) {
      let identity = try FileStatus(of: folder).identity
      guard visited.insert(identity).inserted else { return }
      folders += 1
      guard folders <= limits.folders else {
        return stop(shownName(of: folder), "more than \(limits.folders) folders")
      }
      if depth > 0, kernelFiles.contains(identity) { throw .ofTheKernel }
      entries = try self.entries(of: folder, isLinked: isLinked)
    } catch .interrupted(let reason) {
      // The caller that followed the link reports the reason.
      if isLinked, links.refusal != nil { return }
      return stop(shownName(of: folder), reason)
    } catch {
      return report(shownName(of: folder), origin, "\(error)")
    }
    for name in entries.brokenLinks {
      report(shownName(of: folder.appending(name)), origin, QueueProblem.brokenLink)
    }
    for name in entries.songs where shouldContinue() {
      let file = folder.appending(name)
      if isReachable(file) {
        append(file, name: shownName(of: file), origin: origin)
      } else {
        report(shownName(of: file), origin, QueueProblem.brokenLink)
      }
    }
    for name in entries.unplayable {
      let file = folder.appending(name)
      if isReachable(file) { unplayable.add(file) }
    }
    for name in entries.folders where shouldContinue() {
      let inner = folder.appending(name)
      guard isReachable(inner) else {
        // Like a broken link, an inaccessible folder is reported only if it is named like a song.
        if inner.isSong { report(shownName(of: inner), origin, QueueProblem.brokenLink) }
        continue
      }
      let isLink = entries.linkedFolders.contains(name)
      if isLinked || isLink, links.refusal != nil { continue }
      addFolder(inner, depth: depth + 1, isLinked: isLinked || isLink, origin: origin)
      if isLink, !isLinked, let refusal = links.refusal {
        report(shownName(of: inner), origin, "\(refusal); remaining entries skipped")
      }
    }
  }

  private mutating func entries(
    of folder: MediaPath, isLinked: Bool
  ) throws(FileBytes.Problem) -> FolderEntries {
    var links = self.links
    defer { self.links = links }
    let entries = try FolderEntries(of: folder, excluding: kernelFiles) {
      [interruption, count = locators.count] in
      if let reason = interruption(count) { return reason }
      return isLinked ? links.takeName() : nil
    }
    if isLinked { links.add(songs: entries.songs.count) }
    return entries
  }

  // MARK: Playlists

  private mutating func addPlaylist(
    _ path: MediaPath, _ identity: FileStatus.Identity, name: String, origin: String?
  ) {
    if openPlaylists.contains(identity) { return report(name, origin, "a playlist that contains itself") }
    guard openPlaylists.count < limits.playlistDepth else {
      return report(name, origin, "more than \(limits.playlistDepth) playlists deep")
    }
    guard playlists.count < limits.playlists else {
      return stop(name, "more than \(limits.playlists) playlists")
    }
    playlists.append(path)
    openPlaylists.append(identity)
    addPlaylist(name: name, origin: origin, directory: path.directory) { limit throws(FileBytes.Problem) in
      try FileBytes.read(path, limit: limit)
    }
    openPlaylists.removeLast()
  }

  private mutating func addPlaylist(
    name: String, origin: String? = nil, directory: MediaPath,
    read: (_ limit: Int) throws(FileBytes.Problem) -> [UInt8]
  ) {
    let content: PlaylistText.Content
    do {
      let bytes = try read(limits.playlistBytes - playlistBytes)
      playlistBytes += bytes.count
      // Parses one entry more than allowed, to detect that the limit is exceeded.
      content = PlaylistText.parse(bytes, limit: limits.names - names + 1)
    } catch .tooLarge where playlistBytes > 0 {
      return stop(name, "more than \(limits.playlistBytes >> 20) MiB of playlists")
    } catch {
      return report(name, origin, "\(error)")
    }
    for problem in content.problems { report("line \(problem.line)", name, problem.reason) }
    names += content.problems.count
    for entry in content.entries where shouldContinue() {
      names += 1
      if names > limits.names { break }
      add(entry.text, title: entry.title, seenFrom: directory, origin: "\(name), line \(entry.line)")
    }
    if names > limits.names { stop(name, "more than \(limits.names) names in playlists") }
    if content.entries.isEmpty, content.problems.isEmpty { report(name, nil, "an empty playlist") }
  }

  // MARK: Problems

  private mutating func shouldContinue() -> Bool {
    if limitation == nil, let reason = interruption(locators.count) { stop("reading", reason) }
    return limitation == nil
  }

  private mutating func stop(_ name: String, _ reason: String) {
    guard limitation == nil else { return }
    limitation = reason
    problems.append(QueueProblem(name: name, reason: "\(reason); remaining entries skipped"))
    problemCount += 1
  }

  private mutating func report(_ name: String, _ origin: String?, _ reason: String) {
    problemCount += 1
    guard problems.count < limits.problems else { return }
    problems.append(QueueProblem(name: name, origin: origin, reason: reason))
  }
}
