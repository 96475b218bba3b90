import HostTime
import Synchronization

/// A device that goes along a track: reports where it is at each whole second of the way, and at its end.
final class Traveller: PlaceSource {
  private struct State {
    var report: (@Sendable (PlaceReport) -> Void)?
    /// Which second of the way is reported next.
    var next = 0
    var worker: (any Worker)?
    /// Counts the starts: what an earlier one has left running does nothing more.
    var run = 0
  }

  private let track: Track
  private let clock: any HostClock
  /// Seconds of the way in a second of the clock.
  private let speed: Double
  /// When the device left, on the clock, and what that moment is called, in seconds since 1970.
  private let departure: HostTime
  private let startTime: Double
  private let state = Mutex(State())

  /// A device that leaves now. `startTime` is what the moment of its departure is called, in seconds since 1970.
  init(_ track: Track, speed: Double, clock: any HostClock, startTime: Double) {
    self.track = track
    self.speed = speed
    self.clock = clock
    self.startTime = startTime
    departure = clock.now
  }

  deinit { state.withLock { $0.worker }?.cancel() }

  func start(_ report: @escaping @Sendable (PlaceReport) -> Void) {
    // The place at which it came by last is the present one.
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
      defer {
        state.worker = nil
        state.report = nil
      }
      return state.worker
    }
    // Its thread may be busy with a report, which may be what leads to this stop.
    if let worker { WorkerEnd.cancel(worker) }
  }

  private var elapsed: Double { max(0, clock.now.seconds(since: departure)) * speed }

  /// The number of the last report.
  private var last: Int { Int(track.duration.rounded(.up)) }

  private func moment(of number: Int) -> Double { min(Double(number), track.duration) }

  /// Reports what is due: late reports are made up for, none is left out.
  private func go(_ run: Int) -> WorkerNext {
    while true {
      let due: (number: Int, report: @Sendable (PlaceReport) -> Void)? = state.withLock { state in
        guard let report = state.report, state.run == run, state.next <= last else { return nil }
        let number = state.next
        guard dueTime(of: number) <= clock.now else { return nil }
        state.next += 1
        return (number, report)
      }
      guard let due else { break }
      let moment = moment(of: due.number)
      due.report(.place(track.place(at: moment, time: startTime + moment)))
    }
    let next = state.withLock { $0.report == nil || $0.run != run ? Int.max : $0.next }
    return next <= last ? .at(dueTime(of: next)) : .whenSignalled
  }

  private func dueTime(of number: Int) -> HostTime {
    departure.advanced(bySeconds: moment(of: number) / speed)
  }
}
