import AudioCore
import DequeModule
package import HostTime
import MediaTime
import Synchronization

/// What goes out to one queue, in order.
///
/// What the application's own calls changed goes ahead of the rest: `deliverOwn` delivers it inside the call, while what
/// was found out elsewhere keeps its turn on the queue. A call decides: what was found out before of the same
/// property, and not delivered yet, is no longer news and is dropped; so are the steps in an item that a call has left.
///
/// However slow its queue is, a lane holds at most one pending block on it and at most one second of steps for
/// each observer: older ones give way to the newest, and that is counted. So a slow client cannot build a backlog.
///
/// Nothing begins while its gate is closed; what comes is kept, in order.
package final class DeliveryLane: Sendable {
  /// Steps of one observer that wait.
  private struct Backlog {
    var steps: Int64 = 0
    /// Seconds between two of them.
    var interval: Double
  }

  private struct State {
    var waiting = Deque<Delivery>()
    /// What the application's calls changed, in their order: before all that waits.
    var own = Deque<EngineNotice>()
    /// The rest of a delivery during which the gate was closed: first of all when it is open again.
    var rest = Deque<@Sendable () -> Void>()
    var isScheduled = false
    var isClosed = false
    /// How often something came, but for what calls changed.
    var arrivals: UInt64 = 0
    var backlogs: [ObserverID: Backlog] = [:]
    var coalesced: Int64 = 0

    /// Whether there is nothing to deliver.
    var isEmpty: Bool { waiting.isEmpty && own.isEmpty && rest.isEmpty }

    /// Drops what waits for observers, but for what is in `item` already.
    mutating func dropSteps(before item: ItemID?) {
      var isInItem = false
      for delivery in waiting {
        if case .notice(.currentItemChanged(let next)) = delivery { isInItem = next == item }
      }
      let end = isInItem ? waiting.lastIndex { $0.notice?.property == .currentItem } ?? 0 : waiting.endIndex
      dropSteps(at: 0..<end)
    }

    /// Drops what waits for observers in `item`, where that is not told as the current one yet.
    mutating func dropSteps(in item: ItemID) {
      let start = waiting.firstIndex {
        if case .notice(.currentItemChanged(item)) = $0 { true } else { false }
      }
      guard let start else { return }
      let end = waiting[(start + 1)...].firstIndex { $0.notice?.property == .currentItem }
      dropSteps(at: start..<(end ?? waiting.endIndex))
    }

    private mutating func dropSteps(at range: Range<Int>) {
      for case .steps(let run) in waiting[range] { backlogs[run.observer]?.steps -= run.count }
      waiting.replaceSubrange(range, with: waiting[range].filter { $0.observer == nil })
    }
  }

  let queue: any DeliveryQueue
  private let gate: CallGate
  private let state = Mutex(State())
  private let deliver: @Sendable (Delivery) -> Void
  private let onDrained: @Sendable () -> Void

  /// `deliver` is called on `queue` (or inside `drain` of who is on it), one delivery at a time; a run of steps
  /// comes as runs of one. `onDrained` is called there when nothing is left.
  init(
    queue: any DeliveryQueue, gate: CallGate, onDrained: @escaping @Sendable () -> Void = {},
    deliver: @escaping @Sendable (Delivery) -> Void
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

  /// Adds work; `wake` must follow.
  package func append(_ work: @escaping @Sendable () -> Void) { append(Delivery.work(work)) }

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

  /// Adds a delivery; `wake` must follow, outside all locks.
  func append(_ delivery: Delivery) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.arrivals += 1
      guard case .steps(var run) = delivery else {
        state.waiting.append(delivery)
        return
      }
      let interval = run.interval.seconds * Double(run.stride)
      let waiting = state.backlogs[run.observer]?.steps ?? 0
      // Only what its own queue has not taken counts: a run that is long because the conductor was late is whole.
      if waiting > 0, Double(waiting) * interval >= 1 {
        state.waiting.removeAll {
          if case .steps(let old) = $0 { old.observer == run.observer } else { false }
        }
        state.coalesced += waiting + run.count - 1
        state.backlogs[run.observer] = Backlog(steps: 1, interval: interval)
        run.first = run.end - run.stride
        run.count = 1
        state.waiting.append(.steps(run))
        return
      }
      state.backlogs[run.observer] = Backlog(steps: waiting + run.count, interval: interval)
      if case .steps(var last) = state.waiting.last, last.observer == run.observer, last.end == run.first {
        last.count += run.count
        state.waiting[state.waiting.count - 1] = .steps(last)
      } else {
        state.waiting.append(delivery)
      }
    }
  }

  /// Adds what a call of the application changed; `deliverOwn` or `wake` must follow, outside all locks.
  func appendOwn(_ notice: EngineNotice) {
    state.withLock { state in
      guard !state.isClosed else { return }
      if case .currentItemChanged(let item) = notice { state.dropSteps(before: item) }
      if let property = notice.property {
        state.waiting.removeAll { $0.notice?.property == property }
      }
      state.own.append(notice)
    }
  }

  /// Forgets what waits for observers in `item`, where that is not told as the current one yet: a call has taken it out.
  func forget(stepsIn item: ItemID) { state.withLock { $0.dropSteps(in: item) } }

  /// Whether something waits that says how the queue of items went on by itself.
  var holdsProgress: Bool { state.withLock { $0.waiting.contains { $0.notice?.isProgress == true } } }

  /// Puts a block on the queue if there is something to deliver and none is there.
  package func wake() {
    let needed = state.withLock { state in
      guard !state.isEmpty, !state.isScheduled, gate.isOpen else { return false }
      state.isScheduled = true
      return true
    }
    guard needed else { return }
    queue.enqueue { [weak self] in
      self?.takeTurn()
    }
  }

  /// Delivers what there is, until something comes meanwhile: the rest waits for another turn. A client that takes longer
  /// for a step than the next one takes to come would otherwise leave its queue to nothing else, ever.
  private func takeTurn() {
    let arrivals = state.withLock { state in
      state.isScheduled = false
      return state.arrivals
    }
    var isFirst = true
    deliverAll {
      defer { isFirst = false }
      return isFirst || self.state.withLock { $0.arrivals == arrivals } ? self.next() : nil
    }
    if state.withLock({ $0.arrivals == arrivals || $0.isEmpty }) { onDrained() } else { wake() }
  }

  /// Delivers everything there is, on the caller's thread, which must be the queue's.
  package func drain() {
    deliverAll { self.next() }
    onDrained()
  }

  /// Delivers what the application's calls changed, and only that, on the caller's thread, which must be the queue's.
  func deliverOwn() { deliverAll { self.nextOwn() } }

  private func deliverAll(_ next: () -> Delivery?) {
    while gate.enter() {
      defer { gate.leave() }
      guard let delivery = next() else { break }
      if case .work(let work) = delivery { work() } else { deliver(delivery) }
    }
  }

  /// Forgets what waits and takes nothing more.
  package func close() {
    // What is dropped may own anything: it goes outside the lock.
    let dropped = state.withLock { state in
      state.isClosed = true
      state.backlogs = [:]
      defer {
        state.waiting = []
        state.own = []
        state.rest = []
      }
      return (state.waiting, state.own, state.rest)
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
      state.waiting.removeAll { $0.observer == observer }
    }
  }

  /// A delivery that was broken off comes first: it has begun.
  private func nextOwn() -> Delivery? {
    state.withLock { state in
      state.rest.popFirst().map { .work($0) } ?? state.own.popFirst().map { .notice($0) }
    }
  }

  private func next() -> Delivery? {
    if let own = nextOwn() { return own }
    return state.withLock { state in
      guard case .steps(var run) = state.waiting.first else { return state.waiting.popFirst() }
      var one = run
      one.count = 1
      run.first += run.stride
      run.count -= 1
      state.backlogs[run.observer]?.steps -= 1
      if run.count == 0 { state.waiting.removeFirst() } else { state.waiting[0] = .steps(run) }
      return .steps(one)
    }
  }
}
