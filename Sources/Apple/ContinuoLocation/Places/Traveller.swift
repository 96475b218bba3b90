import Clocks
import Synchronization

/// A simulated device on a track. Reports its location at each whole second of the track, and at its end.
final class Traveller: PlaceSource {
  private struct State {
    var report: (@Sendable (PlaceReport) -> Void)?
    /// The second of the track that is reported next.
    var next = 0
    var worker: (any Worker)?
    /// The number of the current start. Workers of earlier starts make no more reports.
    var run = 0
  }

  private let track: Track
  private let clock: any HostClock
  /// The number of seconds of the track per second of the clock.
  private let speed: Double
  /// The departure on the clock, and its timestamp in seconds since 1970.
  private let departure: HostTime
  private let startTime: Double
  private let state = Mutex(State())

  /// Creates a device that departs now. `startTime` is the timestamp of the departure, in seconds since 1970.
  init(_ track: Track, speed: Double, clock: any HostClock, startTime: Double) {
    self.track = track
    self.speed = speed
    self.clock = clock
    self.startTime = startTime
    departure = clock.now
  }

  deinit { state.withLock { $0.worker }?.cancel() }

  func start(_ report: @escaping @Sendable (PlaceReport) -> Void) {
    // The current location is that of the last whole second, or the end of the track.
    let elapsed = min(self.elapsed, track.duration)
    let run = state.withLock { state in
      state.report = report
      state.next = elapsed == track.duration ? last : Int(elapsed)
      state.run += 1
      return state.run
    }
    let worker = clock.makeWorker("location") { [weak self] in self?.go(run) ?? .whenSignalled }
    state.withLock { $0.worker = worker }
  }

  func stop() {
    let worker = state.withLock { state in
      state.report = nil
      return state.worker.take()
    }
    // The worker's thread may be inside a report, even the one that causes this stop.
    worker?.cancelLater()
  }

  private var elapsed: Double { max(0, clock.now.seconds(since: departure)) * speed }

  private var last: Int { Int(track.duration.rounded(.up)) }

  private func moment(of number: Int) -> Double { min(Double(number), track.duration) }

  /// Makes all due reports, including late ones. Returns the time of the next report, or `whenSignalled` after the last.
  private func go(_ run: Int) -> WorkerNext {
    while true {
      let (report, number) = state.withLock { state -> ((@Sendable (PlaceReport) -> Void)?, Int) in
        guard let report = state.report, state.run == run, state.next <= last else { return (nil, .max) }
        guard dueTime(of: state.next) <= clock.now else { return (nil, state.next) }
        defer { state.next += 1 }
        return (report, state.next)
      }
      guard let report else { return number <= last ? .at(dueTime(of: number)) : .whenSignalled }
      report(.place(track.place(at: moment(of: number), time: startTime + moment(of: number))))
    }
  }

  private func dueTime(of number: Int) -> HostTime {
    departure.advanced(bySeconds: moment(of: number) / speed)
  }
}
