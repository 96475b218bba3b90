import Transfer

/// The question whether the application accepts a server's certificates. A value: the failures of connections
/// go in, the next step comes out. Several connections may be needed: libcurl reports no certificates after a
/// failed verification, and a connection without verification gives no reason.
struct TrustQuestion: Hashable, Sendable {
  enum Step: Hashable {
    /// Ask the client about the certificates, with the reason why they are not valid; nil if they are.
    case ask([String], TransferFailure?)
    /// Connect again with this check.
    case connect(ServerCheck)
  }

  /// The maximum number of accepted certificates of a server.
  private static let longestConsent = 10

  /// The certificates (PEM) that await the decision; empty if none do.
  var presented: [String] = []
  /// The failure of the verification; nil if the certificates are valid or were not verified.
  private var invalidity: TransferFailure?

  /// Returns the next step after a failed connection; nil if the failure is final, as always without a check.
  mutating func step(after failure: TransferFailure, of check: ServerCheck?) -> Step? {
    guard var check else { return nil }
    if check.isVerified { invalidity = failure.kind == .certificate ? failure : nil }
    switch (failure.kind, check.isVerified) {
    case (.unaccepted, true),
      (.unaccepted, false) where invalidity != nil:
      return presented.isEmpty ? nil : .ask(presented, invalidity)
    case (.unaccepted, false): check.isVerified = true
    case (.certificate, true):
      // Certificates that were accepted as valid are no longer accepted.
      check = ServerCheck()
      check.isVerified = false
    default: return nil
    }
    return .connect(check)
  }

  /// Accepts the presented certificate. Returns the check that the server passes; nil if no decision was
  /// pending.
  mutating func accept(_ check: ServerCheck?) -> ServerCheck? {
    guard let own = presented.first else { return nil }
    presented = []
    var check = check ?? ServerCheck()
    check.accepted = (check.accepted + [own]).suffix(Self.longestConsent)
    check.isVerified = invalidity == nil
    return check
  }
}
