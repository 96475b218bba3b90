import AppLifecycle
import CurlTransport
import Foundation
import Synchronization
import Transfer

/// A web service, and the application's connections with it. These are the application's own: they may be reclaimed while
/// it is suspended, and end with it.
final class WebService: Suspendable {
  /// Something that an end of the application has to end.
  protocol Connection: AnyObject, Sendable {
    /// Ends it. Any thread; never blocks on the network.
    func cancel()
  }

  private let base: WebURL
  private let credentials: Credentials?
  let transport: any HTTPTransport
  private let open = Mutex<[ObjectIdentifier: any Connection]>([:])

  /// A service below this URL of http or https. Throws what is wrong with it.
  init(url text: String) throws {
    (base, credentials) = try WebURL.read(text)
    guard base.query == nil else { throw WebURL.Problem.malformed }
    var options = CurlOptions()
    options.hasSystemSockets = false
    transport = CurlTransport(options: options)
  }

  /// What `User-Agent` says.
  static let userAgent = "Backgrounder"

  /// The URL of a path that begins with a slash.
  func url(_ path: String) throws -> WebURL {
    let front = base.text.hasSuffix("/") ? String(base.text.dropLast()) : base.text
    return try WebURL.read(front + path).url
  }

  /// What requests for a file have in common.
  var settings: RequestSettings {
    var settings = RequestSettings(userAgent: Self.userAgent)
    settings.credentials = credentials
    return settings
  }

  /// A request for a path; with a body it is stored there.
  func request(_ path: String, body: [UInt8]? = nil) throws -> TransferRequest {
    var request = TransferRequest(url: try url(path))
    request.credentials = credentials
    request.fields.set("User-Agent", Self.userAgent)
    request.body = body.map { .bytes($0) }
    return request
  }

  func begun(_ connection: any Connection) {
    open.withLock { $0[ObjectIdentifier(connection)] = connection }
  }

  func ended(_ connection: any Connection) {
    open.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
  }

  // MARK: Suspendable

  func suspend() {}
  func resume() {}

  func terminate() {
    for connection in open.withLock({ Array($0.values) }) { connection.cancel() }
  }
}
