/// The condition that the application accepts a TLS server's certificate. If it does not, the transport sends
/// no request, reports the server's certificates and fails with `unaccepted`. If their verification fails
/// first, the transport fails with that error and reports no certificates.
package struct ServerCheck: Hashable, Sendable {
  /// The certificates (PEM) of the server that the application has accepted. Several, because the machines
  /// of one host may have one each.
  package var accepted: [String] = []
  /// Whether the certificate must also be valid by the system's rules.
  package var isVerified = true

  package init() {}
}
