import Glibc
import HostTime
import MusicFiles
import Synchronization

/// Sends events to a file, a pipe or standard output, one write for each line, so that a reader sees it at once.
///
/// When nobody reads any more or the disk is full, events stop for good, one warning is given, and playback goes on.
final class EventWriter: Sendable {
  private struct State {
    /// -1 once events have stopped.
    var descriptor: Int32
    var line = EventLine()
  }

  private let name: String
  private let ownsDescriptor: Bool
  private let warn: @Sendable (String) -> Void
  private let state: Mutex<State>

  /// Opens the file at `path` and empties it, or takes standard output for `-`. From then on writing to a pipe that
  /// nobody reads is an error for the whole process and no longer its end. `warn` gets the warning, at most once, on
  /// whatever thread it happens. Blocks on a named pipe until somebody reads it.
  convenience init(path: String, warn: @escaping @Sendable (String) -> Void) throws(FileBytes.Problem) {
    if path == "-" {
      self.init(descriptor: STDOUT_FILENO, owned: false, name: "standard output", warn: warn)
      return
    }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .system(errno) }
    self.init(descriptor: descriptor, owned: true, name: path, warn: warn)
  }

  /// The same with an open descriptor, closed at the end if `owned`.
  init(descriptor: Int32, owned: Bool, name: String, warn: @escaping @Sendable (String) -> Void) {
    signal(SIGPIPE, SIG_IGN)
    self.name = name
    self.warn = warn
    ownsDescriptor = owned
    state = Mutex(State(descriptor: descriptor))
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if ownsDescriptor, descriptor >= 0 { close(descriptor) }
  }

  /// Writes the line for `event`, seen at `host`. Any thread; lines are written whole and in the order of the calls.
  /// Blocks while a pipe's reader is slow.
  func write(_ event: PlayerEvent, host: HostTime) {
    let failure: Int32? = state.withLock { state in
      guard state.descriptor >= 0 else { return nil }
      state.line.clear()
      state.line.append(event, host: host)
      guard let error = WholeWrite.write(state.line.bytes, to: state.descriptor) else { return nil }
      if ownsDescriptor { close(state.descriptor) }
      state.descriptor = -1
      return error
    }
    guard let failure else { return }
    let reason = failure == EPIPE ? "nobody reads them any more" : SystemError.text(failure)
    warn("events to \(name) stop: \(reason)")
  }
}
