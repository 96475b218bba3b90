import HostTime

/// A task that an application has asked the scheduler for.
package struct ScheduledTaskRequest: Hashable, Sendable {
  /// How long it takes.
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// A moment, to bring the application up to date.
    case refresh
    /// Minutes.
    case processing

    /// The background mode that it needs.
    var mode: BackgroundMode { self == .refresh ? .fetch : .processing }
    /// How many such requests can wait.
    var limit: Int { self == .refresh ? 1 : 10 }
  }

  /// Its name; a request with the same one replaces it.
  package var identifier: String
  package var kind: Kind
  /// Seconds since 2001 before which it is not to begin; nil: any time.
  package var earliestBegin: Double?
  package var requiresNetworkConnectivity = false
  package var requiresExternalPower = false

  package init(identifier: String, kind: Kind) {
    self.identifier = identifier
    self.kind = kind
  }
}

/// A task of the scheduler that runs.
package struct ScheduledTask: Hashable, Sendable {
  /// Unique in the life of a device.
  package let number: UInt64
  package let request: ScheduledTaskRequest
  let since: HostTime
  /// When it has to be completed.
  var deadline: HostTime
  /// Whether the application wants to be told that its time is over.
  var hasHandler = false
  /// Whether its time is nearly over.
  var isWarned = false
  /// Whether its expiration handler was called.
  var isExpired = false
}

/// Why a request is refused.
package enum ScheduledTaskRefusal: Hashable, Sendable {
  /// Background refresh is denied or restricted.
  case unavailable
  /// There are as many of its kind as can wait.
  case tooMany(limit: Int)
  /// Its identifier is not among those that the application may use.
  case identifierNotPermitted
  /// Its kind needs this background mode.
  case needsMode(BackgroundMode)
}

/// What became of the registration of a handler.
package enum ScheduledTaskRegistration: Hashable, Sendable {
  case granted
  /// Its identifier is not among those that the application may use.
  case notPermitted
  /// The application has one for this identifier already.
  case twice
  /// The application was launched already.
  case tooLate
}
