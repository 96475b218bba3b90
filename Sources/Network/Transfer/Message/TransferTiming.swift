/// The course of a request until the first byte of its response, as measured by the transport. All times are
/// in seconds since the transport began with the request.
package struct TransferTiming: Hashable, Sendable {
  /// An address in its usual notation, and a port.
  package struct Endpoint: Hashable, Sendable {
    package var address: String
    package var port: Int

    package init(address: String, port: Int) {
      self.address = address
      self.port = port
    }
  }

  /// The end of the host name's resolution.
  package var resolved: Double
  /// The end of the TCP handshake.
  package var connected: Double
  /// The end of the TLS handshake; nil without TLS.
  package var secured: Double?
  /// The start of the request.
  package var requested: Double
  /// The arrival of the response's first byte.
  package var answered: Double
  /// Whether the connection comes from an earlier request, so that the times before `requested` have no
  /// meaning.
  package var isReused = false
  package var isProxied = false
  package var local: Endpoint?
  package var remote: Endpoint?

  package init(
    resolved: Double, connected: Double, secured: Double? = nil, requested: Double, answered: Double
  ) {
    self.resolved = resolved
    self.connected = connected
    self.secured = secured
    self.requested = requested
    self.answered = answered
  }
}
