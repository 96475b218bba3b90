import Dispatch
import Synchronization
import Transfer

/// A request whose response a thread waits for.
final class WebCall: WebService.Connection, TransferSink {
  struct Answer {
    var status = 0
    /// The `ETag` of the content.
    var tag: String?
    var body: [UInt8] = []
  }

  /// A reason why a call has no response.
  enum Problem: Error, CustomStringConvertible {
    case failed(TransferFailure)
    case tooSlow(seconds: Double)
    case tooLong
    /// The call was stopped, or was used before.
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

  /// The maximum size of a response body, in bytes.
  private static let longest = 1 << 20

  private let service: WebService
  private let request: TransferRequest
  private let state = Mutex(State())
  private let done = DispatchSemaphore(value: 0)

  /// Creates a call, which `answer` starts.
  init(_ request: TransferRequest, to service: WebService) {
    self.request = request
    self.service = service
  }

  /// Sends the request and returns the response. Blocks for at most `seconds`. For a single use.
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

  func stop() { finish(.failure(.cancelled)) }

  /// Does nothing, because the time limit also applies during a suspension.
  func setSuspended(_ isSuspended: Bool) {}

  /// Records the result and wakes the waiting thread. The first result counts.
  private func finish(_ result: Result<Answer, Problem>) {
    let isFirst = state.withLock { state in
      defer { state.result = state.result ?? result }
      return state.result == nil
    }
    if isFirst { done.signal() }
  }

  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
    switch event {
    case .queued, .connected: break
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
