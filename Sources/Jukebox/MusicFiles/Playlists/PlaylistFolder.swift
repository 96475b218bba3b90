package import ControlProtocol
import Glibc
package import Jukebox
import NetworkPlaylists
import Synchronization
import SystemSupport
package import Transfer

package enum PlaylistProblem: Error, Hashable, Sendable {
  case badName
  case missing
  case exists
  case badPosition
  case tooMany
  /// The playlist has more entries or bytes than allowed, or would have.
  case tooLarge
  /// The system's error, or an invalid file. The text describes the operation and the reason.
  case failed(String)
}

/// A folder of stored playlists, as mpd writes them: M3U files with one path or URL a line. Paths are relative to the
/// music directory or absolute, in the bytes of the file system. People may edit these files. A change replaces the file
/// atomically. Any thread; all calls block on the disk, and changes wait for each other.
package final class PlaylistFolder: Sendable {
  /// Limits that keep clients from filling the disk or the memory.
  enum Limits {
    /// The maximum number of playlists: more than anybody can browse.
    static let playlists = 10_000
    /// The maximum number of entries in a playlist: as many as a queue has songs.
    static let entries = 1_000_000
    /// The maximum size of a playlist in bytes: as many as `QueueBuilder` reads of all playlists.
    static let bytes = 64 << 20
    /// The maximum length of a name in bytes. Linux allows 255 for a file name, of which `.m3u8` takes 5.
    static let name = 250
  }

  /// The path of the folder, which is created when the first playlist is saved.
  private let path: MediaPath
  /// Locked while a playlist is read, changed and written, so that no change overwrites another.
  private let changes = Mutex(())

  package init(_ path: MediaPath) { self.path = path }

  // MARK: Queries

  /// Returns the names of all playlists, in the natural order of their file names, and the times of their
  /// last changes, in seconds since 1970.
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
      guard let suffix = Self.extensions.first(where: { file.suffix($0.count).elementsEqual($0) }) else {
        continue
      }
      let name = Array(file.dropLast(suffix.count))
      guard Self.isName(name), let status = try? FileStatus(of: path.appending(file)), status.type == S_IFREG,
        found.last?.name != name
      else { continue }
      found.append((name, status.modified))
    }
    return found
  }

  package func entries(of name: [UInt8]) throws(PlaylistProblem) -> [[UInt8]] { try read(name).entries }

  // MARK: Changes

  package func save(_ name: [UInt8], _ entries: [[UInt8]], _ mode: SaveMode) throws(PlaylistProblem) {
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

  package func remove(_ name: [UInt8]) throws(PlaylistProblem) {
    try changing { () throws(PlaylistProblem) in
      guard let file = try file(of: name) else { throw .missing }
      try Self.report("delete", file) { _ = try file.systemCall { unlink($0) } }
    }
  }

  /// Renames a playlist, and fails if the new name exists.
  package func rename(_ name: [UInt8], to newName: [UInt8]) throws(PlaylistProblem) {
    try changing { () throws(PlaylistProblem) in
      let (known, other) = (try file(of: name), try file(of: newName))
      guard other == nil else { throw .exists }
      guard let known else { throw .missing }
      let target = path.appending(newName + Self.extensions[0])
      try Self.report("rename", known) {
        _ = try known.systemCall { old in target.withCString { Glibc.rename(old, $0) } }
      }
    }
  }

  /// Inserts entries before the entry at `position`, or at the end if nil. Creates a missing playlist unless
  /// `entries` is empty.
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

  /// Edits the entries of an existing playlist. Writes the file only if they have changed.
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

  /// The extensions of playlist files. New playlists get the first.
  private static let extensions = [Array(".m3u".utf8), Array(".m3u8".utf8)]

  /// Whether a playlist can have this name: UTF-8 of 1 to `Limits.name` bytes without slashes, ASCII control characters
  /// or a leading dot.
  private static func isName(_ name: [UInt8]) -> Bool {
    !name.isEmpty && name.count <= Limits.name && name[0] != UInt8(ascii: ".")
      && !name.contains { $0 < 0x20 || $0 == UInt8(ascii: "/") || $0 == 0x7F }
      && String(validating: name, as: UTF8.self) != nil
  }

  /// Returns the playlist's file; nil if it does not exist.
  private func file(of name: [UInt8]) throws(PlaylistProblem) -> MediaPath? {
    guard Self.isName(name) else { throw .badName }
    return Self.extensions.lazy.map { [path] in path.appending(name + $0) }
      .first { (try? FileStatus(of: $0))?.type == S_IFREG }
  }

  // MARK: Files

  private func changing(_ body: () throws(PlaylistProblem) -> Void) throws(PlaylistProblem) {
    try changes.withLock { _ throws(PlaylistProblem) in try body() }
  }

  private func read(_ name: [UInt8]) throws(PlaylistProblem) -> (file: MediaPath, entries: [[UInt8]]) {
    guard let file = try file(of: name) else { throw .missing }
    let bytes = try Self.report("read", file) { try FileBytes.read(file, limit: Limits.bytes) }
    let content = PlaylistText.parse(bytes, limit: Limits.entries + 1)
    // Lines that cannot be parsed would be lost when the file is written again.
    if let problem = content.problems.first {
      throw Self.failure("read", file, "line \(problem.line): \(problem.reason)")
    }
    guard content.entries.count <= Limits.entries else { throw .tooLarge }
    return (file, content.entries.map(\.text))
  }

  private func write(_ entries: [[UInt8]], toNew name: [UInt8]) throws(PlaylistProblem) {
    guard try list().count < Limits.playlists else { throw .tooMany }
    try Self.report("create", path) { try path.makeDirectory() }
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
    try Self.report("write", file) {
      try AtomicFile.write(bytes, to: file, mode: 0o644, isDurable: true)
    }
  }

  /// Returns the result of an operation on a file. Throws `failed` with the operation, the file's name and the reason.
  private static func report<Result>(
    _ action: String, _ path: MediaPath, _ body: () throws -> Result
  ) throws(PlaylistProblem) -> Result {
    do { return try body() } catch { throw failure(action, path, "\(error)") }
  }

  /// Returns an error without the file's folder, because all clients read the error and some may not know the
  /// machine's paths.
  private static func failure(_ action: String, _ path: MediaPath, _ reason: String) -> PlaylistProblem {
    .failed("Failed to \(action) \(String(decoding: path.name, as: UTF8.self)): \(reason)")
  }
}

extension MusicHome {
  /// Returns the entry of a playlist for a song: its name for clients, or its URL if a line cannot contain
  /// that name.
  package func entry(for locator: SongLocator) -> [UInt8] {
    guard let file = locator.file else { return locator.bytes }
    let name = name(of: file)
    let isBlank = { (byte: UInt8?) in byte == 0x20 || byte == 0x09 }
    let isPlain =
      !name.contains { $0 < 0x20 } && !isBlank(name.first) && !isBlank(name.last)
      && name.first != UInt8(ascii: "#") && !EntryLocation.isURL(name)
    return isPlain ? name : Array(file.fileURL.utf8)
  }

  /// Returns the song that an entry names, and the credentials in the entry. A missing file has its first
  /// possible path. Nil for an unsupported or invalid entry. Blocks on the disk.
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
