/// The consent that a request over TLS needs besides the system's rules. Without it, the transport sends no
/// request: it reports the server's certificates and fails with `unaccepted`, unless their verification has
/// failed before.
package struct ServerCheck: Hashable, Sendable {
  /// The certificates (PEM) of the server that the application has accepted. Several, because the machines
  /// of one host may have one each.
  package var accepted: [String] = []
  /// Whether the certificate must also be valid by the system's rules.
  package var isVerified = true

  package init() {}
}
