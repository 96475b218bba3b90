package import ControlProtocol

/// An error of the database.
package enum DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The system's libsqlite3 cannot be loaded, or lacks a function.
  case unavailable(String)
  /// The file is damaged, or not a database.
  case damaged(String)
  /// The disk is full, or the file has reached its size limit.
  case full
  /// A later version of this program, or another program, has created the file.
  case unknownVersion(Int64)
  /// The query ended early: it exceeded its budget, or its client no longer waits.
  case refused(Ack)
  /// Any other error, with SQLite's code and message.
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
