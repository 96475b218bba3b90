import Clocks
import DequeModule
import MediaTime
import Synchronization

/// Routes deliveries: notices to the main lane, observer calls to one lane per queue.
final class DeliveryRouter: Sendable {
  /// An observer's callback, periodic or boundary.
  enum Block: Sendable {
    case periodic(@Sendable (CMTime) -> Void)
    case boundary(@Sendable () -> Void)
  }

  private struct State {
    /// The lane of each queue.
    var lanes: [DeliveryLane]
    var observers = ObserverTable<DeliveryLane>()
    var lastObserver: UInt64 = 0
    var isClosed = false
  }

  /// The delivery targets. The lanes retain this object and not the router, because the router retains the
  /// lanes.
  private final class Recipients: Sendable {
    let blocks = Mutex(ObserverTable<Block>())
    /// A struct, because a closure stored directly in a `Mutex` grows on each access: Swift 6.3.1 wraps it in
    /// another reabstraction thunk and stores that back. Calls became slower and deeper without limit.
    struct Handlers {
      var onNotice: (@Sendable (EngineNotice) -> Void)?
      var onDrained: (@Sendable () -> Void)?
    }

    let handlers = Mutex(Handlers())

    func deliver(_ delivery: Delivery) {
      switch delivery {
      case .notice(let notice): handlers.withLock { $0.onNotice }?(notice)
      case .steps(let run): if case .periodic(let block) = block(of: run.observer) { block(run.time) }
      case .call(let id, let time): if case .periodic(let block) = block(of: id) { block(time) }
      case .boundary(let id): if case .boundary(let block) = block(of: id) { block() }
      case .work: break
      }
    }

    private func block(of observer: ObserverID) -> Block? { blocks.withLock { $0[observer] } }
  }

  let main: DeliveryLane
  let gate: CallGate
  private let recipients: Recipients
  private let state: Mutex<State>

  init(mainQueue: any DeliveryQueue, gate: CallGate) {
    let recipients = Recipients()
    self.recipients = recipients
    self.gate = gate
    main = Self.lane(for: mainQueue, gate: gate, to: recipients)
    state = Mutex(State(lanes: [main]))
  }

  private static func lane(
    for queue: any DeliveryQueue, gate: CallGate, to recipients: Recipients
  ) -> DeliveryLane {
    let onDrained: @Sendable () -> Void = { recipients.handlers.withLock { $0.onDrained }?() }
    return DeliveryLane(queue: queue, gate: gate, onDrained: onDrained, deliver: recipients.deliver)
  }

  /// Sets the handlers: `onNotice` is called on the main queue with each notice, `onDrained` on a lane's
  /// queue after each turn that was not cut short by a new delivery. Call once, before the first delivery.
  func start(onNotice: @escaping @Sendable (EngineNotice) -> Void, onDrained: (@Sendable () -> Void)?) {
    recipients.handlers.withLock { $0 = .init(onNotice: onNotice, onDrained: onDrained) }
  }

  /// Registers an observer whose block runs on `queue`, or on the main queue for nil.
  func add(_ block: Block, queue: (any DeliveryQueue)?) -> ObserverID {
    state.withLock { state in
      state.lastObserver += 1
      let id = ObserverID(rawValue: state.lastObserver)
      recipients.blocks.withLock { $0[id] = block }
      var lane = main
      if let queue {
        let known = state.lanes.first { $0.queue === queue }
        lane = known ?? Self.lane(for: queue, gate: gate, to: recipients)
        if known == nil { state.lanes.append(lane) }
      }
      state.observers[id] = lane
      return id
    }
  }

  /// Removes an observer. After the return only a call in progress on another thread may still run. Returns
  /// false for an unknown observer. After `close` it always returns true, because a client whose player was
  /// closed elsewhere still removes its observers.
  func remove(_ id: ObserverID) -> Bool {
    // The block may own values with arbitrary deinitializers, so it is released outside all locks.
    let block = recipients.blocks.withLock { $0.removeValue(for: id) }
    defer { withExtendedLifetime(block) {} }
    let (lane, isKnown) = state.withLock { state -> (DeliveryLane?, Bool) in
      guard let lane = state.observers.removeValue(for: id) else { return (nil, state.isClosed) }
      return (lane, true)
    }
    guard let lane else { return isKnown }
    lane.forget(id)
    // The lane of a queue ends with its last observer.
    let isUnused = state.withLock { state in
      guard lane !== main, !state.observers.values.contains(where: { $0 === lane }) else { return false }
      state.lanes.removeAll { $0 === lane }
      return true
    }
    if isUnused { lane.close() }
    return true
  }

  /// Closes all lanes and removes all observers. No new delivery begins after the return.
  func close() {
    let lanes = state.withLock { state in
      defer {
        state.lanes = []
        state.observers = ObserverTable()
        state.isClosed = true
      }
      return state.lanes
    }
    for lane in lanes { lane.close() }
    // Released outside the lock, as in `remove`.
    var blocks = ObserverTable<Block>()
    recipients.blocks.withLock { swap(&$0, &blocks) }
  }

  /// Moves the deliveries to their lanes in order. Returns the lanes to wake outside the lock.
  func route(_ deliveries: inout Deque<Delivery>, cause: ChangeCause) -> TouchedLanes {
    let isOwn = cause == .call || cause == .addition && !main.holdsProgress
    var touched = TouchedLanes()
    while let delivery = deliveries.popFirst() {
      guard let observer = delivery.observer else {
        if isOwn, let notice = delivery.notice, notice.property != nil {
          main.appendOwn(notice)
        } else {
          main.append(delivery)
        }
        touched.insert(main)
        continue
      }
      guard let lane = state.withLock({ $0.observers[observer] }) else { continue }
      let coalesced = lane.append(delivery)
      touched.insert(consume lane)
      guard coalesced > 0 else { continue }
      main.append(.notice(.stepsCoalesced(coalesced)))
      touched.insert(main)
    }
    return touched
  }

  /// Wakes all lanes, which deliver everything withheld while the gate was closed.
  func wake() { for lane in state.withLock({ $0.lanes }) { lane.wake() } }

  var backlogSeconds: Double {
    state.withLock { $0.lanes.reduce(0) { max($0, $1.backlogSeconds) } }
  }
}

/// The lanes to wake after deliveries were routed. Mostly one lane, for which no array is allocated.
struct TouchedLanes {
  private var first: DeliveryLane?
  private var others: [DeliveryLane] = []

  mutating func insert(_ lane: consuming DeliveryLane) {
    guard let first else {
      first = lane
      return
    }
    if first !== lane, !others.contains(where: { $0 === lane }) { others.append(lane) }
  }

  func wake() {
    first?.wake()
    if !others.isEmpty { for lane in others { lane.wake() } }
  }
}
