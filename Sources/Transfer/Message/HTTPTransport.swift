/// What happens to a transfer, in this order: `connected` at most once, `head`, `body` any number of times, then `end` or
/// `failure`, which is the last. A failure may come at any time.
package enum TransferEvent: Hashable, Sendable {
  /// A connection is there, to this address if it is known.
  case connected(PeerAddress?)
  /// The head of the answer. Redirects are not followed by the transport.
  case head(ResponseHead)
  /// Bytes of the body, in order, decoded if they were encoded. At most 64 KiB at once.
  case body([UInt8])
  /// The body is at its end: so many bytes as announced, or the end of the connection where nothing was announced.
  case end
  /// The transfer failed.
  case failure(TransferFailure)
}

/// What a sink wants after an event.
package enum TransferDemand: Sendable {
  /// The next event as soon as it is there.
  case more
  /// No body until the transfer is told `setPaused(false)`: there is no room.
  case pause
}

/// A transfer of a transport.
package struct TransferID: Hashable, Sendable {
  /// The number, never used twice by one transport.
  package let number: UInt64

  /// The transfer of this number.
  package init(_ number: UInt64) { self.number = number }
}

/// Takes the events of transfers.
package protocol TransferSink: AnyObject, Sendable {
  /// Takes an event. On a thread of the transport, without a lock of it; must not block. One event of a transfer at a time.
  func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand

  /// Takes how many bytes of the request's body were sent so far, each time that there are more: in the same way, before the
  /// head of the answer. Does nothing by default.
  func sent(_ count: Int64, of transfer: TransferID)
}

extension TransferSink {
  /// Does nothing.
  package func sent(_ count: Int64, of transfer: TransferID) {}
}

/// Sends requests and hands out what comes. All methods: any thread; never block on the network.
package protocol HTTPTransport: AnyObject, Sendable {
  /// Begins a transfer. What is wrong with it comes as a failure.
  ///
  /// The sink is kept until the transfer has ended or was cancelled. Events may come before this returns.
  func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID

  /// Lets no body come, or lets it come again. A paused transfer does not read from its connection, so the server has to
  /// wait. One piece of the body may still be on its way.
  func setPaused(_ isPaused: Bool, _ transfer: TransferID)

  /// Ends a transfer. After the return no event of it begins. Does nothing if it has ended.
  func cancel(_ transfer: TransferID)
}
