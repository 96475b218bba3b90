import AppLifecycle
public import Foundation
public import FoundationNetworking
import Synchronization

/// The settings of a session, which copies them at its creation. Thread-safe.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked, because the class is open; a lock guards its state.
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
    var cookies: CookieJar?
    var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain
    var httpShouldSetCookies = true
    var credentials: CredentialStore?
    var cache: URLCache?

    /// The values of a session with the application's stores.
    static var ofApplication: Values {
      var values = Values()
      values.cookies = CookieJar(storage: .shared)
      values.credentials = Device.current.networking.credentials
      values.cache = Device.current.networking.cache
      return values
    }
  }

  private let state: Mutex<Values>

  var values: Values { state.withLock { $0 } }

  /// Creates a configuration for a default session.
  public override convenience init() { self.init(.ofApplication) }

  init(_ values: Values) { state = Mutex(values) }

  private subscript<Value: Sendable>(_ path: any WritableKeyPath<Values, Value> & Sendable) -> Value {
    get { state.withLock { $0[keyPath: path] } }
    set { state.withLock { $0[keyPath: path] = newValue } }
  }

  /// A new configuration for a default session, whose connections are closed when the application is
  /// suspended, and whose tasks end with the application.
  open class var `default`: URLSessionConfiguration { URLSessionConfiguration(.ofApplication) }

  /// A new configuration like `default`, but with its own cache and its own cookie and credential stores,
  /// which are never written to disk.
  open class var ephemeral: URLSessionConfiguration {
    var values = Values()
    values.cookies = .temporary
    values.credentials = .temporary
    values.cache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0)
    return URLSessionConfiguration(values)
  }

  /// Returns a configuration for a background session. The device carries out its downloads and uploads even
  /// while the application is suspended or terminated. A relaunched application finds the session by
  /// `identifier`, which must not be empty.
  open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    precondition(!identifier.isEmpty, "a background session needs an identifier")
    var values = Values.ofApplication
    values.identifier = identifier
    values.cache = nil
    // The default on iOS.
    values.httpMaximumConnectionsPerHost = 4
    return URLSessionConfiguration(values)
  }

  /// Returns a configuration with the same values.
  open func copy(with zone: NSZone? = nil) -> Any { URLSessionConfiguration(values) }

  /// The name of a background session; nil for other sessions.
  open var identifier: String? { values.identifier }

  /// The timeout in seconds without a byte, 60 by default; at most 10 s for connecting. A `timeoutInterval`
  /// assigned to the request takes precedence, even if it is 60. A value of 60 passed to the request's
  /// initializer cannot be distinguished from the default. A background session retries downloads and uploads
  /// after a timeout, downloads also after 20 s without a response.
  open var timeoutIntervalForRequest: TimeInterval {
    get { self[\.timeoutIntervalForRequest] }
    set { self[\.timeoutIntervalForRequest] = newValue }
  }

  /// The time limit of a task in seconds, counted from its first `resume()`; 7 days by default.
  open var timeoutIntervalForResource: TimeInterval {
    get { self[\.timeoutIntervalForResource] }
    set { self[\.timeoutIntervalForResource] = newValue }
  }

  /// Header fields of all requests. Names and values are converted to strings. A request's own field of the
  /// same name takes precedence.
  open var httpAdditionalHeaders: [AnyHashable: Any]? {
    get { self[\.httpAdditionalHeaders].map { $0 as [AnyHashable: Any] } }
    set {
      self[\.httpAdditionalHeaders] = newValue.map { fields in
        Dictionary(fields.map { ("\($0)", "\($1)") }) { $1 }
      }
    }
  }

  /// The maximum number of concurrent transfers with one host, at least 1; 6 by default, 4 in the
  /// configuration of a background session. Further tasks wait, those with a higher priority first. Downloads
  /// and uploads of a background session wait in the order in which they start or are retried. No timeout but
  /// `timeoutIntervalForResource` runs while a task waits.
  open var httpMaximumConnectionsPerHost: Int {
    get { self[\.httpMaximumConnectionsPerHost] }
    set { self[\.httpMaximumConnectionsPerHost] = max(1, newValue) }
  }

  /// Whether the device chooses the time of the transfers; false by default. Has an effect only on downloads and uploads
  /// of background sessions.
  open var isDiscretionary: Bool {
    get { self[\.isDiscretionary] }
    set { self[\.isDiscretionary] = newValue }
  }

  /// Whether to wake the application when a background session's transfers have ended or wait for an answer of the
  /// delegate; true by default.
  open var sessionSendsLaunchEvents: Bool {
    get { self[\.sessionSendsLaunchEvents] }
    set { self[\.sessionSendsLaunchEvents] = newValue }
  }

  /// Whether a task that has no response yet waits for a network instead of failing without one; false by default.
  /// Downloads and uploads of background sessions always wait.
  open var waitsForConnectivity: Bool {
    get { self[\.waitsForConnectivity] }
    set { self[\.waitsForConnectivity] = newValue }
  }

  /// Stored without effect: cellular networks do not exist.
  open var allowsCellularAccess: Bool {
    get { self[\.allowsCellularAccess] }
    set { self[\.allowsCellularAccess] = newValue }
  }

  /// Stored without effect: no network counts as expensive.
  open var allowsExpensiveNetworkAccess: Bool {
    get { self[\.allowsExpensiveNetworkAccess] }
    set { self[\.allowsExpensiveNetworkAccess] = newValue }
  }

  /// Stored without effect: no network counts as constrained.
  open var allowsConstrainedNetworkAccess: Bool {
    get { self[\.allowsConstrainedNetworkAccess] }
    set { self[\.allowsConstrainedNetworkAccess] = newValue }
  }

  /// Stored without effect: suspension closes the application's own connections.
  open var shouldUseExtendedBackgroundIdleMode: Bool {
    get { self[\.shouldUseExtendedBackgroundIdleMode] }
    set { self[\.shouldUseExtendedBackgroundIdleMode] = newValue }
  }

  /// Stored without effect: shared containers do not exist.
  open var sharedContainerIdentifier: String? {
    get { self[\.sharedContainerIdentifier] }
    set { self[\.sharedContainerIdentifier] = newValue }
  }

  /// Stored without effect: all traffic has the same priority.
  open var networkServiceType: URLRequest.NetworkServiceType {
    get { self[\.networkServiceType] }
    set { self[\.networkServiceType] = newValue }
  }

  /// The store of cookies; nil to store and send none. By default, all sessions of the process, except
  /// ephemeral ones, share one store, which is kept on disk. A background task sends the cookies that are
  /// stored at its first `resume()`.
  open var httpCookieStorage: HTTPCookieStorage? {
    get { self[\.cookies]?.storage }
    set { self[\.cookies] = newValue.map { CookieJar(storage: $0) } }
  }

  /// The policy for storing the cookies of responses; `onlyFromMainDocumentDomain` by default, which accepts
  /// all cookies of a request without `mainDocumentURL`. Otherwise, the response's host must be the main
  /// document's, its subdomain or its superdomain. Takes precedence over the policy of the storage, unless
  /// that is `never`. The cookies of a background session's download or upload, and of its redirects, are
  /// stored when the task ends.
  open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
    get { self[\.httpCookieAcceptPolicy] }
    set { self[\.httpCookieAcceptPolicy] = newValue }
  }

  /// Whether requests contain the stored cookies; true by default. A request's own `Cookie` field takes
  /// precedence.
  open var httpShouldSetCookies: Bool {
    get { self[\.httpShouldSetCookies] }
    set { self[\.httpShouldSetCookies] = newValue }
  }

  /// The store of credentials for which a delegate has chosen a persistence other than `none`; nil to keep
  /// none. A stored credential is proposed for a task's first challenge, and is used by the default handling.
  /// By default the shared store; on a test device, a store of the device. Has no effect on downloads and
  /// uploads of a background session.
  open var urlCredentialStorage: URLCredentialStorage? {
    get { self[\.credentials]?.storage }
    set { self[\.credentials] = newValue.map { CredentialStore(storage: $0) } }
  }

  /// The cache of the session's data tasks; nil to store nothing. A download takes a stored response from the
  /// cache if its policy demands that. By default ``URLCache/shared``; nil in the configuration of a background
  /// session, which uses no cache.
  open var urlCache: URLCache? {
    get { self[\.cache] }
    set { self[\.cache] = newValue }
  }

  /// The cache policy of requests whose own policy is `useProtocolCachePolicy`; `useProtocolCachePolicy` by
  /// default.
  open var requestCachePolicy: URLRequest.CachePolicy {
    get { self[\.requestCachePolicy] }
    set { self[\.requestCachePolicy] = newValue }
  }
}
