import Glibc
import MusicFiles

/// The directory in which a server keeps its state, held by one process at a time.
final class StateDirectory: Sendable {
  /// Why the state cannot be kept there.
  enum Problem: Error, Hashable, CustomStringConvertible {
    /// Another process has it.
    case inUse(MediaPath)
    /// The system said no.
    case unusable(MediaPath, FileBytes.Problem)
    /// There is no home directory and no other word where it should be.
    case nowhere

    var description: String {
      switch self {
      case .inUse(let path): "\(path): another continuo keeps its state there"
      case .unusable(let path, let problem): "\(path): \(problem)"
      case .nowhere: "neither XDG_STATE_HOME nor HOME says where"
      }
    }
  }

  /// Where it is.
  let path: MediaPath
  private let lock: Int32

  /// Takes the directory, made with mode 0700 where it does not exist. Blocks on the disk only.
  init(path: MediaPath) throws(Problem) {
    self.path = path
    do {
      try path.makeDirectory()
      lock = try path.appending(Array("lock".utf8)).systemCall {
        open($0, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      }
    } catch {
      throw .unusable(path, error)
    }
    // The lock goes with the process, however it ends.
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      // `deinit` runs and closes it: all properties are there.
      let error = errno
      throw error == EWOULDBLOCK ? .inUse(path) : .unusable(path, .system(error))
    }
  }

  deinit { close(lock) }

  /// A file in it.
  func file(_ name: String, isDurable: Bool) -> StateFile {
    StateFile(path: path.appending(Array(name.utf8)), isDurable: isDurable)
  }

  /// `$XDG_STATE_HOME/continuo`, or `~/.local/state/continuo` as the XDG base directory specification has it.
  static func standardPath(environment: (String) -> String?) throws(Problem) -> MediaPath {
    if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
      return MediaPath(state).appending(Array("continuo".utf8))
    }
    guard let home = environment("HOME"), home.hasPrefix("/") else { throw .nowhere }
    return MediaPath(home).appending(Array(".local/state/continuo".utf8))
  }
}
