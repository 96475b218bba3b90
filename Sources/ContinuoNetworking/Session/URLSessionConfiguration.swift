import Foundation
import FoundationNetworking
import Synchronization

/// How a session works. A session keeps a copy of what it was made with. Any thread.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: an open class cannot be checked. What it has is behind a lock.
  struct Values: Sendable {
    var identifier: String?
    var timeoutIntervalForRequest: TimeInterval = 60
    var timeoutIntervalForResource: TimeInterval = 604_800
    var httpAdditionalHeaders: [String: String]?
    var httpMaximumConnectionsPerHost = 6
    var isDiscretionary = false
    var sessionSendsLaunchEvents = true
    var waitsForConnectivity = false
    var allowsCellularAccess = true
    var allowsExpensiveNetworkAccess = true
    var allowsConstrainedNetworkAccess = true
    var shouldUseExtendedBackgroundIdleMode = false
    var sharedContainerIdentifier: String?
    var networkServiceType = URLRequest.NetworkServiceType.default
    var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
  }

  private let state: Mutex<Values>

  /// The values at present.
  var values: Values { state.withLock { $0 } }

  /// The values of a default session.
  public override convenience init() { self.init(Values()) }

  init(_ values: Values) { state = Mutex(values) }

  private subscript<Value: Sendable>(_ path: any WritableKeyPath<Values, Value> & Sendable) -> Value {
    get { state.withLock { $0[keyPath: path] } }
    set { state.withLock { $0[keyPath: path] = newValue } }
  }

  /// A new configuration for a session of the application, whose tasks stand still with it and end with it.
  open class var `default`: URLSessionConfiguration { URLSessionConfiguration(Values()) }

  /// The same as `default`: no session here writes cookies, caches or credentials to a disk.
  open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration(Values()) }

  /// A new configuration for a session whose transfers the device makes, also while the application is suspended or was
  /// terminated.
  ///
  /// - Parameter identifier: the session's name, by which an application that was launched again finds it; not empty.
  open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    precondition(!identifier.isEmpty, "a background session needs an identifier")
    var values = Values()
    values.identifier = identifier
    // There are as many as on a phone.
    values.httpMaximumConnectionsPerHost = 4
    return URLSessionConfiguration(values)
  }

  /// Another configuration with the same values.
  open func copy(with zone: NSZone? = nil) -> Any { URLSessionConfiguration(values) }

  /// The name of a background session; nil for other sessions.
  open var identifier: String? { values.identifier }

  /// Seconds without a byte after which a task fails; 60 by default. A `timeoutInterval` that was assigned to the request wins, also
  /// 60; 60 s given to its initializer cannot be told from the default. In a background session the task is tried again.
  open var timeoutIntervalForRequest: TimeInterval {
    get { self[\.timeoutIntervalForRequest] }
    set { self[\.timeoutIntervalForRequest] = newValue }
  }

  /// Seconds after which a task fails however it goes, counted from its first `resume()`; 7 days by default.
  open var timeoutIntervalForResource: TimeInterval {
    get { self[\.timeoutIntervalForResource] }
    set { self[\.timeoutIntervalForResource] = newValue }
  }

  /// Header fields of all requests, unless the request has a field of that name. Values are sent as they are described.
  open var httpAdditionalHeaders: [AnyHashable: Any]? {
    get { self[\.httpAdditionalHeaders].map { $0 as [AnyHashable: Any] } }
    set {
      var fields: [String: String]?
      if let newValue {
        fields = [:]
        for (name, value) in newValue { fields?["\(name)"] = "\(value)" }
      }
      self[\.httpAdditionalHeaders] = fields
    }
  }

  /// How many of the session's transfers with one host there are at a time; 6 by default, 4 in a background session. Further
  /// ones wait, those with a higher priority first.
  open var httpMaximumConnectionsPerHost: Int {
    get { self[\.httpMaximumConnectionsPerHost] }
    set { self[\.httpMaximumConnectionsPerHost] = max(1, newValue) }
  }

  /// Whether the device chooses the time of the transfers; without effect outside of background sessions.
  open var isDiscretionary: Bool {
    get { self[\.isDiscretionary] }
    set { self[\.isDiscretionary] = newValue }
  }

  /// Whether the application is resumed or launched when a background session's transfers are done; true by default.
  open var sessionSendsLaunchEvents: Bool {
    get { self[\.sessionSendsLaunchEvents] }
    set { self[\.sessionSendsLaunchEvents] = newValue }
  }

  /// Whether a task waits for a network instead of failing where there is none. A background session always does.
  open var waitsForConnectivity: Bool {
    get { self[\.waitsForConnectivity] }
    set { self[\.waitsForConnectivity] = newValue }
  }

  /// Kept; there is no cellular network.
  open var allowsCellularAccess: Bool {
    get { self[\.allowsCellularAccess] }
    set { self[\.allowsCellularAccess] = newValue }
  }

  /// Kept; no network is known as expensive.
  open var allowsExpensiveNetworkAccess: Bool {
    get { self[\.allowsExpensiveNetworkAccess] }
    set { self[\.allowsExpensiveNetworkAccess] = newValue }
  }

  /// Kept; no network is known as constrained.
  open var allowsConstrainedNetworkAccess: Bool {
    get { self[\.allowsConstrainedNetworkAccess] }
    set { self[\.allowsConstrainedNetworkAccess] = newValue }
  }

  /// Kept, and has no effect.
  open var shouldUseExtendedBackgroundIdleMode: Bool {
    get { self[\.shouldUseExtendedBackgroundIdleMode] }
    set { self[\.shouldUseExtendedBackgroundIdleMode] = newValue }
  }

  /// Kept, and has no effect.
  open var sharedContainerIdentifier: String? {
    get { self[\.sharedContainerIdentifier] }
    set { self[\.sharedContainerIdentifier] = newValue }
  }

  /// Kept, and has no effect.
  open var networkServiceType: URLRequest.NetworkServiceType {
    get { self[\.networkServiceType] }
    set { self[\.networkServiceType] = newValue }
  }

  /// Kept, and has no effect: nothing is cached.
  open var requestCachePolicy: URLRequest.CachePolicy {
    get { self[\.requestCachePolicy] }
    set { self[\.requestCachePolicy] = newValue }
  }
}
