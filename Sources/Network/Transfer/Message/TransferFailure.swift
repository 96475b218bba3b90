package struct TransferFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// libcurl cannot be used; for example, it is missing or too old.
    case noLibrary
    case badURL
    /// The host has no address, according to the name service.
    case hostNotFound
    /// The host name was not resolved, for example because the name service was not reachable.
    case hostUnresolved
    case refused
    case offline
    /// The connection ended too early.
    case lost
    case timedOut
    case tls
    case certificate
    /// The request was not sent, because the application has not accepted the certificate.
    case unaccepted
    /// Too many redirects, or a redirect that is not followed.
    case redirects
    /// The request may not connect to this address.
    case notReachable
    case status(Int)
    /// The response cannot be used; for example, it contradicts itself or violates the protocol.
    case badAnswer
    /// The request body cannot be read.
    case badBody
    /// Too many transfers are in progress, or no memory or file descriptors are left.
    case noRoom

    /// The code of `NSURLErrorDomain` (this module imports no Foundation); nil if not the network's failure.
    package var urlErrorCode: Int? {
      switch self {
      case .noLibrary: nil
      case .badURL: -1000
      case .badBody: -1021
      case .timedOut: -1001
      case .hostNotFound, .hostUnresolved: -1003
      case .refused, .notReachable: -1004
      case .lost: -1005
      case .redirects: -1007
      case .noRoom: -1008
      case .offline: -1009
      case .status(401): -1013
      case .status(403): -1102
      case .status(404), .status(410): -1100
      case .badAnswer, .status: -1011
      case .tls: -1200
      case .certificate, .unaccepted: -1202
      }
    }
  }

  package let kind: Kind
  /// A sentence for users, without credentials, query and fragment.
  package let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  package var description: String { message }

  /// Whether a retry of the same request may succeed.
  package var mayPass: Bool {
    switch kind {
    case .hostUnresolved, .refused, .offline, .lost, .timedOut, .tls, .noRoom: true
    case .status(let status): status == 408 || status == 425 || status == 429 || (500...599).contains(status)
    case .noLibrary, .badURL, .badBody, .hostNotFound, .certificate, .unaccepted, .redirects, .notReachable,
      .badAnswer:
      false
    }
  }
}
