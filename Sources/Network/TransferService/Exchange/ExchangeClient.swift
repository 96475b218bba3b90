package import Transfer

extension Exchange {
  /// Receives the events of an exchange on any thread, one call at a time and without a lock. Must not block.
  package protocol Client: AnyObject, Sendable {
    /// The server redirects the request. Continue with `follow`, or with `proceed`, which accepts the
    /// redirect as the response.
    func exchange(_ exchange: Exchange, redirectedBy head: ResponseHead, to next: TransferRequest)
    /// The server requests credentials. Continue with `authenticate`, or with `proceed`, which accepts the
    /// response. `failures`: the number of earlier `authenticate` calls.
    func exchange(_ exchange: Exchange, challengedBy head: ResponseHead, failures: Int)
    /// The server presents certificates (PEM), its own first. `failure`: the reason why they are not valid; nil
    /// if they are. Continue with `trust`, or `cancel`. Only called if the request has a check.
    func exchange(_ exchange: Exchange, presented certificates: [String], failure: TransferFailure?)
    /// The head of the response has arrived. Returns the demand; after `.pause`, no body arrives before
    /// `proceed`.
    func exchange(_ exchange: Exchange, answered head: ResponseHead) -> TransferDemand
    /// Bytes of the body have arrived. Returns the demand for more.
    func exchange(_ exchange: Exchange, brought bytes: [UInt8]) -> TransferDemand
    /// `count` bytes of the request body were sent so far. The count restarts if the body is sent again.
    func exchange(_ exchange: Exchange, sent count: Int64)
    /// The exchange has ended; `failure` is nil if the body is complete. The last call.
    func exchange(_ exchange: Exchange, endedWith failure: TransferFailure?)
  }
}

extension Exchange.Client {
  /// Cancels the exchange by default, for clients whose requests have no check.
  package func exchange(_ exchange: Exchange, presented certificates: [String], failure: TransferFailure?) {
    exchange.cancel()
  }
}
