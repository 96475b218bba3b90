/// Something that happened to a song on the network.
package struct NetworkReport: Hashable, Sendable {
  /// What it was.
  package enum What: String, Hashable, Sendable {
    /// A request was sent.
    case request
    /// A server answered.
    case response
    /// What was under way has failed; there will be another request.
    case retry
    /// The server has another version of the song.
    case changed
    /// All of it from the present place on is there.
    case complete
    /// No more of it comes.
    case lost
  }

  /// What it was.
  package var what: What
  /// Who answered, without credentials.
  package var url: String?
  /// The answer's status.
  package var status: Int?
  /// The first byte that was asked for.
  package var from: Int64?
  /// The number of the request, from 1 on.
  package var attempt: Int?
  /// How many bytes there are.
  package var total: Int64?
  /// Why it failed.
  package var error: String?

  /// A report without details.
  package init(_ what: What) { self.what = what }
}
