import AppLifecycle
import Clocks
import Synchronization

/// The timers of an application, driven by the device's clock. No timer is delivered during a suspension.
/// Timers that become due during a suspension are delivered on resumption, in the order of their due times.
final class ApplicationTimers: Suspendable {
  /// The reason for calling a timer's handler.
  enum Outcome: Sendable { case due, cancelled }

  typealias ID = UInt64

  fileprivate struct Timer {
    var id: ID
    var due: HostTime
    var handler: @Sendable (Outcome) -> Void
  }

  fileprivate struct State {
    /// The pending timers, ordered by due time.
    var timers: [Timer] = []
    /// The due timers enqueued on the main queue.
    var delivered: [Timer] = []
    /// The timers of a terminated application. They never become due and can only be cancelled.
    var orphans: [Timer] = []
    var lastID: ID = 0
    var isStopped = false
    var isRunning = true
    var worker: (any Worker)?
  }

  private let clock: any HostClock
  private let mainQueue: VirtualMainQueue
  private let state = Mutex(State())

  init(clock: any HostClock, mainQueue: VirtualMainQueue) {
    self.clock = clock
    self.mainQueue = mainQueue
    let worker = clock.makeWorker("app-timers") { [weak self] in self?.takeDue() ?? .whenSignalled }
    state.withLock { $0.worker = worker }
  }

  var now: HostTime { clock.now }

  func makeID() -> ID {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Calls `handler` on the main queue at `due`, or on resumption if the application is suspended then. On cancellation
  /// before that, calls `handler` with `cancelled` on the thread that cancels. A terminated application's
  /// timer can only be cancelled.
  func add(_ id: ID, due: HostTime, handler: @escaping @Sendable (Outcome) -> Void) {
    let timer = Timer(id: id, due: due, handler: handler)
    let worker = state.withLock { state in
      if state.isRunning { state.insert(timer) } else { state.orphans.append(timer) }
      return state.worker
    }
    worker?.signal()
  }

  /// Calls a timer's handler with `cancelled`, unless the handler was called before.
  func cancel(_ id: ID) {
    let timer = state.withLock { state in
      state.timers.remove(id) ?? state.delivered.remove(id) ?? state.orphans.remove(id)
    }
    timer?.handler(.cancelled)
  }

  func cancelAll() {
    terminate()
    var orphans: [Timer] = []
    state.withLock { swap(&$0.orphans, &orphans) }
    for timer in orphans { timer.handler(.cancelled) }
  }

  // MARK: Suspendable

  func suspend() { state.withLock { $0.isStopped = true } }

  func resume() {
    state.withLock { state in
      state.isStopped = false
      return state.worker
    }?.signal()
  }

  func terminate() {
    state.withLock { state in
      state.isRunning = false
      state.isStopped = false
      state.orphans += state.delivered + state.timers
      state.delivered = []
      state.timers = []
    }
  }

  func launch() { state.withLock { $0.isRunning = true } }

  // MARK: Delivery

  private func takeDue() -> WorkerNext {
    let now = clock.now
    let (due, next): ([ID], HostTime?) = state.withLock { state in
      guard !state.isStopped else { return ([], nil) }
      let count = state.timers.prefix { $0.due <= now }.count
      let due = state.timers.prefix(count)
      state.timers.removeFirst(count)
      state.delivered += due
      return (due.map(\.id), state.timers.first?.due)
    }
    for id in due { mainQueue.enqueue { [weak self] in self?.deliver(id) } }
    return next.map(WorkerNext.at) ?? .whenSignalled
  }

  /// Calls the handler of a due timer, unless the timer was cancelled or the application terminated. If the application
  /// is suspended, the timer becomes pending again. Must be called on the main queue.
  private func deliver(_ id: ID) {
    let timer = state.withLock { state -> Timer? in
      guard let timer = state.delivered.remove(id) else { return nil }
      guard state.isStopped else { return timer }
      state.insert(timer)
      return nil
    }
    timer?.handler(.due)
  }
}

extension ApplicationTimers.State {
  /// Inserts a timer after those with the same due time and a lower identifier.
  fileprivate mutating func insert(_ timer: ApplicationTimers.Timer) {
    let place = timers.firstIndex { ($0.due, $0.id) > (timer.due, timer.id) } ?? timers.endIndex
    timers.insert(timer, at: place)
  }
}

extension [ApplicationTimers.Timer] {
  fileprivate mutating func remove(_ id: ApplicationTimers.ID) -> ApplicationTimers.Timer? {
    firstIndex { $0.id == id }.map { remove(at: $0) }
  }
}
