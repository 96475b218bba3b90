import Synchronization
package import Transfer

/// A network whose events the test sends.
package final class HandTransport: HTTPTransport {
  private struct State {
    var sinks: [any TransferSink] = []
    var cancelled = 0
    var request: TransferRequest?
    var isPaused = false
    var intervention: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Nothing is asked yet.
  package init() {}

  /// The number of transfers that were started.
  package var count: Int { state.withLock { $0.sinks.count } }
  /// The newest request.
  package var request: TransferRequest? { state.withLock { $0.request } }
  /// The number of calls of `cancel`.
  package var cancelled: Int { state.withLock { $0.cancelled } }

  package func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
    state.withLock { state in
      state.sinks.append(sink)
      state.request = request
      return TransferID(UInt64(state.sinks.count))
    }
  }

  /// Whether the last call of `setPaused` was for a pause.
  package var isPaused: Bool { state.withLock { $0.isPaused } }

  /// Runs `body` at the beginning of the next call of `setPaused`: what another thread may do at that moment.
  package func intervene(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.intervention = body } }

  /// Takes back an intervention that has not run.
  package func takeIntervention() -> (@Sendable () -> Void)? { state.withLock { $0.intervention.take() } }

  package func setPaused(_ isPaused: Bool, _ transfer: TransferID) {
    takeIntervention()?()
    state.withLock { $0.isPaused = isPaused }
  }

  package func cancel(_ transfer: TransferID) { state.withLock { $0.cancelled += 1 } }

  /// Sends an event of the newest transfer.
  @discardableResult package func send(_ event: TransferEvent) -> TransferDemand? {
    let (sink, count) = state.withLock { ($0.sinks.last, $0.sinks.count) }
    return sink?.take(event, of: TransferID(UInt64(count)))
  }

  /// Reports that the newest transfer has sent bytes of its body.
  package func sent(_ bytes: Int64) {
    let (sink, count) = state.withLock { ($0.sinks.last, $0.sinks.count) }
    sink?.sent(bytes, of: TransferID(UInt64(count)))
  }

  /// Sends the head of a response.
  package func answer(_ status: Int, _ fields: [(String, String)] = []) {
    send(.head(ResponseHead(status: status, fields: fields)))
  }
}
