import Dispatch
import Synchronization
import Transfer

/// A request whose answer a thread waits for.
final class WebCall: WebService.Connection, TransferSink {
  /// The answer to a request.
  struct Answer {
    var status = 0
    /// What the server calls this content, its `ETag`.
    var tag: String?
    var body: [UInt8] = []
  }

  /// Why there is none.
  enum Problem: Error, CustomStringConvertible {
    /// The transfer failed.
    case failed(TransferFailure)
    /// It did not come in time.
    case tooSlow(seconds: Double)
    /// It is longer than anything that is waited for.
    case tooLong
    /// Nobody waits for it any more.
    case cancelled

    var description: String {
      switch self {
      case .failed(let failure): failure.message
      case .tooSlow(let seconds): "no answer within \(Int(seconds)) seconds"
      case .tooLong: "the answer is too long"
      case .cancelled: "cancelled"
      }
    }
  }

  private struct State {
    var transfer: TransferID?
    var answer = Answer()
    var result: Result<Answer, Problem>?
  }

  /// The longest body that is taken.
  private static let longest = 1 << 20

  private let service: WebService
  private let request: TransferRequest
  private let state = Mutex(State())
  private let done = DispatchSemaphore(value: 0)

  /// A call that has not begun.
  init(_ request: TransferRequest, to service: WebService) {
    self.request = request
    self.service = service
  }

  /// Sends the request and blocks until the answer is there, at most so many seconds. Once.
  func answer(within seconds: Double) throws(Problem) -> Answer {
    guard state.withLock({ $0.result }) == nil else { throw .cancelled }
    service.begun(self)
    defer { service.ended(self) }
    let transfer = service.transport.start(request, sink: self)
    state.withLock { $0.transfer = transfer }
    if done.wait(timeout: .now() + seconds) == .timedOut { finish(.failure(.tooSlow(seconds: seconds))) }
    service.transport.cancel(transfer)
    return try (state.withLock { $0.result } ?? .failure(.cancelled)).get()
  }

  func cancel() { finish(.failure(.cancelled)) }

  /// The first result counts.
  private func finish(_ result: Result<Answer, Problem>) {
    let isFirst = state.withLock { state in
      defer { state.result = state.result ?? result }
      return state.result == nil
    }
    if isFirst { done.signal() }
  }

  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
    switch event {
    case .connected: break
    case .head(let head):
      state.withLock { state in
        state.answer.status = head.status
        state.answer.tag = head.fields["ETag"]
      }
    case .body(let bytes):
      let count = state.withLock { state in
        state.answer.body += bytes
        return state.answer.body.count
      }
      guard count <= Self.longest else {
        finish(.failure(.tooLong))
        return .pause
      }
    case .end: finish(.success(state.withLock { $0.answer }))
    case .failure(let failure): finish(.failure(.failed(failure)))
    }
    return .more
  }
}
