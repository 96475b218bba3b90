import Glibc

/// The MP3 files in a folder and below it.
///
/// The files of a folder come before those of the folders in it, both in natural order. Hidden files and folders are
/// left out. Links are followed; a folder is visited once, wherever links lead.
struct FolderListing {
  /// Deeper folders are reported and left out: no collection is so deep, and recursion needs a bound.
  static let depthLimit = 64

  /// The files, in order.
  private(set) var files: [MediaPath] = []
  /// What could not be read, in order.
  private(set) var problems: [(path: MediaPath, reason: String)] = []
  private var visited: Set<FileStatus.Identity> = []

  /// Lists `folder`, stopping after `fileLimit` files.
  init(of folder: MediaPath, fileLimit: Int) {
    visit(folder, depth: 0, fileLimit: fileLimit)
  }

  private mutating func visit(_ folder: MediaPath, depth: Int, fileLimit: Int) {
    guard depth <= Self.depthLimit else {
      problems.append((folder, "more than \(Self.depthLimit) folders deep"))
      return
    }
    let entries: FolderEntries
    do {
      guard visited.insert(try FileStatus(of: folder).identity).inserted else { return }
      entries = try FolderEntries(of: folder)
    } catch {
      problems.append((folder, "\(error)"))
      return
    }
    for name in entries.brokenLinks { problems.append((folder.appending(name), "a link to nothing")) }
    files += entries.songs.prefix(fileLimit - files.count).map { folder.appending($0) }
    for name in entries.folders where files.count < fileLimit {
      visit(folder.appending(name), depth: depth + 1, fileLimit: fileLimit)
    }
  }
}

/// What a path leads to, links followed.
struct FileStatus {
  /// Which file it is, whatever it is called.
  struct Identity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
  }

  /// Which file.
  let identity: Identity
  /// What kind: one of the `S_IFMT` values.
  let type: mode_t

  init(of path: MediaPath) throws(FileBytes.Problem) {
    var status = stat()
    _ = try path.systemCall { stat($0, &status) }
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    type = status.st_mode & S_IFMT
  }
}
