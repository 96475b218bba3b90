import AppLifecycle
import CurlTransport
import Foundation
import Synchronization
import Transfer

/// A web service, and the application's connections to it. The application owns the connections: they may be
/// reclaimed while it is suspended, and end with it.
final class WebService: Suspendable {
  /// A connection that must end with the application.
  protocol Connection: AnyObject, Sendable {
    /// Ends the connection. Any thread; never blocks on the network.
    func stop()
    /// Suspends or resumes the connection together with the application. Any thread.
    func setSuspended(_ isSuspended: Bool)
  }

  private let base: WebURL
  private let credentials: Credentials?
  let transport: any HTTPTransport
  private let open = Mutex<[ObjectIdentifier: any Connection]>([:])

  /// Creates a service below an http or https URL. Throws if the URL is invalid or has a query.
  init(url text: String) throws {
    (base, credentials) = try WebURL.read(text)
    guard base.query == nil else { throw WebURL.Problem.malformed }
    var options = CurlOptions()
    options.hasSystemSockets = false
    transport = CurlHTTPTransport(options: options)
  }

  private static let userAgent = "Backgrounder"

  /// Returns the URL of a path that begins with a slash.
  func url(_ path: String) throws -> WebURL {
    let front = base.text.hasSuffix("/") ? String(base.text.dropLast()) : base.text
    return try WebURL.read(front + path).url
  }

  /// The common settings of requests for files.
  var settings: RequestSettings {
    var settings = RequestSettings(userAgent: Self.userAgent)
    settings.credentials = credentials
    return settings
  }

  /// Returns a request for a path. A request with a body stores the body at the path.
  func request(_ path: String, body: [UInt8]? = nil) throws -> TransferRequest {
    var request = TransferRequest(url: try url(path))
    request.credentials = credentials
    request.fields.set("User-Agent", Self.userAgent)
    request.body = body.map { .bytes($0) }
    return request
  }

  func begun(_ connection: any Connection) { open.withLock { $0[ObjectIdentifier(connection)] = connection } }

  func ended(_ connection: any Connection) {
    let old = open.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) }
    // Releasing the last reference may end a transfer, which must not happen under the lock.
    withExtendedLifetime(old) {}
  }

  private var connections: [any Connection] { open.withLock { Array($0.values) } }

  // MARK: Suspendable

  func suspend() { for connection in connections { connection.setSuspended(true) } }

  func resume() { for connection in connections { connection.setSuspended(false) } }

  func terminate() { for connection in connections { connection.stop() } }
}
