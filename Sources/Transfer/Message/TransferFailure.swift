/// Why a transfer failed.
package struct TransferFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is: by this, callers choose the error that they report.
  package enum Kind: Hashable, Sendable {
    /// libcurl is missing or too old.
    case noLibrary
    /// The URL cannot be used.
    case badURL
    /// There is no such host: whoever knows all names says so.
    case hostNotFound
    /// Nobody could be asked for the host's address.
    case hostUnresolved
    /// The host takes no connection.
    case refused
    /// This machine has no network.
    case offline
    /// The connection ended too early.
    case lost
    /// Nothing came in time.
    case timedOut
    /// No encrypted connection could be made.
    case tls
    /// The host's certificate is not valid for it.
    case certificate
    /// Too many redirects, or one that is not followed.
    case redirects
    /// The address is not one that this request may reach.
    case notReachable
    /// The server answered with this status.
    case status(Int)
    /// The answer contradicts itself or breaks the rules.
    case badAnswer
    /// What was to be sent cannot be read.
    case badBody
    /// Too many transfers at once, or no memory.
    case noRoom

    /// The code of `NSURLErrorDomain`, which this module cannot name without Foundation, for such a failure; nil if it is not
    /// the network's.
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
      case .badAnswer: -1011
      case .status(401): -1013
      case .status(403): -1102
      case .status(404), .status(410): -1100
      case .status: -1011
      case .tls: -1200
      case .certificate: -1202
      }
    }
  }

  /// What kind it is.
  package let kind: Kind
  /// A sentence for a person, without credentials, query and fragment.
  package let message: String

  /// A failure of this kind.
  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The message.
  package var description: String { message }

  /// Whether the same request may succeed later.
  package var mayPass: Bool {
    switch kind {
    case .hostUnresolved, .refused, .offline, .lost, .timedOut, .tls, .noRoom: true
    case .status(let status): status == 408 || status == 425 || status == 429 || (500...599).contains(status)
    case .noLibrary, .badURL, .badBody, .hostNotFound, .certificate, .redirects, .notReachable, .badAnswer:
      false
    }
  }
}
