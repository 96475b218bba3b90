import Continuo

/// Pauses a player after a while.
@MainActor
final class SleepTimer {
  private let clock: any Clock<Duration>
  private var task: Task<Void, any Error>?

  init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  func start(_ delay: Duration, player: AVPlayer) {
    task?.cancel()
    task = Task {
      try await clock.sleep(for: delay)
      player.pause()
    }
  }

  func cancel() { task?.cancel() }
}
