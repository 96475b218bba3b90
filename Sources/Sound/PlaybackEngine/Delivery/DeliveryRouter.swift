import Clocks
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
    var lanes: [ObjectIdentifier: DeliveryLane] = [:]
    var observers: [ObserverID: DeliveryLane] = [:]
    var lastObserver: UInt64 = 0
    var isClosed = false
  }

  /// The delivery targets. The lanes own this object instead of the router, which owns the lanes.
  private final class Recipients: Sendable {
    let blocks = Mutex<[ObserverID: Block]>([:])
    /// A struct, because a closure stored directly in a `Mutex` grows on each access: Swift 6.3.1 wraps it in
    /// another reabstraction thunk and stores that back. Calls became slower and deeper without limit.
    struct Handlers {
      var onNotice: (@Sendable (EngineNotice) -> Void)?
      var onDrained: (@Sendable () -> Void)?
    }

    let handlers = Mutex(Handlers())

    func deliver(_ delivery: Delivery) {
      if let notice = delivery.notice {
        handlers.withLock { $0.onNotice }?(notice)
        return
      }
      guard let observer = delivery.observer, let block = blocks.withLock({ $0[observer] }) else { return }
      switch (delivery, block) {
      case (.steps(let run), .periodic(let block)): block(run.time)
      case (.call(_, let time), .periodic(let block)): block(time)
      case (.boundary, .boundary(let block)): block()
      default: break
      }
    }
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
    state = Mutex(State(lanes: [ObjectIdentifier(mainQueue): main]))
  }

  private static func lane(
    for queue: any DeliveryQueue, gate: CallGate, to recipients: Recipients
  ) -> DeliveryLane {
    let onDrained: @Sendable () -> Void = { recipients.handlers.withLock { $0.onDrained }?() }
    return DeliveryLane(queue: queue, gate: gate, onDrained: onDrained, deliver: recipients.deliver)
  }

  /// Sets the handlers: `onNotice` is called on the main queue with each notice, `onDrained` on a lane's
  /// queue whenever that lane becomes empty. Call once, before the first delivery.
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
        lane = state.lanes[ObjectIdentifier(queue)] ?? Self.lane(for: queue, gate: gate, to: recipients)
        state.lanes[ObjectIdentifier(queue)] = lane
      }
      state.observers[id] = lane
      return id
    }
  }

  /// Removes an observer; no new call of it begins after the return. Returns false for an unknown observer,
  /// after `close` always true: a client whose player was closed elsewhere still removes its observers.
  func remove(_ id: ObserverID) -> Bool {
    // The block may own values with arbitrary deinitializers, so it is released outside all locks.
    let block = recipients.blocks.withLock { $0.removeValue(forKey: id) }
    defer { withExtendedLifetime(block) {} }
    let (lane, isKnown) = state.withLock { state -> (DeliveryLane?, Bool) in
      guard let lane = state.observers.removeValue(forKey: id) else { return (nil, state.isClosed) }
      // The lane of a queue is released with its last observer.
      if lane !== main, !state.observers.values.contains(where: { $0 === lane }) {
        state.lanes[ObjectIdentifier(lane.queue)] = nil
      }
      return (lane, true)
    }
    lane?.forget(id)
    return isKnown
  }

  /// No new delivery begins after the return.
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
    // Released outside the lock, as in `remove`.
    var blocks: [ObserverID: Block] = [:]
    recipients.blocks.withLock { swap(&$0, &blocks) }
  }

  /// Appends the deliveries to their lanes in order. Returns the lanes to wake outside the lock.
  func route(_ deliveries: [Delivery], cause: ChangeCause) -> [DeliveryLane] {
    let isOwn = cause == .call || cause == .addition && !main.holdsProgress
    var touched: [DeliveryLane] = []
    func append(_ delivery: Delivery, to lane: DeliveryLane) {
      if isOwn, let notice = delivery.notice, notice.property != nil {
        lane.appendOwn(notice)
      } else {
        lane.append(delivery)
      }
      if !touched.contains(where: { $0 === lane }) { touched.append(lane) }
    }
    for delivery in deliveries {
      guard let observer = delivery.observer else {
        append(delivery, to: main)
        continue
      }
      guard let lane = state.withLock({ $0.observers[observer] }) else { continue }
      append(delivery, to: lane)
      let coalesced = lane.takeCoalesced()
      if coalesced > 0 { append(.notice(.stepsCoalesced(coalesced)), to: main) }
    }
    return touched
  }

  /// Wakes all lanes, which deliver everything withheld while the gate was closed.
  func wake() { for lane in state.withLock({ Array($0.lanes.values) }) { lane.wake() } }

  var backlogSeconds: Double {
    state.withLock { $0.lanes.values.map(\.backlogSeconds).max() ?? 0 }
  }
}
