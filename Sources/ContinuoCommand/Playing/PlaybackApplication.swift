import AppLifecycle
import Continuo
import Dispatch

/// The application that `continuo play` runs: a player for the jukebox, what it observes of time, and its background
/// tasks. It exists from a launch to a termination; the session outlives it. Everything happens on the main queue.
@MainActor
final class PlaybackApplication {
  let player: AVQueuePlayer
  /// Called for each 1/100 second that is heard, while `observesTime` is set.
  var onStep: (@MainActor (CMTime) -> Void)?
  private let system: UIApplication
  /// The background tasks that were begun and not ended, the oldest first.
  private var tasks: [(name: String, identifier: UIBackgroundTaskIdentifier)] = []
  private var timeObserver: Any?

  init(_ player: AVQueuePlayer, on system: UIApplication) {
    self.player = player
    self.system = system
    // Whenever the system likes. There is nothing to fetch: the answer is that at once.
    system.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
  }

  /// A periodic observer runs only where somebody looks at it: each call costs a wake-up.
  var observesTime: Bool {
    get { timeObserver != nil }
    set {
      if newValue, timeObserver == nil {
        timeObserver = player.addPeriodicTimeObserver(
          forInterval: CMTime(value: 1, timescale: 100), queue: .main
        ) { [weak self] time in
          MainActor.assumeIsolated { self?.onStep?(time) }
        }
      } else if !newValue, let observer = timeObserver {
        player.removeTimeObserver(observer)
        timeObserver = nil
      }
    }
  }

  /// Begins a task without an expiration handler: one that is forgotten.
  func beginTask(_ name: String) {
    let identifier = system.beginBackgroundTask(withName: name)
    if identifier != .invalid { tasks.append((name, identifier)) }
  }

  /// Ends the oldest task of that name; false if there is none.
  func endTask(_ name: String) -> Bool {
    guard let index = tasks.firstIndex(where: { $0.name == name }) else { return false }
    system.endBackgroundTask(tasks.remove(at: index).identifier)
    return true
  }
}
