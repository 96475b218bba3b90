package import Clocks
package import ControlProtocol
package import Jukebox
import Synchronization

/// Ends the playback of a jukebox after a time or with the current song, with a fade. The jukebox pauses; the
/// volume that clients see does not change.
package final class SleepTimer: Sendable {
  private let host: JukeboxHost
  private let clock: any HostClock
  private let plan = Mutex<SleepPlan?>(nil)
  private let worker = LazyWorker()

  package init(host: JukeboxHost, clock: any HostClock) {
    self.host = host
    self.clock = clock
  }

  deinit { worker.cancel() }

  /// Replaces the pending end of playback. Throws `notPlaying` if the request is `song` and playback is
  /// stopped. Any thread.
  package func set(_ request: SleepRequest) throws(JukeboxError) {
    try host.change { machine throws(JukeboxError) in
      guard request != .song || machine.state != .stopped else { throw .notPlaying }
      machine.setPausesAfterSong(request == .song)
    }
    let new = SleepPlan(request, now: clock.now)
    plan.withLock { $0 = new }
    worker.signal {
      new == nil
        ? nil : clock.makeWorker("sleep") { [weak self] in self?.work() ?? .whenSignalled }
    }
  }

  /// The pending end: `off`, `song`, or the time until the end, in seconds. Any thread.
  package var pending: String {
    switch plan.withLock({ $0?.end }) {
    case nil: "off"
    case .song: host.read { $0.pausesAfterSong } ? "song" : "off"
    case .at(let end): "\(Milliseconds(seconds: max(0, end.seconds(since: clock.now))))"
    }
  }

  private func work() -> WorkerNext {
    guard let current = plan.withLock({ $0 }) else {
      // A step of a withdrawn plan may have reduced the volume.
      host.setFade(1)
      return .whenSignalled
    }
    let now = clock.now
    let step = current.step(at: now, remaining: remaining)
    // The jukebox has paused at the end of the song, or was stopped.
    let isOver = current.end == .song && !host.read { $0.pausesAfterSong }
    if !isOver, let next = step.next {
      host.setFade(step.gain)
      return .at(next)
    }
    // A new plan may have replaced this one since it was read.
    let isCurrent = plan.withLock { plan in
      guard plan?.end == current.end else { return false }
      plan = nil
      return true
    }
    if isCurrent, !isOver { try? host.change { $0.pause(true) } }
    return .again
  }

  /// The time until the end of the current song, in seconds at the present speed; nil if unknown.
  private var remaining: Double? {
    let (id, speed, known) = host.read { ($0.currentID, $0.speed.factor, $0.currentSong?.song.duration) }
    guard let id else { return nil }
    let time = host.place.time(of: id)
    guard let seconds = time.seconds, let duration = time.duration ?? known else { return nil }
    return (duration - seconds) / speed
  }
}
