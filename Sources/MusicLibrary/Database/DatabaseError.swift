package import ControlProtocol

/// Why the database did not do what it was told to.
package enum DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system has no libsqlite3.
  case unavailable(String)
  /// The file is no database, or not a whole one any more.
  case damaged(String)
  /// There is no room on the disk.
  case full
  /// A later version of this program, or another program, has made it.
  case unknownVersion(Int64)
  /// The question was ended: it took too much, or nobody waits for its answer.
  case refused(Ack)
  /// Anything else, by SQLite's number and in its words.
  case failed(code: Int32, String)

  package var description: String {
    switch self {
    case .unavailable(let reason): reason
    case .damaged(let reason): reason
    case .full: "the disk is full"
    case .unknownVersion(let version): "made by another version (\(version))"
    case .refused(let ack): ack.description
    case .failed(let code, let reason): "\(reason) (\(code))"
    }
  }
}
