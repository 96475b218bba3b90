import Glibc

/// What a folder holds that concerns a player, by name, each kind in natural order. Hidden names are left out, links
/// followed.
package struct FolderEntries {
  /// Its MP3 files.
  package private(set) var songs: [[UInt8]] = []
  /// The folders in it.
  package private(set) var folders: [[UInt8]] = []
  /// Its playlists.
  package private(set) var playlists: [[UInt8]] = []
  /// What is called like an MP3 file and leads nowhere, in the order in which the system has it.
  package private(set) var brokenLinks: [[UInt8]] = []

  /// Names that are kept of one folder: as many as a queue has files.
  private static let nameLimit = 1_000_000

  /// Reads `folder`. Blocks on the disk. `interruption` is asked before each name; where it says why, that is thrown.
  package init(of folder: MediaPath, interruption: () -> String? = { nil }) throws(FileBytes.Problem) {
    let descriptor = try folder.systemCall { open($0, O_RDONLY | O_CLOEXEC | O_DIRECTORY) }
    guard let directory = fdopendir(descriptor) else {
      let error = errno
      close(descriptor)
      throw .system(error)
    }
    defer { closedir(directory) }
    var folders: [NaturalOrder] = []
    var playlists: [NaturalOrder] = []
    var stems: [(order: NaturalOrder, name: [UInt8])] = []
    var count = 0
    while let entry = readdir(directory) {
      if let reason = interruption() { throw .interrupted(reason) }
      count += 1
      guard count <= Self.nameLimit else {
        throw .interrupted("more than \(Self.nameLimit) names in a folder")
      }
      let name = Self.name(of: entry)
      guard name.first != UInt8(ascii: ".") else { continue }
      let path = folder.appending(name)
      let isMP3 = path.fileExtension == "mp3"
      switch Self.kind(of: entry, at: path) {
      case .folder: folders.append(NaturalOrder(name))
      case .file where isMP3: stems.append((NaturalOrder(Array(name.dropLast(".mp3".utf8.count))), name))
      case .file where path.isPlaylist: playlists.append(NaturalOrder(name))
      case .missing where isMP3: brokenLinks.append(name)
      default: break
      }
    }
    // Without the extension "Song" comes before "Song 2"; the name decides between a.mp3 and a.MP3.
    stems.sort { ($0.order, NaturalOrder($0.name)) < ($1.order, NaturalOrder($1.name)) }
    songs = stems.map(\.name)
    self.folders = folders.sorted().map(\.name)
    self.playlists = playlists.sorted().map(\.name)
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
