import AudioCore
package import Clocks
import DequeModule
import MediaTime
import Synchronization

/// The ordered deliveries to one queue.
///
/// Changes made by the application's own calls precede all others: `deliverOwn` delivers them inside the
/// call, whereas the engine's findings wait for a turn of the queue. A call supersedes pending findings about
/// the same property, and pending steps (calls of periodic time observers) in an item that is no longer
/// current. The lane drops both.
///
/// However slow the queue is, a lane keeps at most one pending block on it and, per observer, less than one
/// second of steps besides the newest run. Older steps coalesce into the newest and are counted, so a slow
/// client cannot build a backlog.
///
/// While the gate is closed no delivery begins; new deliveries are kept in order.
///
/// A lane retains itself: its owner must `close` it.
package final class DeliveryLane: Sendable {
  /// The pending steps of one observer.
  private struct Backlog {
    var steps: Int64 = 0
    /// The time between two steps in seconds.
    var interval: Double
  }

  private struct Turn {
    let queue: any DeliveryQueue
    let work: QueuedWork
  }

  private struct State {
    var waiting = Deque<Delivery>()
    /// Changes made by the application's calls, in order; they precede `waiting`.
    var own = Deque<EngineNotice>()
    /// Remainders of deliveries during which the gate was closed; they run first once it is open again.
    var rest = Deque<@Sendable () -> Void>()
    var isScheduled = false
    var isClosed = false
    /// A turn of the queue, made once and not for each step; nil after `close`. A queue that never runs the turn
    /// retains the lane, and must then be released with the turn.
    var turn: Turn?
    /// The number of deliveries appended, excluding changes made by calls.
    var arrivals: UInt64 = 0
    var backlogs = ObserverTable<Backlog>()

    var isEmpty: Bool { waiting.isEmpty && own.isEmpty && rest.isEmpty }

    /// Drops pending observer deliveries, except those that already belong to `item`.
    mutating func dropSteps(before item: ItemID?) {
      var isInItem = false
      for delivery in waiting {
        if case .notice(.currentItemChanged(let next)) = delivery { isInItem = next == item }
      }
      let end = isInItem ? waiting.lastIndex { $0.notice?.property == .currentItem } ?? 0 : waiting.endIndex
      dropSteps(at: 0..<end)
    }

    /// Drops pending observer deliveries in `item` if the item has not been reported as current yet.
    mutating func dropSteps(in item: ItemID) {
      let start = waiting.firstIndex {
        if case .notice(.currentItemChanged(item)) = $0 { true } else { false }
      }
      guard let start else { return }
      let end = waiting[(start + 1)...].firstIndex { $0.notice?.property == .currentItem }
      dropSteps(at: start..<(end ?? waiting.endIndex))
    }

    private mutating func dropSteps(at range: Range<Int>) {
      for case .steps(let run) in waiting[range] {
        backlogs.update(run.observer) { $0.steps -= run.count }
      }
      waiting.replaceSubrange(range, with: waiting[range].filter { $0.observer == nil })
    }

    /// Removes and returns the next delivery made by a call; nil if none is pending. Interrupted deliveries
    /// come first, because they have already begun.
    mutating func nextOwn() -> Delivery? {
      rest.popFirst().map { .work($0) } ?? own.popFirst().map { .notice($0) }
    }

    /// Removes and returns the next delivery; nil if none is pending. Of a run of steps, takes only the first
    /// step.
    mutating func next() -> Delivery? {
      if let own = nextOwn() { return own }
      guard case .steps(var run)? = waiting.first else { return waiting.popFirst() }
      waiting.removeFirst()
      backlogs.update(run.observer) { $0.steps -= 1 }
      guard run.count > 1 else { return .steps(run) }
      waiting.prepend(.steps(run.following(run.count - 1)))
      run.count = 1
      return .steps(run)
    }
  }

  /// Nil after `close`.
  var queue: (any DeliveryQueue)? { state.withLock { $0.turn?.queue } }

  private let gate: CallGate
  private let state = Mutex(State())
  private let deliver: @Sendable (Delivery) -> Void
  private let onDrained: @Sendable () -> Void

  /// Creates a lane. `deliver` is called on `queue`, or inside `drain` or `deliverOwn`, with one delivery at
  /// a time; a run of steps arrives as runs of one. `onDrained` is called on `queue` or inside `drain`, after
  /// the deliveries that the gate allowed.
  init(
    queue: any DeliveryQueue, gate: CallGate, onDrained: @escaping @Sendable () -> Void = {},
    deliver: @escaping @Sendable (Delivery) -> Void
  ) {
    self.gate = gate
    self.onDrained = onDrained
    self.deliver = deliver
    // The reference is strong until `close`. A weak one gives the lane a side table, with which each retain and
    // release takes five times as many instructions: 500 a step.
    let turn = Turn(queue: queue, work: QueuedWork { [self] in takeTurn() })
    state.withLock { $0.turn = turn }
  }

  package convenience init(queue: any DeliveryQueue, gate: CallGate) {
    self.init(queue: queue, gate: gate) { _ in }
  }

  /// Appends `work` to the deliveries. The caller must then call `wake`.
  package func append(_ work: @escaping @Sendable () -> Void) { append(Delivery.work(work)) }

  /// Runs `work`, the remainder of the current delivery, at once. If the gate was closed meanwhile, `work`
  /// runs first after it opens again. A closed lane drops `work`. Call only from inside a delivery.
  package func carryOn(_ work: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      if state.isClosed { return false }
      if gate.isOpen, state.rest.isEmpty { return true }
      state.rest.append(work)
      return false
    }
    if isNow { work() }
  }

  /// Runs `work` on the caller's thread. Returns false, without running it, if the gate is closed. A closed
  /// lane drops `work` and returns true.
  package func callNow(_ work: () -> Void) -> Bool {
    guard gate.enter() else { return false }
    defer { gate.leave() }
    if !isClosed { work() }
    return true
  }

  /// Whether a call may begin now: the gate is open and the lane is not closed.
  package var mayCall: Bool { gate.isOpen && !isClosed }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Appends a delivery; the caller must then call `wake`, outside all locks. Returns the number of steps
  /// dropped because the queue was more than one second late.
  @discardableResult
  func append(_ delivery: Delivery) -> Int64 {
    state.withLock { state in
      guard !state.isClosed else { return 0 }
      state.arrivals += 1
      guard case .steps(var run) = delivery else {
        state.waiting.append(delivery)
        return 0
      }
      let interval = run.interval.seconds * Double(run.stride)
      let waiting = state.backlogs.update(run.observer, default: Backlog(interval: interval)) { backlog in
        defer { backlog.steps += run.count }
        return backlog.steps
      }
      // Only steps that the queue has not taken yet count. A run that is long because the conductor was late
      // is therefore delivered whole.
      if waiting > 0, Double(waiting) * interval >= 1 {
        state.waiting.removeAll {
          if case .steps(let old) = $0 { old.observer == run.observer } else { false }
        }
        let coalesced = waiting + run.count - 1
        state.backlogs.update(run.observer) { $0.steps = 1 }
        run.first = run.end - run.stride
        run.count = 1
        state.waiting.append(.steps(run))
        return coalesced
      }
      if case .steps(var last) = state.waiting.last, last.observer == run.observer, last.end == run.first {
        last.count += run.count
        state.waiting[state.waiting.count - 1] = .steps(last)
      } else {
        state.waiting.append(.steps(run))
      }
      return 0
    }
  }

  /// Appends a change by the application; the caller must then call `deliverOwn` or `wake`, outside all
  /// locks.
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

  /// Drops pending observer deliveries in a removed item, if the item was not reported as current yet.
  func forget(stepsIn item: ItemID) { state.withLock { $0.dropSteps(in: item) } }

  /// Whether a notice about queue progress (item ended, failed or changed) is pending.
  var holdsProgress: Bool { state.withLock { $0.waiting.contains { $0.notice?.isProgress == true } } }

  /// Enqueues a block on the queue if the gate is open, deliveries are pending and no block is scheduled.
  package func wake() {
    let turn = state.withLock { state -> Turn? in
      guard !state.isEmpty, !state.isScheduled, gate.isOpen else { return nil }
      state.isScheduled = true
      return state.turn
    }
    if let turn { turn.queue.enqueue(turn.work) }
  }

  /// Delivers until the lane is empty or a new delivery arrives; the rest waits for another turn. Otherwise a
  /// client slower than its own steps would block its queue for other work permanently.
  private func takeTurn() {
    var arrivals: UInt64?
    deliverAll { state in
      let before = arrivals ?? state.arrivals
      arrivals = before
      return state.arrivals == before ? state.next() : nil
    }
    // The next turn is enqueued only now, so that calls stay in order even on a concurrent queue.
    let (isDrained, turn) = state.withLock { state in
      state.isScheduled = !state.isEmpty && gate.isOpen
      return (state.arrivals == arrivals || state.isEmpty, state.isScheduled ? state.turn : nil)
    }
    if isDrained { onDrained() }
    if let turn { turn.queue.enqueue(turn.work) }
  }

  /// Delivers everything pending on the caller's thread, which must be the queue's.
  package func drain() {
    deliverAll { $0.next() }
    onDrained()
  }

  /// Delivers interrupted deliveries and changes made by calls, on the caller's thread, which must be the
  /// queue's.
  func deliverOwn() { deliverAll { $0.nextOwn() } }

  /// Delivers the results of `next`, which is called under the lock, until `next` returns nil or the gate is
  /// closed.
  private func deliverAll(_ next: (inout State) -> Delivery?) {
    while gate.enter() {
      defer { gate.leave() }
      guard let delivery = state.withLock({ next(&$0) }) else { break }
      if case .work(let work) = delivery { work() } else { deliver(delivery) }
      if state.withLock({ $0.isEmpty }) { break }
    }
  }

  /// Drops all pending deliveries and accepts no more.
  package func close() {
    // Dropped values may run arbitrary deinitializers, so they are released outside the lock.
    var dropped = State(isClosed: true)
    state.withLock { swap(&$0, &dropped) }
  }

  /// The longest backlog of any observer, in seconds.
  var backlogSeconds: Double {
    state.withLock { $0.backlogs.values.reduce(0) { max($0, Double($1.steps) * $1.interval) } }
  }

  /// Drops the pending deliveries of a removed observer.
  func forget(_ observer: ObserverID) {
    state.withLock { state in
      state.backlogs[observer] = nil
      state.waiting.removeAll { $0.observer == observer }
    }
  }
}
