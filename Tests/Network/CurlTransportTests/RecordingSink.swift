import Foundation
import Synchronization
import Transfer

/// Keeps the events of transfers, and lets a test wait for them.
final class RecordingSink: TransferSink {
  private struct State {
    var events: [TransferEvent] = []
    var body: [UInt8] = []
    var sent: [Int64] = []
    var timings: [TransferTiming] = []
    var isEnded = false
    var pauses = false
    var onEvent: (@Sendable (TransferEvent, TransferID) -> Void)?
  }

  private let state = Mutex(State())
  private let change = NSCondition()

  /// Whether every body event is answered with `pause`.
  var pauses: Bool {
    get { state.withLock { $0.pauses } }
    set { state.withLock { $0.pauses = newValue } }
  }

  /// Called with every event, on the transport's thread.
  func onEvent(_ body: @escaping @Sendable (TransferEvent, TransferID) -> Void) {
    state.withLock { $0.onEvent = body }
  }

  /// How far the request's body was sent, each time.
  var sent: [Int64] { state.withLock { $0.sent.map { $0 } } }

  func sent(_ count: Int64, of transfer: TransferID) { state.withLock { $0.sent.append(count) } }

  /// The times, as often as they were measured.
  var timings: [TransferTiming] { state.withLock { $0.timings.map { $0 } } }

  func measured(_ timing: TransferTiming, of transfer: TransferID) {
    state.withLock { $0.timings.append(timing) }
  }

  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
    let (demand, handler) = state.withLock { state in
      switch event {
      case .body(let bytes): state.body += bytes
      case .end, .failure: state.isEnded = true
      case .queued, .head, .connected: break
      }
      state.events.append(event)
      if case .body = event, state.pauses { return (TransferDemand.pause, state.onEvent) }
      return (.more, state.onEvent)
    }
    handler?(event, transfer)
    change.lock()
    change.broadcast()
    change.unlock()
    return demand
  }

  var events: [TransferEvent] { state.withLock { $0.events.map { $0 } } }
  /// When the transfer is over. The thread sanitizer does not see that a copy of an array that grows is apart from it.
  var body: [UInt8] { state.withLock { $0.body } }
  var byteCount: Int { state.withLock { $0.body.count } }
  var head: ResponseHead? { events.compactMap { if case .head(let head) = $0 { head } else { nil } }.first }
  var failure: TransferFailure? {
    events.compactMap { if case .failure(let failure) = $0 { failure } else { nil } }.last
  }
  var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Waits until that holds; false after `limit` seconds.
  func wait(limit: Double = 120, until holds: (RecordingSink) -> Bool = { $0.isEnded }) -> Bool {
    let end = Date(timeIntervalSinceNow: limit)
    change.lock()
    defer { change.unlock() }
    while !holds(self) {
      guard change.wait(until: end) else { return holds(self) }
    }
    return true
  }
}
