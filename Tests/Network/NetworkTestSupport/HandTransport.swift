import Synchronization
package import Transfer

/// A network whose events the test sends.
package final class HandTransport: HTTPTransport {
  private let state = Mutex((sinks: [any TransferSink](), cancelled: 0, request: TransferRequest?.none))

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

  package func setPaused(_ isPaused: Bool, _ transfer: TransferID) {}
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
