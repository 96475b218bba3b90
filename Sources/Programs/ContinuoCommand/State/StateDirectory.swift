import Glibc
import MusicFiles
import SystemSupport

/// The directory for a server's state, locked by one process at a time.
final class StateDirectory: Sendable {
  enum Problem: Error, Hashable, CustomStringConvertible {
    case inUse(MediaPath)
    case unusable(MediaPath, FileBytes.Problem)
    /// The directory `below` in the root directory does not exist, and is not created.
    case missing(MediaPath, below: MediaPath)
    case nowhere

    var description: String {
      switch self {
      case .inUse(let path): "\(path): in use by another continuo"
      case .unusable(let path, let problem): "\(path): \(problem)"
      case .missing(let path, let top): "\(path): no directory \(top); create it first"
      case .nowhere: "no state directory: neither XDG_STATE_HOME nor HOME is set"
      }
    }
  }

  let path: MediaPath
  private let lock: Int32

  private static let lockName = "lock".utf8

  /// The path of the song database.
  var library: MediaPath { path.appending("library".utf8) }
  var stickers: MediaPath { path.appending("stickers".utf8) }
  var lockFile: MediaPath { path.appending(Self.lockName) }

  /// Locks the directory, and creates it with mode 0700 if it does not exist. Blocks only on the disk.
  /// Nothing is created in the root directory, unless `isStandard`, because a path mistyped by root would
  /// leave a directory there.
  init(path: MediaPath, isStandard: Bool = false) throws(Problem) {
    self.path = path
    let slash = UInt8(ascii: "/")
    let top = MediaPath(bytes: [slash] + path.bytes.drop { $0 == slash }.prefix { $0 != slash })
    if !isStandard, (try? FileStatus(of: top)) == nil { throw .missing(path, below: top) }
    do {
      try path.makeDirectory()
      lock = try path.appending(Self.lockName).systemCall {
        open($0, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      }
    } catch {
      throw .unusable(path, error)
    }
    // The system removes the lock with the process, however it ends.
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      // All properties are initialized, so `deinit` runs and closes the descriptor.
      let error = errno
      throw error == EWOULDBLOCK ? .inUse(path) : .unusable(path, .system(error))
    }
  }

  deinit { close(lock) }

  func file(_ name: String, isDurable: Bool) -> StateFile {
    StateFile(path: path.appending(name.utf8), isDurable: isDurable)
  }

  /// Returns `$XDG_STATE_HOME/continuo` or `~/.local/state/continuo` (XDG Base Directory Specification). Throws
  /// `nowhere` if neither XDG_STATE_HOME nor HOME is an absolute path.
  static func standardPath(environment: (String) -> String?) throws(Problem) -> MediaPath {
    if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
      return MediaPath(state).appending("continuo".utf8)
    }
    guard let home = environment("HOME"), home.hasPrefix("/") else { throw .nowhere }
    return MediaPath(home).appending(".local/state/continuo".utf8)
  }
}
