import MediaTime

/// The engine's number of a time observer.
public typealias ObserverID = UInt64

/// Which steps of which observer are due next in the current item. A pure value: places in, steps out.
struct ObserverSchedule {
  /// Steps `first`, `first + stride` … of one observer.
  struct StepRun: Hashable, Sendable {
    var observer: ObserverID
    var first: Int64
    var stride: Int64
    var count: Int64
  }

  /// What becomes due.
  enum Due: Hashable, Sendable {
    case steps(StepRun)
    case boundary(ObserverID)
  }

  struct Periodic {
    /// Interval in units of 1/timescale seconds, above zero.
    var value: Int64
    var timescale: CMTimeScale
    /// Only every stride-th step is delivered; 1 but for intervals below `shortestInterval`.
    var stride: Int64
    /// The next step to deliver, a multiple of `stride`.
    var next: Int64 = 0

    var interval: Double { Double(value) / Double(timescale) }
    func seconds(ofStep step: Int64) -> Double { Double(step) * interval }
    /// Step `step` as a time; a step whose value no longer fits says so by the overflow's own infinity.
    func time(ofStep step: Int64) -> CMTime {
      let (product, overflow) = step.multipliedReportingOverflow(by: value)
      return overflow ? .positiveInfinity : CMTime(value: product, timescale: timescale)
    }
  }

  private struct Boundary {
    /// Seconds, ascending.
    var times: [Double]
  }

  /// Steps closer than this are thinned, as AVPlayer.h allows for very short intervals: nothing that a person or a
  /// screen follows is faster, and each call costs a wake-up.
  static let shortestInterval = 0.001

  /// Two places closer than this are the same: far below a frame (5 µs at 192 kHz), far above what double
  /// arithmetic loses in a day of media.
  static let tolerance = 1e-8

  private(set) var periodic: [(id: ObserverID, observer: Periodic)] = []
  private var boundaries: [(id: ObserverID, boundary: Boundary)] = []

  var isEmpty: Bool { periodic.isEmpty && boundaries.isEmpty }

  /// Adds an observer whose first step comes at or after `position` seconds.
  mutating func addPeriodic(_ id: ObserverID, interval: CMTime, position: Double) {
    let seconds = interval.seconds
    let stride = max(1, Int64((Self.shortestInterval / seconds).rounded(.up).clamped(to: 1...1e15)))
    var observer = Periodic(value: interval.value, timescale: interval.timescale, stride: stride)
    observer.next = Self.firstStep(of: observer, from: position)
    periodic.append((id, observer))
  }

  mutating func addBoundary(_ id: ObserverID, times: [CMTime]) {
    boundaries.append((id, Boundary(times: times.map(\.seconds).filter { $0.isFinite }.sorted())))
  }

  mutating func remove(_ id: ObserverID) {
    periodic.removeAll { $0.id == id }
    boundaries.removeAll { $0.id == id }
  }

  func periodic(_ id: ObserverID) -> Periodic? { periodic.first { $0.id == id }?.observer }

  /// The item changed or the position jumped to `position`.
  mutating func reset(to position: Double) {
    for index in periodic.indices {
      periodic[index].observer.next = Self.firstStep(of: periodic[index].observer, from: position)
    }
  }

  /// Moves from `start` (exclusive for boundaries) to `end` seconds. `isItemEnd` excludes `end` itself: an item of
  /// n seconds has steps 0 ..< n.
  mutating func advance(from start: Double, to end: Double, isItemEnd: Bool, due: (Due) -> Void) {
    let limit = isItemEnd ? end - Self.tolerance : end + Self.tolerance
    if periodic.count == 1, boundaries.isEmpty {
      if let run = takeSteps(at: 0, upTo: limit) { due(.steps(run)) }
      return
    }
    // Several observers: in the order of their times, the earlier added one first.
    while let index = earliest(),
      periodic[index].observer.seconds(ofStep: periodic[index].observer.next) <= limit
    {
      let step = periodic[index].observer.next
      fireBoundaries(from: start, to: min(periodic[index].observer.seconds(ofStep: step), end), due: due)
      let run = StepRun(
        observer: periodic[index].id, first: step, stride: periodic[index].observer.stride, count: 1)
      periodic[index].observer.next = step + run.stride
      due(.steps(run))
    }
    fireBoundaries(from: start, to: end, due: due)
    firedUpTo = nil
  }

  /// The next place in seconds that something is due at, after `position`; nil if nothing is.
  func nextDue(after position: Double) -> Double? {
    var result = earliest().map { periodic[$0].observer.seconds(ofStep: periodic[$0].observer.next) }
    for entry in boundaries {
      guard let time = entry.boundary.times.first(where: { $0 > position + Self.tolerance }) else { continue }
      result = min(result ?? time, time)
    }
    return result
  }

  /// Playback started, stopped or jumped at `position`: the observers that are to be called with that very time.
  /// A step that falls on the place is delivered as the step; who got that step already is left out, since no
  /// step comes twice.
  mutating func calls(at position: Double) -> (steps: [StepRun], exact: [ObserverID]) {
    var steps: [StepRun] = []
    var exact: [ObserverID] = []
    for index in periodic.indices {
      let observer = periodic[index].observer
      let previous = observer.seconds(ofStep: observer.next - observer.stride)
      if observer.next > 0, abs(previous - position) <= Self.tolerance { continue }
      if abs(observer.seconds(ofStep: observer.next) - position) <= Self.tolerance {
        steps.append(
          StepRun(observer: periodic[index].id, first: observer.next, stride: observer.stride, count: 1))
        periodic[index].observer.next += observer.stride
      } else {
        exact.append(periodic[index].id)
      }
    }
    return (steps, exact)
  }

  // MARK: -

  private var firedUpTo: Double?

  private static func firstStep(of observer: Periodic, from position: Double) -> Int64 {
    let steps = ((position - tolerance) / (observer.interval * Double(observer.stride))).rounded(.up)
    return Int64(max(0, min(steps, 9e15))) * observer.stride
  }

  private mutating func takeSteps(at index: Int, upTo limit: Double) -> StepRun? {
    let observer = periodic[index].observer
    let last = (limit / observer.interval).rounded(.down)
    guard last >= Double(observer.next) else { return nil }
    let count = (Int64(min(last, 9e15)) - observer.next) / observer.stride + 1
    let run = StepRun(
      observer: periodic[index].id, first: observer.next, stride: observer.stride, count: count)
    periodic[index].observer.next += count * observer.stride
    return run
  }

  private func earliest() -> Int? {
    periodic.indices.min { left, right in
      periodic[left].observer.seconds(ofStep: periodic[left].observer.next)
        < periodic[right].observer.seconds(ofStep: periodic[right].observer.next)
    }
  }

  private mutating func fireBoundaries(from start: Double, to end: Double, due: (Due) -> Void) {
    let start = max(start, firedUpTo ?? start)
    guard end > start else { return }
    firedUpTo = end
    for entry in boundaries {
      for time in entry.boundary.times where time > start + Self.tolerance && time <= end + Self.tolerance {
        due(.boundary(entry.id))
      }
    }
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
