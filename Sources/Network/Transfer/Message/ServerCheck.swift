/// The consent that a request over TLS needs besides the system's rules. The transport reports the server's
/// certificates and fails with `unaccepted`, before it sends the request, unless the consent exists.
package struct ServerCheck: Hashable, Sendable {
  /// The certificates (PEM) of the server that the application has accepted. Several, because the machines
  /// of one host may have one each.
  package var accepted: [String] = []
  /// Whether the certificate must also be valid by the system's rules.
  package var isVerified = true

  package init() {}
}
