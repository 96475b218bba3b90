import MediaTime

package struct ObserverID: Hashable, Sendable { let rawValue: UInt64 }

/// The next steps of the periodic observers in the current item (a step is a multiple of the interval), and
/// the times of the boundary observers. A pure value: positions in, steps out.
struct ObserverSchedule {
  private struct Periodic {
    let id: ObserverID
    let interval: StepInterval
    /// Only every `stride`-th step is delivered. Above 1 for intervals below `shortestInterval`.
    let stride: Int64
    /// The next step to deliver, a multiple of `stride`.
    var next: Int64 = 0

    var due: Double { Double(next) * interval.seconds }

    /// Sets the next step to the first one at or after `position` seconds.
    mutating func reset(to position: Double) {
      let steps = ((position - tolerance) / (interval.seconds * Double(stride))).rounded(.up)
      next = Int64(max(0, min(steps, 9e15))) * stride
    }

    mutating func take(_ count: Int64) -> StepRun {
      defer { next += count * stride }
      return StepRun(observer: id, interval: interval, first: next, stride: stride, count: count)
    }

    /// Takes all steps up to `end` seconds; nil if none is due.
    mutating func take(upTo end: Double) -> StepRun? {
      let last = (end / interval.seconds).rounded(.down)
      return last < Double(next) ? nil : take((Int64(min(last, 9e15)) - next) / stride + 1)
    }
  }

  /// The shortest delivered interval in seconds. Of a shorter interval some steps are skipped, as AVPlayer.h
  /// permits: no person or screen could follow all of them, and each call costs a wake-up.
  static let shortestInterval = 0.001

  /// The tolerance in seconds within which positions are equal: far below a frame (5 µs at 192 kHz), far
  /// above the rounding error of doubles in a day of media.
  static let tolerance = 1e-8

  private var periodic: [Periodic] = []
  /// The times of the boundary observers in seconds, ascending; equal times in the order of registration.
  private var boundaries: [(time: Double, id: ObserverID)] = []
  private var firedUpTo: Double?

  var isEmpty: Bool { periodic.isEmpty && boundaries.isEmpty }

  /// Adds an observer whose first step is at or after `position` seconds.
  mutating func addPeriodic(_ id: ObserverID, interval: CMTime, position: Double) {
    let seconds = interval.seconds
    let stride = Int64(min(max((Self.shortestInterval / seconds).rounded(.up), 1), 1e15))
    let interval = StepInterval(value: interval.value, timescale: interval.timescale)
    var observer = Periodic(id: id, interval: interval, stride: stride)
    observer.reset(to: position)
    periodic.append(observer)
  }

  mutating func addBoundary(_ id: ObserverID, times: [CMTime]) {
    boundaries += times.map { ($0.seconds, id) }.filter { $0.0.isFinite }
    boundaries.sort { ($0.time, $0.id.rawValue) < ($1.time, $1.id.rawValue) }
  }

  mutating func remove(_ id: ObserverID) {
    periodic.removeAll { $0.id == id }
    boundaries.removeAll { $0.id == id }
  }

  /// Resets the periodic observers, because the item changed or the position jumped to `position` seconds.
  /// Boundary observers keep no position between calls.
  mutating func reset(to position: Double) {
    for index in periodic.indices { periodic[index].reset(to: position) }
  }

  /// Delivers the steps up to `end` seconds that were not delivered yet, and the boundaries after `start` up
  /// to `end`. `isItemEnd` excludes a step at `end` itself, because an item of n seconds has steps 0 ..< n.
  mutating func advance(from start: Double, to end: Double, isItemEnd: Bool, due: (Delivery) -> Void) {
    let limit = isItemEnd ? end - Self.tolerance : end + Self.tolerance
    if periodic.count == 1, boundaries.isEmpty {
      if let run = periodic[0].take(upTo: limit) { due(.steps(run)) }
      return
    }
    // Several observers: steps ordered by time, then by registration. The boundaries passed before a step
    // come first.
    while let index = earliest(), periodic[index].due <= limit {
      fireBoundaries(from: start, to: min(periodic[index].due, end), due: due)
      due(.steps(periodic[index].take(1)))
    }
    fireBoundaries(from: start, to: end, due: due)
    firedUpTo = nil
  }

  /// Returns the next position in seconds after `position` at which a call is due; nil if none is.
  func nextDue(after position: Double) -> Double? {
    let step = earliest().map { periodic[$0].due }
    let boundary = boundaries.first { $0.time > position + Self.tolerance }?.time
    guard let step, let boundary else { return step ?? boundary }
    return min(step, boundary)
  }

  /// Returns the observer calls for a start, stop or jump of playback at `position`. A step that coincides
  /// with `position` is delivered as that step, and never twice.
  mutating func calls(at position: Double) -> (steps: [StepRun], exact: [ObserverID]) {
    var steps: [StepRun] = []
    var exact: [ObserverID] = []
    for index in periodic.indices {
      let observer = periodic[index]
      let previous = Double(observer.next - observer.stride) * observer.interval.seconds
      if observer.next > 0, abs(previous - position) <= Self.tolerance { continue }
      if abs(observer.due - position) <= Self.tolerance {
        steps.append(periodic[index].take(1))
      } else {
        exact.append(observer.id)
      }
    }
    return (steps, exact)
  }

  private func earliest() -> Int? { periodic.indices.min { periodic[$0].due < periodic[$1].due } }

  private mutating func fireBoundaries(from start: Double, to end: Double, due: (Delivery) -> Void) {
    let start = max(start, firedUpTo ?? start)
    guard end > start else { return }
    firedUpTo = end
    for (time, id) in boundaries where time > start + Self.tolerance && time <= end + Self.tolerance {
      due(.boundary(id))
    }
  }
}
