import Glibc
package import Jukebox

/// The directory that clients' relative names are seen from, and what they may reach.
///
/// A client of the server's own user may name everything that this user can read. Any other one sees what is below
/// the directory. No `..` and no link leads it out: for it whatever is outside is missing, so that no answer tells what
/// there is.
package struct MusicHome: Sendable {
  /// Why a name leads nowhere.
  package enum Problem: Error, Hashable, Sendable {
    /// Nothing is there that this client may have.
    case missing
    /// A URL of a scheme that is not played, or a name that cannot be one; why.
    case unusable(String)
    /// The system said no.
    case system(FileBytes.Problem)
  }

  /// The directory, absolute and without links.
  package let path: MediaPath
  /// What the paths of files below it begin with.
  private let prefix: [UInt8]

  /// The home at `path`, which has to be there. Blocks on the disk.
  package init(_ path: MediaPath) throws(FileBytes.Problem) {
    self.init(real: try path.resolvingLinks())
    guard try FileStatus(of: self.path).type == S_IFDIR else { throw .system(ENOTDIR) }
  }

  /// The working directory; where that has been removed, the root.
  package static func workingDirectory() -> MusicHome {
    (try? MusicHome(.workingDirectory())) ?? MusicHome(real: MediaPath("/"))
  }

  private init(real path: MediaPath) {
    self.path = path
    prefix = path.bytes + (path.bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")])
  }

  /// The file or directory that a client means. Blocks on the disk.
  ///
  /// - Parameters:
  ///   - name: relative to the home, absolute, or a `file:` URL; `` and `/` alone are the home itself.
  ///   - isSameUser: whether the client is of the server's own user, or root.
  package func resolve(_ name: [UInt8], isSameUser: Bool) throws(Problem) -> MediaPath {
    if name.allSatisfy({ $0 == UInt8(ascii: "/") }) { return path }
    let candidates: [MediaPath]
    switch EntryLocation(name) {
    case .unusable(let reason): throw .unusable(reason)
    case .url: throw .missing
    case .paths(let paths): candidates = paths.map { $0.resolved(against: path) }
    }
    var failure = Problem.missing
    for candidate in candidates {
      do {
        let real = try candidate.resolvingLinks()
        guard isSameUser || contains(real) else { continue }
        // The name as it was given: a link in the home is a song of the home.
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
  package func contains(_ real: MediaPath) -> Bool {
    real == path || real.bytes.starts(with: prefix)
  }

  /// Whether `file` is there and, links followed, the home or below it. Blocks on the disk.
  package func holds(_ file: MediaPath) -> Bool {
    guard let real = try? file.resolvingLinks() else { return false }
    return contains(real)
  }

  /// `path` for a client that may not know where the home is: as seen from there, or the last component of what is elsewhere.
  package func shownName(of path: MediaPath) -> String {
    if path == self.path { return "/" }
    let name = name(of: path)
    return String(decoding: name.count < path.bytes.count ? name : path.name, as: UTF8.self)
  }

  /// What clients call a song: a file relative to the home if it is below it, else by its path; a URL as it is.
  package func name(of locator: SongLocator) -> [UInt8] {
    Array(locator.bytes[nameStart(in: locator.bytes)...])
  }

  /// What clients call `file`: relative if it is below the home, else absolute.
  package func name(of file: MediaPath) -> [UInt8] { Array(file.bytes[nameStart(in: file.bytes)...]) }

  /// Where in a path the name begins that clients call `file`. A URL never begins like the home.
  package func nameStart(in path: [UInt8]) -> Int { path.starts(with: prefix) ? prefix.count : 0 }
}
