import Glibc
package import Jukebox
import Synchronization
package import Transfer

/// Why a stored playlist is not what somebody wants it to be. Nothing has changed then.
package enum PlaylistProblem: Error, Hashable, Sendable {
  /// No playlist can be called so.
  case badName
  /// There is none of that name.
  case missing
  /// There is one of that name already.
  case exists
  /// It has no entry there.
  case badPosition
  /// There are as many playlists as there may be.
  case tooMany
  /// It would have more entries, or more bytes, than a playlist may.
  case tooLarge
  /// A file cannot be read as a playlist, or the system said no. What was to be done, and why it was not.
  case failed(String)
}

/// A folder in which playlists are kept: M3U files in UTF-8, one entry a line, each relative to the music's folder or
/// absolute, as mpd writes them. A person may edit them.
///
/// A change is a new file in the place of the old one: whoever reads finds one or the other. Any thread; all calls block
/// on the disk, and changes wait for each other.
package final class PlaylistFolder: Sendable {
  /// Bounds, so that no client can fill the disk or the memory with what it saves.
  enum Limits {
    /// Playlists: more than anybody finds one in.
    static let playlists = 10_000
    /// Entries of one: as many as a queue has songs.
    static let entries = 1_000_000
    /// Bytes of one: as many as are read of playlists to make a queue.
    static let bytes = 64 << 20
    /// Bytes of a name. Linux allows 255 for a file's, and `.m3u8` is part of it.
    static let name = 250
  }

  /// What `save` does.
  package enum Mode: Sendable {
    /// Makes one that does not exist.
    case create
    /// Adds to one that exists.
    case append
    /// Takes the place of one that exists.
    case replace
  }

  /// Where they are. Made when the first one is saved.
  private let path: MediaPath
  /// Held while a playlist is read, changed and written, so that no change is lost to another.
  private let changes = Mutex(())

  /// The playlists in a folder, which may not be there yet.
  package init(_ path: MediaPath) { self.path = path }

  // MARK: Asking

  /// The names of all playlists and when they were changed, in seconds since 1970; in natural order.
  package func list() throws(PlaylistProblem) -> [(name: [UInt8], modified: Int64)] {
    let names: [[UInt8]]
    do {
      names = try FolderEntries.names(in: path)
    } catch .system(ENOENT) {
      return []
    } catch {
      throw Self.failure("read", path, "\(error)")
    }
    var found: [(name: [UInt8], modified: Int64)] = []
    for file in names {
      let extensions = Self.extensions.filter { file.suffix($0.count).elementsEqual($0) }
      guard let suffix = extensions.first else { continue }
      let name = Array(file.dropLast(suffix.count))
      guard Self.isName(name), let status = try? FileStatus(of: path.appending(file)), status.type == S_IFREG,
        found.last?.name != name
      else { continue }
      found.append((name, status.changed / 1_000_000_000))
    }
    return found
  }

  /// What a playlist's lines say, as they were written.
  package func entries(of name: [UInt8]) throws(PlaylistProblem) -> [[UInt8]] { try read(name).entries }

  // MARK: Changing

  /// Saves these entries as a playlist.
  package func save(_ name: [UInt8], _ entries: [[UInt8]], _ mode: Mode) throws(PlaylistProblem) {
    try changing { () throws(PlaylistProblem) in
      switch mode {
      case .create:
        guard try file(of: name) == nil else { throw .exists }
        try write(entries, toNew: name)
      case .append:
        let known = try read(name)
        try write(known.entries + entries, to: known.file)
      case .replace:
        guard let file = try file(of: name) else { throw .missing }
        try write(entries, to: file)
      }
    }
  }

  /// Removes a playlist.
  package func remove(_ name: [UInt8]) throws(PlaylistProblem) {
    try changing { () throws(PlaylistProblem) in
      guard let file = try file(of: name) else { throw .missing }
      try Self.tell("delete", file) { () throws(FileBytes.Problem) in _ = try file.systemCall { unlink($0) } }
    }
  }

  /// Gives a playlist another name, which no playlist has.
  package func rename(_ name: [UInt8], to newName: [UInt8]) throws(PlaylistProblem) {
    try changing { () throws(PlaylistProblem) in
      let (known, other) = (try file(of: name), try file(of: newName))
      guard other == nil else { throw .exists }
      guard let known else { throw .missing }
      let target = path.appending(newName + Self.extensions[0])
      try Self.tell("rename", known) { () throws(FileBytes.Problem) in
        _ = try known.systemCall { old in target.withCString { Glibc.rename(old, $0) } }
      }
    }
  }

  /// Puts entries into a playlist in front of the one at `position`; at the end without one. Makes a playlist that does
  /// not exist, unless there is nothing to put into it.
  package func insert(
    _ entries: [[UInt8]], into name: [UInt8], at position: Int? = nil
  ) throws(PlaylistProblem) {
    try changing { () throws(PlaylistProblem) in
      guard try file(of: name) != nil else {
        guard position ?? 0 == 0 else { throw .badPosition }
        if !entries.isEmpty { try write(entries, toNew: name) }
        return
      }
      var known = try read(name)
      guard position ?? 0 <= known.entries.count else { throw .badPosition }
      guard !entries.isEmpty else { return }
      known.entries.insert(contentsOf: entries, at: position ?? known.entries.count)
      try write(known.entries, to: known.file)
    }
  }

  /// Changes the entries of a playlist that exists.
  package func edit(
    _ name: [UInt8], _ body: (inout [[UInt8]]) throws(PlaylistProblem) -> Void
  ) throws(PlaylistProblem) {
    try changing { () throws(PlaylistProblem) in
      var known = try read(name)
      let before = known.entries
      try body(&known.entries)
      if known.entries != before { try write(known.entries, to: known.file) }
    }
  }

  // MARK: Names

  /// What files are called whose playlists are listed; new ones get the first.
  private static let extensions = [Array(".m3u".utf8), Array(".m3u8".utf8)]

  /// Whether a playlist can have this name: text without a slash or control characters that is no hidden file's.
  private static func isName(_ name: [UInt8]) -> Bool {
    !name.isEmpty && name.count <= Limits.name && name[0] != UInt8(ascii: ".")
      && !name.contains { $0 < 0x20 || $0 == UInt8(ascii: "/") || $0 == 0x7F }
      && String(validating: name, as: UTF8.self) != nil
  }

  /// The playlist's file; `nil` if there is none.
  private func file(of name: [UInt8]) throws(PlaylistProblem) -> MediaPath? {
    guard Self.isName(name) else { throw .badName }
    return Self.extensions.lazy.map { [path] in path.appending(name + $0) }
      .first { (try? FileStatus(of: $0))?.type == S_IFREG }
  }

  // MARK: Files

  private func changing<Result>(
    _ body: () throws(PlaylistProblem) -> Result
  ) throws(PlaylistProblem) -> Result {
    try changes.withLock { _ throws(PlaylistProblem) in try body() }
  }

  private func read(_ name: [UInt8]) throws(PlaylistProblem) -> (file: MediaPath, entries: [[UInt8]]) {
    guard let file = try file(of: name) else { throw .missing }
    let bytes = try Self.tell("read", file) { () throws(FileBytes.Problem) in
      try FileBytes.read(file, limit: Limits.bytes)
    }
    let content = PlaylistText.parse(bytes, limit: Limits.entries + 1)
    // What is not understood is not to be lost when the rest is written anew.
    if let problem = content.problems.first {
      throw Self.failure("read", file, "line \(problem.line): \(problem.reason)")
    }
    guard content.entries.count <= Limits.entries else { throw .tooLarge }
    return (file, content.entries.map(\.text))
  }

  private func write(_ entries: [[UInt8]], toNew name: [UInt8]) throws(PlaylistProblem) {
    guard try list().count < Limits.playlists else { throw .tooMany }
    try Self.tell("create", path) { () throws(FileBytes.Problem) in try path.makeDirectory() }
    try write(entries, to: path.appending(name + Self.extensions[0]))
  }

  private func write(_ entries: [[UInt8]], to file: MediaPath) throws(PlaylistProblem) {
    let size = entries.reduce(0) { $0 + $1.count + 1 }
    guard entries.count <= Limits.entries, size <= Limits.bytes else { throw .tooLarge }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    for entry in entries {
      bytes += entry
      bytes.append(0x0A)
    }
    try Self.tell("write", file) { () throws(FileBytes.Problem) in
      try AtomicFile.write(bytes, to: file, mode: 0o644, isDurable: true)
    }
  }

  /// Says in mpd's words what the system did not do.
  private static func tell<Result>(
    _ action: String, _ path: MediaPath, _ body: () throws(FileBytes.Problem) -> Result
  ) throws(PlaylistProblem) -> Result {
    do throws(FileBytes.Problem) {
      return try body()
    } catch {
      throw failure(action, path, "\(error)")
    }
  }

  /// Without the folders above: all clients read it, and only some may know where this machine has its files.
  private static func failure(_ action: String, _ path: MediaPath, _ reason: String) -> PlaylistProblem {
    .failed("Failed to \(action) \(String(decoding: path.name, as: UTF8.self)): \(reason)")
  }
}

extension MusicHome {
  /// The entry of a playlist for a song: its name for clients, or where that could not stand in a line, its URL.
  package func entry(for locator: SongLocator) -> [UInt8] {
    guard let file = locator.file else { return locator.bytes }
    let name = name(of: file)
    let isBlank = { (byte: UInt8?) in byte == 0x20 || byte == 0x09 }
    let isPlain =
      !name.contains { $0 < 0x20 } && !isBlank(name.first) && !isBlank(name.last)
      && name.first != UInt8(ascii: "#") && !EntryLocation.isURL(name)
    return isPlain ? name : Array(file.fileURL.utf8)
  }

  /// Where the song is that an entry of a stored playlist names, and the credentials in the entry; for a file that is not
  /// there, the first place where it may be. `nil` for what cannot be played from there. Blocks on the disk.
  package func locator(ofEntry entry: [UInt8]) -> (locator: SongLocator, credentials: Credentials?)? {
    switch EntryLocation(entry) {
    case .unusable: return nil
    case .url(let url, let credentials): return (SongLocator(url), credentials)
    case .paths(let paths):
      let places = paths.map { $0.resolved(against: path) }
      let place = places.first { (try? FileStatus(of: $0)) != nil } ?? places.first
      return place.map { (SongLocator($0), nil) }
    }
  }
}
