import Foundation
import HostTime
import Synchronization
import Transfer

/// An upload of a background session, which is tried again while it fails for reasons that may pass.
final class UploadRun: Exchange.Client {
  enum Event {
    case sent(Int64)
    case answer(ResponseHead, WebURL)
    /// It is over; with the body of the answer if there was one.
    case ended(Data, TransferFailure?)
  }

  /// Bytes of an answer that are kept: more than a server has to say of an upload.
  private static let longestAnswer = 1 << 20
  /// Seconds before the next attempt, of those in a row.
  private static let delays = [1.0, 2, 4, 8, 16, 32, 60]

  private struct State {
    var exchange: Exchange?
    var body = Data()
    var isHeld = false
    var isOver = false
    var failures = 0
    var retry: Alarms.ID?
  }

  private let request: TransferRequest
  private let transport: any HTTPTransport
  private let alarms: Alarms
  private let timeout: Double
  private let onEvent: @Sendable (Event) -> Void
  private let state = Mutex(State())

  init(
    _ request: TransferRequest, transport: any HTTPTransport, alarms: Alarms, timeout: Double,
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    self.request = request
    self.transport = transport
    self.alarms = alarms
    self.timeout = timeout
    self.onEvent = onEvent
  }

  func start() {
    let exchange = Exchange(request, transport: transport, alarms: alarms, timeout: timeout, client: self)
    let mayStart = state.withLock { state in
      guard !state.isOver, !state.isHeld else { return false }
      state.exchange = exchange
      state.body = Data()
      return true
    }
    if mayStart { exchange.start() }
  }

  func setHeld(_ isHeld: Bool) {
    let (exchange, wasHeld) = state.withLock { state in
      defer { state.isHeld = isHeld }
      return (state.exchange, state.isHeld)
    }
    exchange?.setHeld(isHeld)
    if exchange == nil, wasHeld, !isHeld { start() }
  }

  func cancel() {
    let (exchange, retry) = state.withLock { state in
      state.isOver = true
      return (state.exchange, state.retry)
    }
    alarms.cancel(retry)
    exchange?.cancel()
  }

  func exchange(_ exchange: Exchange, redirectedBy head: ResponseHead, to next: TransferRequest) {
    exchange.follow(next)
  }

  func exchange(_ exchange: Exchange, challengedBy head: ResponseHead, realm: String, failures: Int) {
    exchange.proceed()
  }

  func exchange(_ exchange: Exchange, answered head: ResponseHead) -> TransferDemand {
    onEvent(.answer(head, exchange.request.url))
    return .more
  }

  func exchange(_ exchange: Exchange, brought bytes: [UInt8]) -> TransferDemand {
    state.withLock { $0.body.append(contentsOf: bytes.prefix(max(0, Self.longestAnswer - $0.body.count))) }
    return .more
  }

  func exchange(_ exchange: Exchange, sent count: Int64) { onEvent(.sent(count)) }

  func exchange(_ exchange: Exchange, endedWith failure: TransferFailure?) {
    guard let failure, failure.mayPass else {
      let body = state.withLock { state in
        state.isOver = true
        return state.body
      }
      return onEvent(.ended(body, failure))
    }
    let delay = state.withLock { state in
      state.exchange = nil
      state.failures += 1
      return Self.delays[min(state.failures, Self.delays.count) - 1]
    }
    let alarm = alarms.set(at: alarms.clock.now.advanced(bySeconds: delay)) { [weak self] in self?.start() }
    state.withLock { $0.retry = alarm }
  }
}
