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
    var observers: [ObserverID: DeliveryLane] = [:]
    var lastObserver: UInt64 = 0
    var isClosed = false
  }

  /// Whom deliveries reach. The lanes hold it, and not the router, which holds them.
  private final class Recipients: Sendable {
    let blocks = Mutex<[ObserverID: Block]>([:])
    /// In a struct: a bare closure in a `Mutex` gets a layer more each time it is looked at (Swift 6.3.1 makes a
    /// reabstraction thunk on the way in and stores it back), so that calls became slower and deeper without end.
    private struct Handlers {
      var onNotice: (@Sendable (EngineNotice) -> Void)?
      var onDrained: (@Sendable () -> Void)?
    }

    private let handlers = Mutex(Handlers())

    func start(
      onNotice: @escaping @Sendable (EngineNotice) -> Void, onDrained: (@Sendable () -> Void)?
    ) {
      handlers.withLock { $0 = Handlers(onNotice: onNotice, onDrained: onDrained) }
    }

    func drained() { handlers.withLock { $0.onDrained }?() }

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

  /// Delivers to nobody before `start`.
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
    DeliveryLane(queue: queue, gate: gate, onDrained: { recipients.drained() }) { recipients.deliver($0) }
  }

  /// Has `onNotice` called on the main queue with each notice, and `onDrained` on a lane's queue whenever nothing waits
  /// there any more. To be called once, before anything is delivered.
  func start(onNotice: @escaping @Sendable (EngineNotice) -> Void, onDrained: (@Sendable () -> Void)?) {
    recipients.start(onNotice: onNotice, onDrained: onDrained)
  }

  /// Registers an observer whose block runs on `queue`, the main one for nil.
  func add(_ block: Block, queue: (any DeliveryQueue)?) -> ObserverID {
    state.withLock { state in
      state.lastObserver += 1
      let id = ObserverID(rawValue: state.lastObserver)
      recipients.blocks.withLock { $0[id] = block }
      guard let queue else {
        state.observers[id] = main
        return id
      }
      let lane =
        state.lanes[ObjectIdentifier(queue)] ?? Self.lane(for: queue, gate: gate, to: recipients)
      state.lanes[ObjectIdentifier(queue)] = lane
      state.observers[id] = lane
      return id
    }
  }

  /// After the return no new call of the observer begins. False if it is unknown; after `close` all count as known,
  /// because a client whose player was closed by something else still removes its observers.
  func remove(_ id: ObserverID) -> Bool {
    // A block may own anything: it goes outside all locks.
    let block = recipients.blocks.withLock { $0.removeValue(forKey: id) }
    defer { withExtendedLifetime(block) {} }
    let (lane, isKnown) = state.withLock { state -> (DeliveryLane?, Bool) in
      guard let lane = state.observers.removeValue(forKey: id) else { return (nil, state.isClosed) }
      // A queue is let go with its last observer.
      if lane !== main, !state.observers.values.contains(where: { $0 === lane }) {
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
    let blocks = recipients.blocks.withLock { blocks in
      defer { blocks = [:] }
      return blocks
    }
    withExtendedLifetime(blocks) {}
  }

  /// Puts what happened on the lanes, in order, and returns those that are to be woken outside the lock.
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

  /// Delivers what was held back while the gate was closed.
  func wake() {
    for lane in state.withLock({ Array($0.lanes.values) }) { lane.wake() }
  }

  /// How many seconds of steps wait for the slowest observer.
  var backlogSeconds: Double {
    state.withLock { $0.lanes.values.map(\.backlogSeconds).max() ?? 0 }
  }
}
