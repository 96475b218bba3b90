import Dispatch
import Synchronization
import Transfer

/// A transfer that delivers its events on the main queue, and therefore not while the application is
/// suspended.
final class WebTransfer: WebService.Connection, TransferSink {
  private struct State {
    var transfer: TransferID?
    var events: [TransferEvent] = []
    var bytes = 0
    var isFull = false
    var isPaused = false
    var isOver = false
  }

  /// The maximum number of bytes that wait for the main queue.
  private static let room = 256 * 1024

  private let service: WebService
  private let state = Mutex(State())
  private let handler: @MainActor (TransferEvent) -> Void

  /// Starts the transfer. `handler` is called with each event in order, until the last one or until the
  /// transfer is cancelled.
  init(
    _ request: TransferRequest, to service: WebService, handler: @escaping @MainActor (TransferEvent) -> Void
  ) {
    self.service = service
    self.handler = handler
    service.begun(self)
    let transfer = service.transport.start(request, sink: self)
    let isOver = state.withLock { state in
      state.transfer = transfer
      return state.isOver
    }
    if isOver { service.transport.cancel(transfer) }
  }

  /// Pauses or resumes the arrival of bytes.
  @MainActor func setPaused(_ isPaused: Bool) {
    let transfer = state.withLock { state in
      state.isPaused = isPaused
      return state.isFull ? nil : state.transfer
    }
    if let transfer { service.transport.setPaused(isPaused, transfer) }
  }

  func cancel() {
    let transfer = state.withLock { state in
      state.isOver = true
      state.events = []
      return state.transfer
    }
    service.ended(self)
    if let transfer { service.transport.cancel(transfer) }
  }

  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
    let (isFirst, isFull) = state.withLock { state in
      guard !state.isOver else { return (false, false) }
      state.events.append(event)
      if case .body(let bytes) = event { state.bytes += bytes.count }
      if state.bytes >= Self.room { state.isFull = true }
      return (state.events.count == 1, state.isFull)
    }
    if isFirst { DispatchQueue.main.async { MainActor.assumeIsolated { self.deliver() } } }
    return isFull ? .pause : .more
  }

  @MainActor private func deliver() {
    let events = state.withLock { state in
      defer {
        state.events = []
        state.bytes = 0
      }
      return state.events
    }
    for event in events where !state.withLock({ $0.isOver }) {
      switch event {
      case .end, .failure:
        state.withLock { $0.isOver = true }
        service.ended(self)
      case .connected, .head, .body: break
      }
      handler(event)
    }
    let transfer = state.withLock { state in
      defer { state.isFull = false }
      return state.isFull && !state.isPaused && !state.isOver ? state.transfer : nil
    }
    if let transfer { service.transport.setPaused(false, transfer) }
  }
}
