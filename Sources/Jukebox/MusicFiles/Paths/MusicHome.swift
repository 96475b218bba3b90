import ControlProtocol
import Glibc
package import Jukebox
package import SystemSupport

/// The music directory, to which relative names of clients refer, and the files that clients can access. A
/// client of the server's own user may name every file that this user can read. Other clients see only files
/// below the directory, and neither `..` nor a link leads out of it, so no reply reveals which other files
/// exist.
package struct MusicHome: Sendable {
  package enum Problem: Error, Hashable, Sendable {
    case missing
    /// The name is invalid, or a URL of an unsupported scheme; with the reason.
    case unusable(String)
    case system(FileBytes.Problem)
  }

  /// The directory, absolute and without links.
  package let path: MediaPath
  private let prefix: [UInt8]

  /// Creates the home at `path`, which must be an existing directory. Blocks on the disk.
  package init(_ path: MediaPath) throws(FileBytes.Problem) {
    self.init(real: try path.resolvingLinks())
    guard try FileStatus(of: self.path).type == S_IFDIR else { throw .system(ENOTDIR) }
  }

  /// Returns the working directory; the root if the working directory was removed.
  package static func workingDirectory() -> MusicHome {
    (try? MusicHome(.workingDirectory())) ?? MusicHome(real: MediaPath("/"))
  }

  private init(real path: MediaPath) {
    self.path = path
    prefix = path.bytes + (path.bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")])
  }

  /// Returns the file or directory that a client names: a path relative to the home, an absolute path, or a
  /// `file:` URL. The empty name and `/` are the home. `isSameUser` is true for a client of the server's own
  /// user or of root. Blocks on the disk.
  package func resolve(_ name: [UInt8], isSameUser: Bool) throws(Problem) -> MediaPath {
    if name.allSatisfy({ $0 == UInt8(ascii: "/") }) { return path }
    var candidates: [MediaPath]
    switch EntryLocation(name) {
    case .unusable(let reason): throw .unusable(reason)
    case .url: throw .missing
    case .paths(let paths): candidates = paths.map { $0.resolved(against: path) }
    }
    // Clients know a name that is not UTF-8 only as replies show it.
    if let original = Argument(name).original {
      candidates.append(MediaPath(bytes: original.bytes).resolved(against: path))
    }
    var failure = Problem.missing
    for candidate in candidates {
      do {
        let real = try candidate.resolvingLinks()
        guard isSameUser || contains(real) else { continue }
        // The name is returned as given, with its links, because a link in the home is a song of the home.
        return candidate
      } catch .system(ENOENT), .system(ENOTDIR) {
        continue
      } catch {
        if isSameUser { failure = .system(error) }
      }
    }
    throw failure
  }

  /// Whether `real`, a path without links, is the home or below it.
  package func contains(_ real: MediaPath) -> Bool { real == path || real.bytes.starts(with: prefix) }

  /// Whether `file` exists and, with links followed, is the home or below it. Blocks on the disk.
  package func holds(_ file: MediaPath) -> Bool {
    guard let real = try? file.resolvingLinks() else { return false }
    return contains(real)
  }

  /// Returns the text for a path in messages to clients that may not know the path: relative, or the last
  /// component.
  func shownName(of path: MediaPath) -> String {
    if path == self.path { return "/" }
    let name = name(of: path)
    return String(decoding: name.count < path.bytes.count ? name : path.name, as: UTF8.self)
  }

  /// Returns the name of a song for clients: relative if the file is below the home, otherwise its path or
  /// URL.
  package func name(of locator: SongLocator) -> [UInt8] {
    Array(locator.bytes[nameStart(in: locator.bytes)...])
  }

  /// Returns the name of a file for clients: relative below the home, otherwise absolute.
  package func name(of file: MediaPath) -> [UInt8] { Array(file.bytes[nameStart(in: file.bytes)...]) }

  /// Returns the index in a path at which the name for clients begins. A URL never begins like the home.
  package func nameStart(in path: [UInt8]) -> Int { path.starts(with: prefix) ? prefix.count : 0 }
}
