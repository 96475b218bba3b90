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
    let names: [NaturalOrder]
    do {
      guard visited.insert(try FileStatus(of: folder).identity).inserted else { return }
      names = try list(folder, fileLimit: fileLimit)
    } catch {
      problems.append((folder, "\(error)"))
      return
    }
    for name in names where files.count < fileLimit {
      visit(folder.appending(name.name), depth: depth + 1, fileLimit: fileLimit)
    }
  }

  /// Adds the files in `folder` and returns the folders in it, in order.
  private mutating func list(_ folder: MediaPath, fileLimit: Int) throws(FileBytes.Problem) -> [NaturalOrder]
  {
    let descriptor = try folder.systemCall { open($0, O_RDONLY | O_CLOEXEC | O_DIRECTORY) }
    guard let directory = fdopendir(descriptor) else {
      let error = errno
      close(descriptor)
      throw .system(error)
    }
    defer { closedir(directory) }
    var names: [NaturalOrder] = []
    var stems: [(order: NaturalOrder, name: [UInt8])] = []
    while let entry = readdir(directory) {
      let name = Self.name(of: entry)
      guard name.first != UInt8(ascii: ".") else { continue }
      let path = folder.appending(name)
      let isMP3 = path.fileExtension == "mp3"
      switch Self.kind(of: entry, at: path) {
      case .folder: names.append(NaturalOrder(name))
      case .file where isMP3: stems.append((NaturalOrder(Array(name.dropLast(".mp3".utf8.count))), name))
      case .missing where isMP3: problems.append((path, "a link to nothing"))
      default: break
      }
    }
    // Without the extension "Song" comes before "Song 2"; the name decides between a.mp3 and a.MP3.
    stems.sort { ($0.order, NaturalOrder($0.name)) < ($1.order, NaturalOrder($1.name)) }
    files += stems.prefix(fileLimit - files.count).map { folder.appending($0.name) }
    return names.sorted()
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    // `d_name` is imported as a tuple; the C array behind it ends with a zero.
    withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
  }

  private enum Kind { case file, folder, other, missing }

  private static func kind(of entry: UnsafeMutablePointer<dirent>, at path: MediaPath) -> Kind {
    switch Int(entry.pointee.d_type) {
    case DT_REG: return .file
    case DT_DIR: return .folder
    case DT_LNK, DT_UNKNOWN: break
    default: return .other
    }
    guard let status = try? FileStatus(of: path) else { return .missing }
    return status.type == S_IFREG ? .file : status.type == S_IFDIR ? .folder : .other
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
