package import Clocks
import Dispatch
import Glibc
import Synchronization
package import Transfer

/// Sends requests with libcurl on its own thread, `continuo-net`, which exists from a first transfer until the idle
/// time after the last one. The thread opens libcurl when it starts. If the library cannot be used, transfers fail
/// with `noLibrary`, or with `noRoom` for lack of memory or file descriptors. Requests use HTTP/1.1. Certificates and
/// host names are verified, unless `check.isVerified` of the request is false.
package final class CurlHTTPTransport: HTTPTransport {
  private struct Entry {
    var isPaused = false
    let sink: any TransferSink
  }

  private struct Delivery {
    let id: TransferID
    let thread: pthread_t
    /// Whether the transfer was resumed during the delivery, which overrides the sink's demand.
    var goesOn = false
  }

  private enum Order {
    case start(TransferID, TransferRequest)
    case fail(TransferID, TransferFailure)
    case goOn(TransferID)
    case cancel(TransferID)
  }

  private struct State {
    var lastID: UInt64 = 0
    var entries: [TransferID: Entry] = [:]
    var orders: [Order] = []
    var worker: (any Worker)?
    /// The handle that wakes the thread while it polls.
    var multi: Multi?
    var delivering: Delivery?
    var waiters: [Waiter] = []
    /// The server certificates (PEM) of connections that were opened for requests with a `check`.
    var certificates: [CurlConnection: String] = [:]
  }

  /// libcurl's multi handle. Other threads call only its wake-up function, which libcurl allows.
  private struct Multi: @unchecked Sendable {
    let library: CurlLibrary
    let handle: CurlLibrary.Handle
  }

  private final class Loop {
    var library: CurlLibrary?
    var failure: TransferFailure?
    var transfers: [TransferID: CurlTransfer] = [:]
    var idleSince: HostTime?
    var queue: RequestQueue
    /// The transfers whose sinks know that they are queued.
    var queued: Set<TransferID> = []

    init(_ options: CurlOptions) { queue = RequestQueue(options) }
  }

  /// Lets the worker's body capture the loop. Only the body uses the loop, and the body never runs twice at
  /// the same time.
  private struct LoopBox: @unchecked Sendable {
    let loop: Loop
  }

  private let clock: any HostClock
  private let options: CurlOptions
  private let state = Mutex(State())

  /// The longest sleep in libcurl, in milliseconds. All events wake the thread, so the value is only a limit.
  private static let longestPoll: Int32 = 30_000

  /// Returns the shared transport of this process, with one thread, one set of connections and one rate limit
  /// per host. Returns a new transport for a clock other than the system's.
  package static func shared(clock: any HostClock) -> CurlHTTPTransport {
    clock is SystemClock ? ofProcess : CurlHTTPTransport(clock: clock)
  }

  private static let ofProcess = CurlHTTPTransport()

  /// Creates a transport that starts its thread and opens the library at the first transfer.
  package init(clock: any HostClock = SystemClock.shared, options: CurlOptions = CurlOptions()) {
    self.clock = clock
    self.options = options
  }

  package var hasThread: Bool { state.withLock { $0.worker != nil } }

  package func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
    let id = state.withLock { state in
      state.lastID += 1
      let id = TransferID(state.lastID)
      let hasRoom = state.entries.count < NetworkLimits.transfers
      state.entries[id] = Entry(sink: sink)
      state.orders.append(
        hasRoom ? .start(id, request) : .fail(id, TransferFailure(.noRoom, "there are too many transfers")))
      if state.worker == nil { state.worker = makeWorker() }
      return id
    }
    wake()
    return id
  }

  package func setPaused(_ isPaused: Bool, _ transfer: TransferID) {
    let changes = state.withLock { state in
      if state.delivering?.id == transfer { state.delivering?.goesOn = !isPaused }
      guard let entry = state.entries[transfer], entry.isPaused != isPaused else { return false }
      state.entries[transfer]?.isPaused = isPaused
      if !isPaused { state.orders.append(.goOn(transfer)) }
      return !isPaused
    }
    if changes { wake() }
  }

  /// Resumes a transfer because more of its request body can be sent.
  func goOn(_ transfer: TransferID) {
    let isThere = state.withLock { state in
      guard state.entries[transfer] != nil else { return false }
      state.orders.append(.goOn(transfer))
      return true
    }
    if isThere { wake() }
  }

  package func cancel(_ transfer: TransferID) {
    let (entry, waiter) = state.withLock { state -> (Entry?, Waiter?) in
      guard let entry = state.entries.removeValue(forKey: transfer) else { return (nil, nil) }
      state.orders.append(.cancel(transfer))
      guard let delivering = state.delivering, delivering.id == transfer,
        pthread_equal(delivering.thread, pthread_self()) == 0
      else { return (entry, nil) }
      let waiter = Waiter()
      state.waiters.append(waiter)
      return (entry, waiter)
    }
    wake()
    waiter?.semaphore.wait()
    // Release the entry outside the lock, because objects that the sink owns may use the transport in their
    // `deinit`.
    withExtendedLifetime(entry) {}
  }

  private func wake() {
    let worker = state.withLock { state in
      // The lock prevents the handle from being closed during the call. The call never blocks.
      if let multi = state.multi { _ = multi.library.multiWakeup(multi.handle) }
      return state.worker
    }
    worker?.signal()
  }

  private func makeWorker() -> any Worker {
    let box = LoopBox(loop: Loop(options))
    // The worker retains the transport until the idle time is over.
    return clock.makeWorker("continuo-net") { self.step(box.loop) }
  }

  private func step(_ loop: Loop) -> WorkerNext {
    open(loop)
    let orders = state.withLock { state in
      defer { state.orders = [] }
      return state.orders
    }
    for order in orders { carryOut(order, loop) }
    forgetCancelled(orders, loop)
    let next = release(loop)
    reportQueued(orders, loop)
    guard let multi = state.withLock({ $0.multi }), !loop.transfers.isEmpty else {
      return next.map { .at($0) } ?? rest(loop)
    }
    loop.idleSince = nil
    var running: Int32 = 0
    _ = multi.library.multiPerform(multi.handle, &running)
    // Skips the poll if a transfer has ended or an order has arrived: a waiting request can then be sent.
    if !collect(multi, loop), state.withLock({ $0.orders.isEmpty }) {
      let pause = next.map { Int32(max(0, min($0.seconds(since: clock.now), 30) * 1000) + 1) }
      _ = multi.library.multiPoll(multi.handle, nil, 0, pause ?? Self.longestPoll, nil)
    }
    return .again
  }

  private func open(_ loop: Loop) {
    guard loop.library == nil, loop.failure == nil else { return }
    do throws(TransferFailure) {
      let library = try CurlLibrary.open(options.libraryNames)
      guard let handle = library.multiInit() else { throw TransferFailure(.noRoom, "there is no memory") }
      // Limits the open connections. The queue starts at most as many transfers, and libcurl closes an idle
      // connection for a new one, so no transfer waits in libcurl.
      library.set(.maxTotalConnections, options.connections, ofMulti: handle)
      loop.library = library
      let multi = Multi(library: library, handle: handle)
      state.withLock { $0.multi = multi }
    } catch {
      loop.failure = TransferFailure.shortage() ?? error
    }
  }

  private func carryOut(_ order: Order, _ loop: Loop) {
    switch order {
    case .start(let id, let request): loop.queue.add(RequestQueue.Item(id: id, request: request))
    case .fail(let id, let failure): _ = deliver(.failure(failure), of: id)
    case .goOn(let id): loop.transfers[id]?.goOn()
    case .cancel(let id): if let transfer = loop.transfers.removeValue(forKey: id) { remove(transfer, loop) }
    }
  }

  /// Removes requests that were cancelled before they were sent.
  private func forgetCancelled(_ orders: [Order], _ loop: Loop) {
    let cancelled = Set(orders.compactMap { if case .cancel(let id) = $0 { id } else { nil as TransferID? } })
    loop.queue.remove(cancelled)
    loop.queued.subtract(cancelled)
  }

  /// Starts the transfers that the limits allow. Returns the time at which the rate limit allows the next one; nil if
  /// none waits for the rate limit alone.
  private func release(_ loop: Loop) -> HostTime? {
    while true {
      let (item, moment) = loop.queue.next(at: clock.now)
      guard let item else { return moment }
      begin(item, loop)
    }
  }

  /// Reports the new requests that wait for a limit as queued.
  private func reportQueued(_ orders: [Order], _ loop: Loop) {
    for case .start(let id, _) in orders
    where loop.transfers[id] == nil && deliver(.queued(true), of: id) { loop.queued.insert(id) }
  }

  private func begin(_ item: RequestQueue.Item, _ loop: Loop) {
    guard let library = loop.library, let multi = state.withLock({ $0.multi }) else {
      fail(item, loop.failure ?? TransferFailure(.noLibrary, "libcurl is not there"), loop)
      // A shortage may be temporary, so the next step tries to open the library again.
      if loop.failure?.kind == .noRoom { loop.failure = nil }
      return
    }
    let transfer = item.transfer ?? CurlTransfer(item.id, item.request, options, library, of: self)
    guard let easy = transfer.easy ?? transfer.prepare(), library.multiAdd(multi.handle, easy) == 0
    else {
      return fail(item, TransferFailure(.noRoom, "there is no memory"), loop)
    }
    loop.transfers[item.id] = transfer
    if loop.queued.remove(item.id) != nil { _ = deliver(.queued(false), of: item.id) }
  }

  /// Fails a request that cannot be sent.
  private func fail(_ item: RequestQueue.Item, _ failure: TransferFailure, _ loop: Loop) {
    loop.queue.release(item.id)
    loop.queued.remove(item.id)
    _ = deliver(.failure(failure), of: item.id)
  }

  private func remove(_ transfer: CurlTransfer, _ loop: Loop) {
    loop.queue.release(transfer.id)
    if let multi = state.withLock({ $0.multi }), let easy = transfer.easy {
      _ = multi.library.multiRemove(multi.handle, easy)
    }
  }

  /// Handles the transfers that have ended. Returns false if none has.
  private func collect(_ multi: Multi, _ loop: Loop) -> Bool {
    var hasEnded = false
    while let ended = multi.library.nextEnded(multi.handle) {
      hasEnded = true
      guard let transfer = CurlTransfer.of(multi.library.privateData(of: ended.easy)) else { continue }
      remove(transfer, loop)
      loop.transfers[transfer.id] = nil
      if transfer.wantsFreshConnection(after: ended.result) {
        loop.queue.add(RequestQueue.Item(id: transfer.id, request: transfer.request, transfer: transfer))
        continue
      }
      // 6: CURLE_COULDNT_RESOLVE_HOST
      if ended.result == 6, TransferFailure.shortage() == nil {
        lookUp(transfer)
      } else {
        transfer.end(ended.result)
      }
    }
    return hasEnded
  }

  /// Ends a transfer whose host name was not resolved. The failure is permanent if the host does not exist.
  /// Another thread asks the system whether the host exists, because the answer may take long.
  private func lookUp(_ transfer: CurlTransfer) {
    let (id, request) = (transfer.id, transfer.request)
    DispatchQueue.global().async { [self] in
      let kind: TransferFailure.Kind = options.isUnknown(request.url.host) ? .hostNotFound : .hostUnresolved
      let failure = TransferFailure(kind, "\(request.url.host) was not found")
        .concealed(from: request.reach, host: request.url.host)
      state.withLock { state in
        state.orders.append(.fail(id, failure))
        if state.worker == nil { state.worker = makeWorker() }
      }
      wake()
    }
  }

  /// Closes the connections and ends the thread once the idle time is over. Until then, returns the end of
  /// the idle time.
  private func rest(_ loop: Loop) -> WorkerNext {
    let now = clock.now
    let since = loop.idleSince ?? now
    loop.idleSince = since
    let end = since.advanced(bySeconds: options.idleTime)
    guard now >= end else { return .at(end) }
    let (worker, multi): ((any Worker)?, Multi?) = state.withLock { state in
      guard state.orders.isEmpty else { return (nil, nil) }
      defer {
        state.worker = nil
        state.multi = nil
      }
      return (state.worker, state.multi)
    }
    guard let worker else { return .again }
    if let multi { _ = multi.library.multiCleanup(multi.handle) }
    // The worker ends after this run. `cancel` does not wait, because the worker itself calls it.
    worker.cancel()
    return .whenSignalled
  }

  func isPaused(_ id: TransferID) -> Bool { state.withLock { $0.entries[id]?.isPaused ?? false } }

  /// Returns whether the transfer was cancelled, possibly while libcurl works on it. Also true after its end.
  func isCancelled(_ id: TransferID) -> Bool { state.withLock { $0.entries[id] == nil } }

  /// Reports the number of request body bytes sent so far.
  func tellSent(_ count: Int64, of id: TransferID) {
    _ = hand(to: id, isLast: false) { sink in
      sink.sent(count, of: id)
      return .more
    }
  }

  func tellTiming(_ timing: TransferTiming, of id: TransferID) {
    _ = hand(to: id, isLast: false) { sink in
      sink.measured(timing, of: id)
      return .more
    }
  }

  /// Reports the certificates of a server whose certificate the application has not accepted.
  func tellCertificates(_ certificates: [String], of id: TransferID) {
    _ = hand(to: id, isLast: false) { sink in
      sink.presented(certificates, of: id)
      return .more
    }
  }

  /// Returns the certificate of an open connection; nil if unknown.
  func certificate(of connection: CurlConnection) -> String? {
    state.withLock { $0.certificates[connection] }
  }

  /// Records the certificate of a new connection; nil if unknown.
  func record(_ certificate: String?, of connection: CurlConnection) {
    state.withLock { state in
      // The limit is above the number of open connections, so most records are of closed ones. A request with
      // a check does not use a connection without a record, but connects anew.
      if state.certificates.count >= options.connections * 4 { state.certificates = [:] }
      state.certificates[connection] = certificate
    }
  }

  /// Delivers an event. Returns false if the transfer was cancelled.
  func deliver(_ event: TransferEvent, of id: TransferID) -> Bool {
    switch event {
    case .end, .failure: hand(to: id, isLast: true) { $0.take(event, of: id) }
    default: hand(to: id, isLast: false) { $0.take(event, of: id) }
    }
  }

  /// Calls the sink of a transfer. Returns false if the transfer was cancelled.
  private func hand(to id: TransferID, isLast: Bool, _ call: (any TransferSink) -> TransferDemand) -> Bool {
    let sink = state.withLock { state in
      guard let entry = state.entries[id] else { return nil as (any TransferSink)? }
      if isLast { state.entries[id] = nil }
      state.delivering = Delivery(id: id, thread: pthread_self())
      return entry.sink
    }
    guard let sink else { return false }
    let demand = call(sink)
    let (waiters, isThere) = state.withLock { state in
      defer {
        state.waiters = []
        state.delivering = nil
      }
      if demand == .pause, state.delivering?.goesOn != true { state.entries[id]?.isPaused = true }
      return (state.waiters, state.entries[id] != nil)
    }
    for waiter in waiters { waiter.semaphore.post() }
    return isThere || isLast
  }
}
