import Glibc

/// The directory that clients' relative names are seen from, and what they may reach.
///
/// A client of the server's own user may name everything that this user can read. Any other one sees what is below
/// the directory, and no `..` and no link leads it out.
struct MusicHome: Sendable {
  /// Why a name leads nowhere.
  enum Problem: Error, Hashable, Sendable {
    /// Nothing is there.
    case missing
    /// Something is there, and this client may not have it.
    case denied
    /// A URL of a scheme that is not played, or a name that cannot be one; why.
    case unusable(String)
    /// The system said no.
    case system(FileBytes.Problem)
  }

  /// The directory, absolute and without links.
  let path: MediaPath
  /// What the paths of files below it begin with.
  private let prefix: [UInt8]

  /// The home at `path`, which has to be there. Blocks on the disk.
  init(_ path: MediaPath) throws(FileBytes.Problem) {
    self.init(real: try path.resolvingLinks())
    guard try FileStatus(of: self.path).type == S_IFDIR else { throw .system(ENOTDIR) }
  }

  /// The working directory; where that has been removed, the root.
  static func workingDirectory() -> MusicHome {
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
  func resolve(_ name: [UInt8], isSameUser: Bool) throws(Problem) -> MediaPath {
    if name.allSatisfy({ $0 == UInt8(ascii: "/") }) { return path }
    let candidates: [MediaPath]
    switch EntryLocation(name) {
    case .unusable(let reason): throw .unusable(reason)
    case .paths(let paths): candidates = paths.map { $0.resolved(against: path) }
    }
    var failure = Problem.missing
    for candidate in candidates {
      do {
        let real = try candidate.resolvingLinks()
        guard isSameUser || contains(real) else {
          failure = .denied
          continue
        }
        // The name as it was given: a link in the home is a song of the home.
        return candidate
      } catch .system(ENOENT), .system(ENOTDIR) {
        continue
      } catch {
        failure = isSameUser ? .system(error) : .denied
      }
    }
    throw failure
  }

  /// Whether `real`, a path without links, is the home or below it.
  func contains(_ real: MediaPath) -> Bool {
    real == path || real.bytes.starts(with: prefix)
  }

  /// What clients call `file`: relative if it is below the home, else absolute.
  func name(of file: MediaPath) -> [UInt8] { Array(file.bytes[nameStart(in: file.bytes)...]) }

  /// Where in a path the name begins that clients call `file`.
  func nameStart(in path: [UInt8]) -> Int { path.starts(with: prefix) ? prefix.count : 0 }
}

extension MediaPath {
  /// The same place, absolute and without links, dots and doubled slashes. Blocks on the disk.
  func resolvingLinks() throws(FileBytes.Problem) -> MediaPath {
    let (bytes, error): ([UInt8]?, Int32) = withCString { path in
      guard let real = realpath(path, nil) else { return (nil, errno) }
      defer { free(real) }
      return (UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }, 0)
    }
    guard let bytes else { throw .system(error) }
    return MediaPath(bytes: bytes)
  }
}
