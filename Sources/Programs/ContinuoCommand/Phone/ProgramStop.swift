import AppLifecycle
import Clocks
import Dispatch
import Glibc
import SystemSupport

/// The stop of a program's processes. Reclaims the sockets that the program has passed, and watches the descriptor that
/// is readable when the stopped program has to run.
@MainActor
final class ProgramStop {
  /// The time limit for all threads to stop, in seconds.
  private static let limit = 1.0
  /// The first interval of checks and the longest one, in seconds. Each interval is twice the one before.
  private static let intervals = (0.000_25, 0.004)
  /// The maximum number of sockets that wait for the stop: few enough for the usual 1,024 descriptors of a process.
  private static let socketLimit = 512

  private let tree: ProcessTree
  private let onStood: @MainActor (_ isComplete: Bool) -> Bool
  private let onData: @MainActor () -> Void
  /// The deadline of the stop in progress; nil if no stop is in progress.
  private var deadline: HostTime?
  private var watched: PassedDescriptor?
  private var watch: DescriptorSource?
  private var sockets: [PassedDescriptor] = []

  /// - Parameters:
  ///   - tree: the processes.
  ///   - onStood: called once all threads have stopped, or with false at the time limit. Returns whether the program
  ///     remains stopped.
  ///   - onData: called repeatedly while the watched descriptor of the stopped program is readable.
  init(
    of tree: ProcessTree, onStood: @escaping @MainActor (_ isComplete: Bool) -> Bool,
    onData: @escaping @MainActor () -> Void
  ) {
    self.tree = tree
    self.onStood = onStood
    self.onData = onData
  }

  func begin() {
    deadline = SystemClock.shared.now.advanced(bySeconds: Self.limit)
    _ = tree.stop()
    check(after: Self.intervals.0)
  }

  func resume() {
    deadline = nil
    watch = nil
    sockets = []
    tree.signal(SIGCONT)
  }

  private func check(after seconds: Double) {
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
      MainActor.assumeIsolated { self?.check(waited: seconds) }
    }
  }

  private func check(waited seconds: Double) {
    guard let deadline else { return }
    // Also stops threads and processes created since the last attempt.
    let stands = tree.stop()
    guard stands || SystemClock.shared.now >= deadline else {
      return check(after: min(2 * seconds, Self.intervals.1))
    }
    self.deadline = nil
    guard onStood(stands), let watched else { return }
    watch = DescriptorSource(descriptor: watched.number, queue: .main) { [weak self] in
      MainActor.assumeIsolated { self?.onData() }
    }
  }

  // MARK: Descriptors of the program

  /// Sets the descriptor to watch while the program is stopped.
  func setWatched(_ descriptor: PassedDescriptor?) { watched = descriptor }

  /// Keeps a socket that the stop reclaims.
  func keep(_ socket: PassedDescriptor?) {
    guard let socket else { return }
    // Beyond the limit a socket is reclaimed before the stop.
    if sockets.count < Self.socketLimit {
      sockets.append(socket)
    } else {
      _ = OpenSockets.reclaim(socket.number)
    }
  }

  /// Forgets the kept sockets, because the program is not to be stopped.
  func dropSockets() { sockets = [] }

  /// Reclaims the kept sockets. Returns those that were in use.
  func reclaimSockets() -> [ReclaimedSocket] {
    defer { sockets = [] }
    return sockets.compactMap { OpenSockets.reclaim($0.number) }
  }
}
