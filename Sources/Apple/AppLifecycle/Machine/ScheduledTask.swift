import Clocks

package struct ScheduledTaskRequest: Hashable, Sendable {
  /// The kind of a task, which determines its duration.
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// A task of seconds that refreshes the application's content.
    case refresh
    /// A task of minutes that processes data.
    case processing

    var mode: BackgroundMode { self == .refresh ? .fetch : .processing }
    /// The maximum number of pending requests of this kind.
    var limit: Int { self == .refresh ? 1 : 10 }
  }

  /// The identifier of the task. A new request replaces a pending one with the same identifier.
  package var identifier: String
  package var kind: Kind
  /// The earliest start, in seconds since 2001; nil if any time is acceptable.
  var earliestBegin: Double?
  package var requiresNetworkConnectivity = false
  package var requiresExternalPower = false

  package init(identifier: String, kind: Kind) {
    self.identifier = identifier
    self.kind = kind
  }
}

package struct ScheduledTask: Hashable, Sendable {
  /// The number of the task, unique on its device.
  package let number: UInt64
  package let request: ScheduledTaskRequest
  let since: HostTime
  var deadline: HostTime
  var hasHandler = false
  /// Whether the expiration warning is due or was given.
  var isWarned = false
  var isExpired = false
}

/// The reason for refusing a request.
package enum ScheduledTaskRefusal: Hashable, Sendable {
  /// Background refresh is denied or restricted.
  case unavailable
  /// The number of pending requests of this kind has reached its limit.
  case tooMany(limit: Int)
  /// The identifier is not among the application's permitted identifiers.
  case identifierNotPermitted
  /// The required background mode is missing.
  case needsMode(BackgroundMode)
}

package enum ScheduledTaskRegistration: Hashable, Sendable {
  case granted
  /// The identifier is not among the application's permitted identifiers.
  case notPermitted
  /// A handler for this identifier is already registered.
  case twice
  /// The application has already launched.
  case tooLate
}
