import Clocks
import Foundation
import Synchronization
package import Transfer

/// A request and its response, over as many connections as redirects, credentials and certificate checks need.
/// Methods may be called on any thread and never block on the network.
package final class Exchange: Sendable {
  private struct State {
    var request: TransferRequest
    var redirects = RedirectRule()
    var address: PeerAddress?
    /// The number of the current connection. Events of earlier connections are ignored.
    var hop: UInt64 = 0
    var transfer: TransferID?
    /// The head of a redirect or challenge that awaits the client's decision; nil if none.
    var undecided: ResponseHead?
    /// The end of the connection, if it came before the client's decision or `proceed`; `.none` if no end
    /// waits, `.some(nil)` after a complete body.
    var unheardEnd: TransferFailure??
    var isPaused = false
    /// Whether the owner has paused the exchange.
    var isHeld = false
    /// Whether the request waits in the transport.
    var isQueued = false
    /// The number of `proceed` calls. A `proceed` during a call of the client overrides the pause that this call returns.
    var proceeds: UInt64 = 0
    /// The number of bytes that the client has enqueued and not consumed.
    var queued = 0
    var trust = TrustQuestion()
    /// The number of `authenticate` calls.
    var failures = 0
    var lastProgress: HostTime
    var alarm: Alarms.ID?
    var isOver = false
    /// The connections, without those whose certificates were asked about; at most the last `longestRecord`.
    var transactions: [Transaction] = []

    mutating func noteInTransaction(_ change: (inout Transaction) -> Void) {
      guard let last = transactions.indices.last, transactions[last].ended == nil else { return }
      change(&transactions[last])
    }
  }

  /// The maximum number of recorded connections. Limited because a delegate may answer any number of
  /// challenges.
  package static let longestRecord = 100

  /// The numbers of enqueued bytes at which the connection pauses, and resumes.
  private static let room = 256 * 1024
  private static let enough = 128 * 1024

  private let transport: any HTTPTransport
  private let alarms: Alarms
  /// The timeout in seconds without a byte. The timeout does not run while the exchange is paused, its request waits
  /// in the transport, or a decision of the client is pending.
  private let timeout: Double
  private let client: any Client
  private let state: Mutex<State>

  /// Creates an exchange without starting it. The exchange retains the client, and fails after `timeout`
  /// seconds without a byte.
  package init(
    _ request: TransferRequest, transport: any HTTPTransport, alarms: Alarms, timeout: Double,
    client: any Client
  ) {
    self.transport = transport
    self.alarms = alarms
    self.timeout = timeout
    self.client = client
    state = Mutex(State(request: request, lastProgress: alarms.clock.now))
  }

  package var request: TransferRequest { state.withLock { $0.request } }

  /// The recorded connections, oldest first.
  package var transactions: [Transaction] { state.withLock { $0.transactions } }

  package func start() {
    connect()
    watch()
  }

  /// Cancels the exchange without further calls of the client, except one in progress on another thread. Waits for
  /// the end of that call if the transport makes it.
  package func cancel() {
    let now = alarms.clock.now
    let (transfer, alarm) = state.withLock { state in
      state.isOver = true
      state.noteInTransaction { $0.ended = now }
      return (state.transfer, state.alarm)
    }
    alarms.cancel(alarm)
    if let transfer { transport.cancel(transfer) }
  }

  package func follow(_ request: TransferRequest) {
    reconnect { state in
      state.request = request
      state.trust = TrustQuestion()
    }
  }

  /// Accepts the certificate that the server has presented. Returns the check that the server passes; nil if
  /// no decision was pending.
  package func trust() -> ServerCheck? {
    let check = state.withLock { state in state.trust.accept(state.request.check) }
    if let check { reconnect { $0.request.check = check } }
    return check
  }

  package func authenticate(_ credentials: Credentials) {
    let scheme = state.withLock { $0.undecided?.challenge?.scheme } ?? .basic
    reconnect { state in
      state.request.credentials = credentials
      state.request.authentication = scheme
      state.request.fields.remove("Authorization")
      state.failures += 1
    }
  }

  /// Resumes the body after the client has paused it, or accepts a redirect or a challenge as the response.
  package func proceed() {
    let now = alarms.clock.now
    let (head, transfer, ended) = state.withLock { state in
      defer {
        // The end of the connection waits until the client has decided about the accepted response.
        state.isPaused = state.undecided != nil
        if !state.isPaused { state.unheardEnd = nil }
        state.undecided = nil
        state.proceeds += 1
        state.lastProgress = now
      }
      return (state.undecided, state.isOver ? nil : state.transfer, state.unheardEnd)
    }
    guard let transfer else { return }
    if let head {
      if client.exchange(self, answered: head) == .more { proceed() }
      return
    }
    if let ended { return end(ended) }
    if !state.withLock({ $0.isHeld }) { transport.setPaused(false, transfer) }
    watch()
  }

  /// Records that the client keeps bytes for later. Returns the demand for the event that brought them.
  package func enqueued(_ count: Int) -> TransferDemand {
    state.withLock { state in
      state.queued += count
      return state.queued >= Self.room ? .pause : .more
    }
  }

  /// Records that the client no longer keeps bytes, and calls `proceed` once few are left.
  package func consumed(_ count: Int) {
    let before = state.withLock { state in
      defer { state.queued -= count }
      return state.queued
    }
    if before > Self.enough, before - count <= Self.enough { proceed() }
  }

  /// Sets whether the owner pauses the exchange. A pause that the client has requested persists. While paused, at most
  /// one more piece of the body arrives, and no timeout runs. Each call restarts the timeout.
  package func setHeld(_ isHeld: Bool) {
    let now = alarms.clock.now
    let (transfer, isPaused) = state.withLock { state in
      state.isHeld = isHeld
      state.lastProgress = now
      return (state.isOver ? nil : state.transfer, isHeld || state.isPaused || state.undecided != nil)
    }
    guard let transfer else { return }
    // A pause of the client has paused the transport already, and may end at this moment.
    if isHeld || !isPaused { transport.setPaused(isHeld, transfer) }
    watch()
  }

  /// Calls the client and returns the demand. Records a pause, unless the client has called `proceed` in the
  /// meantime.
  private func call(_ client: () -> TransferDemand) -> TransferDemand {
    let before = state.withLock { $0.proceeds }
    let demand = client()
    return state.withLock { state in
      guard demand == .pause, state.proceeds == before else { return state.isHeld ? .pause : .more }
      state.isPaused = true
      return .pause
    }
  }

  private func reconnect(_ change: (inout State) -> Void) {
    let now = alarms.clock.now
    let old = state.withLock { state -> TransferID? in
      defer {
        state.hop += 1
        state.undecided = nil
        state.unheardEnd = nil
        state.transfer = nil
        state.isPaused = false
        state.isQueued = false
        state.lastProgress = now
        state.trust.presented = []
        change(&state)
        state.request.isContinuation = true
      }
      state.noteInTransaction { $0.ended = now }
      return state.transfer
    }
    if let old { transport.cancel(old) }
    start()
  }

  private func connect() {
    let now = alarms.clock.now
    let (request, hop) = state.withLock { state -> (TransferRequest, UInt64?) in
      guard !state.isOver else { return (state.request, nil) }
      if state.transactions.count == Self.longestRecord { state.transactions.removeFirst() }
      state.transactions.append(Transaction(state.request, at: now))
      return (state.request, state.hop)
    }
    guard let hop else { return }
    let transfer = transport.start(request, sink: Hop(self, hop))
    let isStale = state.withLock { state in
      guard !state.isOver, state.hop == hop else { return true }
      state.transfer = transfer
      return false
    }
    if isStale { transport.cancel(transfer) }
  }

  private final class Hop: TransferSink {
    let exchange: Exchange
    let number: UInt64

    init(_ exchange: Exchange, _ number: UInt64) {
      self.exchange = exchange
      self.number = number
    }

    func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
      exchange.take(event, of: transfer, hop: number)
    }

    func sent(_ count: Int64, of transfer: TransferID) {
      let isPresent = exchange.progress(hop: number, transfer) { transaction, now in
        (transaction.sent, transaction.sentCount) = (now, count)
      }
      if isPresent { exchange.client.exchange(exchange, sent: count) }
    }

    func measured(_ timing: TransferTiming, of transfer: TransferID) {
      _ = exchange.progress(hop: number, transfer) { transaction, _ in transaction.timing = timing }
    }

    func presented(_ certificates: [String], of transfer: TransferID) {
      exchange.state.withLock { state in
        if state.hop == number { state.trust.presented = certificates }
      }
    }
  }

  /// Records that an event has arrived. Returns false if the connection is obsolete or the exchange is over.
  private func progress(
    hop: UInt64, _ transfer: TransferID, _ change: (inout Transaction, HostTime) -> Void
  ) -> Bool {
    let now = alarms.clock.now
    return state.withLock { state in
      guard !state.isOver, state.hop == hop else { return false }
      // The first event may arrive before `start` has returned.
      state.transfer = transfer
      state.lastProgress = now
      state.noteInTransaction { change(&$0, now) }
      return true
    }
  }

  private func take(_ event: TransferEvent, of transfer: TransferID, hop: UInt64) -> TransferDemand {
    guard progress(hop: hop, transfer, { $0.take(event, at: $1) }) else { return .pause }
    switch event {
    case .queued(let isQueued):
      state.withLock { $0.isQueued = isQueued }
      watch()
    case .connected(let address): state.withLock { $0.address = address }
    case .head(let head): return take(head)
    case .body(let bytes): return call { client.exchange(self, brought: bytes) }
    case .end: end(nil, hop: hop)
    case .failure(let failure) where isAboutTrust(failure, hop: hop): break
    case .failure(let failure): end(failure, hop: hop)
    }
    return .more
  }

  /// Asks the client about certificates, or connects again to learn more about them. Returns false if it has
  /// done neither, because the failure is final.
  private func isAboutTrust(_ failure: TransferFailure, hop: UInt64) -> Bool {
    let step = state.withLock { state in
      state.hop == hop ? state.trust.step(after: failure, of: state.request.check) : nil
    }
    switch step {
    case .ask(let presented, let reason)?:
      state.withLock { _ = $0.transactions.popLast() }
      client.exchange(self, presented: presented, failure: reason)
    case .connect(let check)?: reconnect { $0.request.check = check }
    case nil: return false
    }
    return true
  }

  private func take(_ head: ResponseHead) -> TransferDemand {
    if let location = head.redirect {
      do throws(TransferFailure) {
        let (request, address) = state.withLock { ($0.request, $0.address) }
        var rule = state.withLock { $0.redirects }
        let next = try rule.request(after: request, redirectedTo: location, status: head.status, at: address)
        state.withLock { ($0.redirects, $0.undecided) = (rule, head) }
        client.exchange(self, redirectedBy: head, to: next)
        return demand
      } catch {
        stop(error)
        return .pause
      }
    }
    if head.status == 401, head.challenge != nil {
      let failures = state.withLock { state in
        state.undecided = head
        return state.failures
      }
      client.exchange(self, challengedBy: head, failures: failures)
      return demand
    }
    return call { client.exchange(self, answered: head) }
  }

  private var demand: TransferDemand {
    state.withLock { $0.undecided != nil || $0.isPaused || $0.isHeld ? .pause : .more }
  }

  /// Ends the exchange, or records the end until the client has decided. Ignores the end of a connection that
  /// another thread has replaced since its event; `hop` is nil if the exchange itself fails.
  private func end(_ failure: TransferFailure?, hop: UInt64? = nil) {
    let now = alarms.clock.now
    let alarm = state.withLock { state -> (Alarms.ID?)? in
      guard !state.isOver, hop == nil || hop == state.hop else { return nil }
      // The end is kept until the client has decided or resumed.
      guard state.undecided == nil, !state.isPaused else {
        state.unheardEnd = .some(failure)
        return nil
      }
      state.isOver = true
      state.noteInTransaction { $0.ended = now }
      return .some(state.alarm)
    }
    guard let alarm else { return }
    alarms.cancel(alarm)
    client.exchange(self, endedWith: failure)
  }

  /// Fails the exchange and cancels its connection.
  private func stop(_ failure: TransferFailure) {
    let transfer = state.withLock { state in
      state.undecided = nil
      state.isPaused = false
      return state.transfer
    }
    end(failure)
    if let transfer { transport.cancel(transfer) }
  }

  /// Schedules the next check of the timeout. Fails the exchange if the timeout has expired without progress.
  private func watch() {
    let now = alarms.clock.now
    let (old, due): (Alarms.ID?, HostTime?) = state.withLock { state in
      defer { state.alarm = nil }
      guard !state.isOver, !state.isPaused, !state.isHeld, !state.isQueued, state.undecided == nil,
        state.trust.presented.isEmpty
      else { return (state.alarm, nil) }
      return (state.alarm, state.lastProgress.advanced(bySeconds: timeout))
    }
    alarms.cancel(old)
    guard let due else { return }
    if due <= now { return timeOut(at: now) }
    let alarm = alarms.set(at: due) { [weak self] in self?.watch() }
    let isOver = state.withLock { state in
      state.alarm = alarm
      return state.isOver
    }
    if isOver { alarms.cancel(alarm) }
  }

  /// Fails the exchange, unless an event has arrived since the check of the timeout.
  private func timeOut(at now: HostTime) {
    let isExpired = state.withLock { state in
      guard !state.isOver, state.lastProgress.advanced(bySeconds: timeout) <= now else { return false }
      // An event that arrives from now on is one of an obsolete connection: the client gets one call at a time.
      state.hop += 1
      return true
    }
    guard isExpired else { return watch() }
    stop(TransferFailure(.timedOut, "\(request.url.host) sends nothing"))
  }
}
