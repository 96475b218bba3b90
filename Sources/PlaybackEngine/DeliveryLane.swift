package import AudioCore
import DequeModule
import MediaTime
import Synchronization

/// What goes out to one queue, in order.
///
/// However slow its queue is, a lane holds at most one pending block on it and at most one second of steps for
/// each observer: older ones give way to the newest, and that is counted. So a slow client cannot build a backlog.
///
/// Nothing begins while its gate is closed; what comes is kept, in order.
package final class DeliveryLane: Sendable {
  enum Entry: Sendable {
    case notice(EngineNotice)
    case steps(ObserverSchedule.StepRun, value: Int64, timescale: CMTimeScale)
    case call(ObserverID, CMTime)
    case boundary(ObserverID)
    case work(@Sendable () -> Void)
  }

  /// Steps of one observer that wait.
  private struct Backlog {
    var steps: Int64 = 0
    /// Seconds between two of them.
    var interval: Double
  }

  private struct State {
    var entries = Deque<Entry>()
    /// The rest of an entry during which the gate was closed: first of all when it is open again.
    var rest = Deque<@Sendable () -> Void>()
    var isScheduled = false
    var isClosed = false
    var backlogs: [ObserverID: Backlog] = [:]
    var coalesced: Int64 = 0
  }

  let queue: any DeliveryQueue
  private let gate: CallGate
  private let state = Mutex(State())
  private let deliver: @Sendable (Entry) -> Void
  private let onDrained: @Sendable () -> Void

  /// `deliver` is called on `queue` (or inside `drain` of who is on it), one entry at a time; a run of steps comes
  /// as runs of one. `onDrained` is called there when nothing is left.
  init(
    queue: any DeliveryQueue, gate: CallGate, onDrained: @escaping @Sendable () -> Void = {},
    deliver: @escaping @Sendable (Entry) -> Void
  ) {
    self.queue = queue
    self.gate = gate
    self.onDrained = onDrained
    self.deliver = deliver
  }

  /// A lane for work alone.
  package convenience init(queue: any DeliveryQueue, gate: CallGate) {
    self.init(queue: queue, gate: gate) { _ in }
  }

  /// Adds work; `wake` or `drain` must follow.
  package func append(_ work: @escaping @Sendable () -> Void) { append(.work(work)) }

  /// Runs `work`, the rest of what the lane delivers just now, at once; or first of all when the gate is open again,
  /// if it was closed meanwhile. Only for a caller that the lane called.
  package func carryOn(_ work: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      if state.isClosed { return false }
      if gate.isOpen, state.rest.isEmpty { return true }
      state.rest.append(work)
      return false
    }
    if isNow { work() }
  }

  /// Runs `work` at once on the caller's thread. False if the gate is closed; a closed lane drops it.
  package func callNow(_ work: () -> Void) -> Bool {
    guard gate.enter() else { return false }
    defer { gate.leave() }
    if !isClosed { work() }
    return true
  }

  /// Whether a call may begin now.
  package var mayCall: Bool { gate.isOpen && !isClosed }

  /// Whether nothing is delivered any more, ever.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Adds an entry; `wake` must follow, outside all locks.
  func append(_ entry: Entry) {
    state.withLock { state in
      guard !state.isClosed else { return }
      guard case .steps(let run, let value, let timescale) = entry else {
        state.entries.append(entry)
        return
      }
      let interval = Double(value) / Double(timescale) * Double(run.stride)
      let waiting = state.backlogs[run.observer]?.steps ?? 0
      // Only what its own queue has not taken counts: a run that is long because the conductor was late is whole.
      if waiting > 0, Double(waiting) * interval >= 1 {
        state.entries.removeAll {
          if case .steps(let old, _, _) = $0 { return old.observer == run.observer }
          return false
        }
        state.coalesced += waiting + run.count - 1
        state.backlogs[run.observer] = Backlog(steps: 1, interval: interval)
        var newest = run
        newest.first += (run.count - 1) * run.stride
        newest.count = 1
        state.entries.append(.steps(newest, value: value, timescale: timescale))
        return
      }
      state.backlogs[run.observer] = Backlog(steps: waiting + run.count, interval: interval)
      if case .steps(var last, _, _) = state.entries.last, last.observer == run.observer,
        last.first + last.count * last.stride == run.first
      {
        last.count += run.count
        state.entries[state.entries.count - 1] = .steps(last, value: value, timescale: timescale)
      } else {
        state.entries.append(entry)
      }
    }
  }

  /// Puts a block on the queue if there is something to deliver and none is there.
  package func wake() {
    let needed = state.withLock { state in
      guard !state.entries.isEmpty || !state.rest.isEmpty, !state.isScheduled, gate.isOpen else {
        return false
      }
      state.isScheduled = true
      return true
    }
    guard needed else { return }
    queue.enqueue { [weak self] in
      guard let self else { return }
      self.state.withLock { $0.isScheduled = false }
      self.drain()
    }
  }

  /// Delivers everything there is, on the caller's thread, which must be the queue's.
  package func drain() {
    while gate.enter() {
      defer { gate.leave() }
      guard let entry = next() else { break }
      if case .work(let work) = entry { work() } else { deliver(entry) }
    }
    onDrained()
  }

  /// Forgets what waits and takes nothing more.
  package func close() {
    // What is dropped may own anything: it goes outside the lock.
    let dropped = state.withLock { state in
      state.isClosed = true
      state.backlogs = [:]
      defer {
        state.entries = []
        state.rest = []
      }
      return (state.entries, state.rest)
    }
    withExtendedLifetime(dropped) {}
  }

  /// How many steps were left out because the queue was more than a second behind, since the last time this was
  /// asked.
  func takeCoalesced() -> Int64 {
    state.withLock { state in
      defer { state.coalesced = 0 }
      return state.coalesced
    }
  }

  /// How many seconds the observer that is furthest behind has waiting.
  var backlogSeconds: Double {
    state.withLock { $0.backlogs.values.map { Double($0.steps) * $0.interval }.max() ?? 0 }
  }

  /// Forgets what waits for an observer that is gone.
  func forget(_ observer: ObserverID) {
    state.withLock { state in
      state.backlogs[observer] = nil
      state.entries.removeAll {
        switch $0 {
        case .steps(let run, _, _): run.observer == observer
        case .call(let id, _), .boundary(let id): id == observer
        case .notice, .work: false
        }
      }
    }
  }

  private func next() -> Entry? {
    state.withLock { state in
      if let work = state.rest.popFirst() { return .work(work) }
      guard let entry = state.entries.first else { return nil }
      guard case .steps(var run, let value, let timescale) = entry else {
        return state.entries.removeFirst()
      }
      var one = run
      one.count = 1
      run.first += run.stride
      run.count -= 1
      state.backlogs[run.observer]?.steps -= 1
      if run.count == 0 {
        state.entries.removeFirst()
      } else {
        state.entries[0] = .steps(run, value: value, timescale: timescale)
      }
      return .steps(one, value: value, timescale: timescale)
    }
  }
}
