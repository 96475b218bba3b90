/// Why a transfer failed.
package struct TransferFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is: by this, callers choose the error that they report.
  package enum Kind: Hashable, Sendable {
    /// libcurl is missing or too old.
    case noLibrary
    /// The URL cannot be used.
    case badURL
    /// No address is known for the host.
    case hostNotFound
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
    /// Too many transfers at once, or no memory.
    case noRoom
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
    case .hostNotFound, .refused, .offline, .lost, .timedOut, .tls, .noRoom: true
    case .status(let status): status == 408 || status == 425 || status == 429 || (500...599).contains(status)
    case .noLibrary, .badURL, .certificate, .redirects, .notReachable, .badAnswer: false
    }
  }
}
