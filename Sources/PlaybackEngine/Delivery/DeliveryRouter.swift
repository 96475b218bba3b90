import HostTime
import MediaTime
import Synchronization

/// Who is told what: the main lane for notices, a lane for each queue that a time observer named.
final class DeliveryRouter: Sendable {
  /// What an observer is called with.
  enum Block: Sendable {
    case periodic(@Sendable (CMTime) -> Void)
    case boundary(@Sendable () -> Void)
  }

  private struct State {
    var lanes: [ObjectIdentifier: DeliveryLane] = [:]
    var observers: [ObserverID: (lane: DeliveryLane, block: Block)] = [:]
    var lastObserver: UInt64 = 0
    var isClosed = false
  }

  let main: DeliveryLane
  let gate: CallGate
  private let state: Mutex<State>

  /// `onNotice` is called on `mainQueue`.
  init(
    mainQueue: any DeliveryQueue, gate: CallGate, onNotice: @escaping @Sendable (EngineNotice) -> Void
  ) {
    let relay = Relay(onNotice: onNotice)
    main = DeliveryLane(queue: mainQueue, gate: gate, onDrained: { relay.drained() }) { relay.deliver($0) }
    self.gate = gate
    self.relay = relay
    state = Mutex(State(lanes: [ObjectIdentifier(mainQueue): main]))
    relay.router.withLock { $0 = Weak(self) }
  }

  private let relay: Relay

  /// Lets `handler` be called on a lane's queue whenever nothing waits there any more. Once, at first.
  func whenDrained(_ handler: @escaping @Sendable () -> Void) { relay.setDrained(handler) }

  /// Carries deliveries from the lanes to the router, which does not exist yet when the main lane is made.
  private final class Relay: Sendable {
    let router = Mutex(Weak(nil))
    /// In a struct: a bare closure in a `Mutex` gets a layer more each time it is looked at (Swift 6.3.1 makes a
    /// reabstraction thunk on the way in and stores it back), so that calls became slower and deeper without end.
    private struct Handler {
      var call: (@Sendable () -> Void)?
    }

    private let onDrained = Mutex(Handler())
    let onNotice: @Sendable (EngineNotice) -> Void
    init(onNotice: @escaping @Sendable (EngineNotice) -> Void) { self.onNotice = onNotice }

    func setDrained(_ handler: @escaping @Sendable () -> Void) { onDrained.withLock { $0.call = handler } }

    func drained() { onDrained.withLock { $0.call }?() }

    func deliver(_ delivery: Delivery) {
      if case .notice(let notice) = delivery {
        onNotice(notice)
      } else {
        router.withLock { $0.value }?.deliver(delivery)
      }
    }
  }

  private struct Weak: Sendable {
    weak let value: DeliveryRouter?
    init(_ value: DeliveryRouter?) { self.value = value }
  }

  /// Registers an observer whose block runs on `queue`, the main one for nil.
  func add(_ block: Block, queue: (any DeliveryQueue)?) -> ObserverID {
    state.withLock { state in
      let lane = queue.map { laneLocked(for: $0, in: &state) } ?? main
      state.lastObserver += 1
      let id = ObserverID(rawValue: state.lastObserver)
      state.observers[id] = (lane, block)
      return id
    }
  }

  /// After the return no new call of the observer begins. False if it is unknown; after the end all are taken for
  /// known, because a client whose player was ended from outside still tidies up.
  func remove(_ id: ObserverID) -> Bool {
    let (lane, isKnown) = state.withLock { state -> (DeliveryLane?, Bool) in
      guard let lane = state.observers.removeValue(forKey: id)?.lane else { return (nil, state.isClosed) }
      // A queue is let go with its last observer.
      if lane !== main, !state.observers.values.contains(where: { $0.lane === lane }) {
        state.lanes[ObjectIdentifier(lane.queue)] = nil
      }
      return (lane, true)
    }
    lane?.forget(id)
    return isKnown
  }

  /// After the return nothing new is delivered, ever.
  func close() {
    let lanes = state.withLock { state in
      defer {
        state.lanes = [:]
        state.observers = [:]
        state.isClosed = true
      }
      return Array(state.lanes.values)
    }
    for lane in lanes { lane.close() }
  }

  /// Puts what happened on the lanes, in order, and returns those that are to be woken outside the lock.
  func route(_ deliveries: [Delivery]) -> [DeliveryLane] {
    var touched: [DeliveryLane] = []
    func append(_ delivery: Delivery, to lane: DeliveryLane) {
      lane.append(delivery)
      if !touched.contains(where: { $0 === lane }) { touched.append(lane) }
    }
    for delivery in deliveries {
      guard let observer = delivery.observer else {
        append(delivery, to: main)
        continue
      }
      guard let lane = state.withLock({ $0.observers[observer]?.lane }) else { continue }
      append(delivery, to: lane)
      let coalesced = lane.takeCoalesced()
      if coalesced > 0 { append(.notice(.stepsCoalesced(coalesced)), to: main) }
    }
    return touched
  }

  /// Delivers what was held back while the gate was closed.
  func wake() {
    for lane in state.withLock({ Array($0.lanes.values) }) { lane.wake() }
  }

  /// How many seconds of steps wait for the slowest observer.
  var backlogSeconds: Double {
    state.withLock { $0.lanes.values.map(\.backlogSeconds).max() ?? 0 }
  }

  private func laneLocked(for queue: any DeliveryQueue, in state: inout State) -> DeliveryLane {
    if let lane = state.lanes[ObjectIdentifier(queue)] { return lane }
    let lane = DeliveryLane(queue: queue, gate: gate, onDrained: { [relay] in relay.drained() }) { [relay] in
      relay.deliver($0)
    }
    state.lanes[ObjectIdentifier(queue)] = lane
    return lane
  }

  private func deliver(_ delivery: Delivery) {
    guard let observer = delivery.observer, let block = state.withLock({ $0.observers[observer]?.block })
    else { return }
    switch (delivery, block) {
    case (.steps(let run), .periodic(let block)): block(run.time)
    case (.call(_, let time), .periodic(let block)): block(time)
    case (.boundary, .boundary(let block)): block()
    default: break
    }
  }
}
