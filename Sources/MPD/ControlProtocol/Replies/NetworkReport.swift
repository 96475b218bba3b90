/// An event of a song's transfer from the network.
package struct NetworkReport: Hashable, Sendable {
  /// The kind of event.
  package enum What: String, Hashable, Sendable {
    /// A request was sent.
    case request
    /// A server has responded.
    case response
    /// The request has failed; another one will follow.
    case retry
    /// The server has a different version of the song.
    case changed
    /// All data from the current position to the end was received.
    case complete
    /// The transfer has failed permanently.
    case lost
  }

  /// The kind of event.
  package var what: What
  /// The URL of the responding server, without credentials.
  package var url: String?
  /// The HTTP status of the response.
  package var status: Int?
  /// The first requested byte.
  package var from: Int64?
  /// The number of the request, from 1.
  package var attempt: Int?
  /// The total size in bytes.
  package var total: Int64?
  /// The reason for a failure.
  package var error: String?

  /// Creates a report without details.
  package init(_ what: What) { self.what = what }
}
