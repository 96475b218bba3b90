import Glibc
package import SystemSupport

/// The music in a folder: names of each kind, in natural order. Hidden names are left out, and links are
/// followed.
package struct FolderEntries {
  /// The songs, by their extensions.
  package private(set) var songs: [[UInt8]] = []
  package private(set) var folders: [[UInt8]] = []
  /// The subfolders that are links; `folders` includes them.
  package private(set) var linkedFolders: Set<[UInt8]> = []
  /// The playlists, by their extensions.
  package private(set) var playlists: [[UInt8]] = []
  /// The sound files that are not among the songs.
  package private(set) var unplayable: [[UInt8]] = []
  /// The links that are named like songs and cannot be followed, in the order of the system.
  private(set) var brokenLinks: [[UInt8]] = []
  /// The links to something that may exist, with the errors because of which it is unknown: a file system that does not
  /// answer, or a missing permission. In the order of the system.
  package private(set) var unreadable: [(name: [UInt8], reason: FileBytes.Problem)] = []

  /// The maximum number of names in one folder: as many as a queue can have songs.
  private static let nameLimit = 1_000_000

  /// Reads `folder`. Blocks on the disk. Leaves out links to files on the file systems in `excluded`. Throws
  /// `FileBytes.Problem.interrupted` above `nameLimit`, or once `interruption`, called before each name, returns a
  /// reason; `system` after an error of the system.
  package init(
    of folder: MediaPath, excluding excluded: KernelFileSystems? = nil, interruption: () -> String? = { nil }
  ) throws(FileBytes.Problem) {
    var folders: [NaturalOrder] = []
    var playlists: [NaturalOrder] = []
    var stems: [(order: NaturalOrder, name: [UInt8])] = []
    var linkedFolders: Set<[UInt8]> = []
    var unplayable: [NaturalOrder] = []
    try Self.forEachName(in: folder, interruption) { name, type in
      guard name.first != UInt8(ascii: ".") else { return }
      let path = folder.appending(name)
      let isSong = path.isSong
      switch Self.kind(type, at: path, excluded) {
      case .folder(let isLink):
        if isLink { linkedFolders.insert(name) }
        folders.append(NaturalOrder(name))
      case .file where isSong: stems.append((NaturalOrder(MediaPath.stem(of: name)), name))
      case .file where path.isPlaylist: playlists.append(NaturalOrder(name))
      case .file where UnplayableFiles.includes(path): unplayable.append(NaturalOrder(name))
      case .missing where isSong: brokenLinks.append(name)
      case .unreadable(let reason):
        unreadable.append((name, reason))
        if isSong { brokenLinks.append(name) }
      default: break
      }
    }
    // Without the extension, "Song" sorts before "Song 2". The whole name decides between a.mp3 and a.MP3.
    stems.sort { left, right in
      left.order == right.order
        ? NaturalOrder(left.name) < NaturalOrder(right.name) : left.order < right.order
    }
    songs = stems.map(\.name)
    self.linkedFolders = linkedFolders
    self.folders = folders.sorted().map(\.name)
    self.playlists = playlists.sorted().map(\.name)
    self.unplayable = unplayable.sorted().map(\.name)
  }

  /// Returns the names of all files and subfolders in a folder, music or not, hidden or not, in natural order. Blocks on
  /// the disk.
  package static func names(
    in folder: MediaPath, interruption: () -> String? = { nil }
  ) throws(FileBytes.Problem) -> [[UInt8]] {
    var names: [NaturalOrder] = []
    try forEachName(in: folder, interruption) { name, _ in names.append(NaturalOrder(name)) }
    return names.sorted().map(\.name)
  }

  /// Calls `body` with each name in a folder except `.` and `..`, and with its type (`d_type`).
  private static func forEachName(
    in folder: MediaPath, _ interruption: () -> String?, _ body: (_ name: [UInt8], _ type: UInt8) -> Void
  ) throws(FileBytes.Problem) {
    let descriptor = try folder.systemCall { open($0, O_RDONLY | O_CLOEXEC | O_DIRECTORY) }
    guard let directory = fdopendir(descriptor) else {
      let error = errno
      close(descriptor)
      throw .system(error)
    }
    defer { closedir(directory) }
    var count = 0
    while true {
      // `readdir` returns nil at the end and after an error; only `errno` distinguishes them.
      errno = 0
      guard let entry = readdir(directory) else {
        if errno != 0 { throw .system(errno) }
        return
      }
      if let reason = interruption() { throw .interrupted(reason) }
      count += 1
      guard count <= nameLimit else { throw .interrupted("more than \(nameLimit) names in a folder") }
      // `d_name` is imported as a tuple; the C array in it ends with a zero.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != [UInt8(ascii: ".")], name != Array("..".utf8) { body(name, entry.pointee.d_type) }
    }
  }

  private enum Kind {
    case file
    case folder(isLink: Bool)
    case other, missing
    case unreadable(FileBytes.Problem)
  }

  private static func kind(_ type: UInt8, at path: MediaPath, _ excluded: KernelFileSystems?) -> Kind {
    switch Int(type) {
    case DT_REG: return .file
    case DT_DIR: return .folder(isLink: false)
    case DT_LNK, DT_UNKNOWN: break
    default: return .other
    }
    let status: FileStatus
    do throws(FileBytes.Problem) {
      status = try FileStatus(of: path)
    } catch .system(ENOENT), .system(ENOTDIR) {
      return .missing
    } catch {
      return .unreadable(error)
    }
    switch status.type {
    case S_IFREG: return excluded?.contains(status.identity) == true ? .other : .file
    case S_IFDIR:
      let isLink = Int(type) == DT_LNK || (try? FileStatus(ofLinkOrFile: path))?.type == S_IFLNK
      return .folder(isLink: isLink)
    default: return .other
    }
  }
}

/// The cover picture in a folder of songs, under the names that programs and shops use.
package enum CoverFile {
  private static let stems = ["cover", "folder", "front", "album", "albumart"]
  private static let extensions = ["jpg", "jpeg", "png", "webp", "gif"]

  /// Returns the preferred picture in a folder, ignoring case; nil if there is none. Blocks on the disk.
  package static func find(in folder: MediaPath) throws(FileBytes.Problem) -> MediaPath? {
    let ranked = try FolderEntries.names(in: folder).compactMap { name in
      rank(name).map { (name: name, rank: $0) }
    }
    return ranked.min { $0.rank < $1.rank }.map { folder.appending($0.name) }
  }

  private static func rank(_ name: [UInt8]) -> Int? {
    let parts = String(decoding: name, as: UTF8.self).lowercased().split(separator: ".")
    guard parts.count == 2, let stem = stems.firstIndex(of: String(parts[0])),
      let format = extensions.firstIndex(of: String(parts[1]))
    else { return nil }
    return stem * extensions.count + format
  }
}
