import Synchronization

/// An optional method of delegates. A Swift protocol does not show whether a type has a method of its own: this
/// is known once the default implementation was called.
enum OptionalMethod: Hashable {
  /// Both methods for challenges about certificates. Such a challenge costs an extra connection, which is saved if the
  /// delegate lacks both.
  case certificates
  /// The method for delayed requests. A suspended application is woken for it.
  case delayedRequests

  /// The types of delegates that lack a method.
  private static let missing = Mutex<[OptionalMethod: Set<ObjectIdentifier>]>([:])

  /// Whether the type of a delegate is known to lack the method.
  func isMissing(in delegate: any URLSessionDelegate) -> Bool {
    Self.missing.withLock { $0[self]?.contains(Self.type(delegate)) == true }
  }

  func recordMissing(in delegate: any URLSessionDelegate) {
    _ = Self.missing.withLock { $0[self, default: []].insert(Self.type(delegate)) }
  }

  private static func type(_ delegate: any URLSessionDelegate) -> ObjectIdentifier {
    ObjectIdentifier(Swift.type(of: delegate as AnyObject))
  }
}
