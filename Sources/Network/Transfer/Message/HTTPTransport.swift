/// An event of a transfer. The order is: `connected` at most once, `head`, `body` any number of times, then
/// `end` or `failure`. A failure may come at any time and is the last event.
package enum TransferEvent: Hashable, Sendable {
  case connected(PeerAddress?)
  /// The head of the response. The transport does not follow redirects.
  case head(ResponseHead)
  /// Bytes of the body, in order and decoded; at most 64 KiB per event.
  case body([UInt8])
  /// The end: all announced bytes have arrived, or the connection ended if no length was announced.
  case end
  case failure(TransferFailure)
}

package enum TransferDemand: Sendable {
  case more
  /// Deliver no body until `setPaused(false)`: the sink's buffer is full.
  case pause
}

package struct TransferID: Hashable, Sendable {
  /// The number, unique within a transport.
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }
}

package protocol TransferSink: AnyObject, Sendable {
  /// Receives an event. Called on a thread of the transport without its locks held, one event of a transfer
  /// at a time; must not block.
  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand

  /// Receives the number of request body bytes sent so far, each time that it grows, before the head of the
  /// response. Called under the same conditions as `take`; does nothing by default.
  func sent(_ count: Int64, of transfer: TransferID)
}

extension TransferSink {
  package func sent(_ count: Int64, of transfer: TransferID) {}
}

/// Sends requests and delivers their events. Methods are thread-safe and never block on the network.
package protocol HTTPTransport: AnyObject, Sendable {
  /// Starts a transfer. Errors are failure events. Events may arrive before `start` returns. The sink is
  /// retained until the transfer has ended or was cancelled.
  func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID

  /// Pauses or resumes the body. A paused transfer does not read from its connection, so that the server has
  /// to wait. One more piece of the body may still arrive after pausing.
  func setPaused(_ isPaused: Bool, _ transfer: TransferID)

  /// Cancels a transfer. After the return no event of it begins. Does nothing if the transfer has ended.
  func cancel(_ transfer: TransferID)
}
