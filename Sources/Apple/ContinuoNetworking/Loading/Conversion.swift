import Foundation
import FoundationNetworking
import Synchronization
import Transfer
import TransferService

/// The offset of the byte that `URLRequest.timeoutFlag` reads.
private let timeoutFlagOffset = MemoryLayout<AnyObject>.size

extension TransferRequest {
  /// Creates the request to send, with the fields of `additional` that `request` does not set. Throws a `URLError` for a
  /// body stream, an invalid method, and a URL that is missing, invalid, or neither HTTP nor HTTPS.
  init(_ request: URLRequest, additional fields: [String: String] = [:]) throws {
    guard let url = request.url else { throw URLError(.badURL) }
    try self.init(
      url: url.absoluteString, method: request.httpMethod ?? "GET",
      fields: request.fields(besides: fields))
    guard request.httpBodyStream == nil else {
      throw URLError.of(
        .requestBodyStreamExhausted, url,
        "the body stream of a request after a redirect is not sent: use httpBody")
    }
    if let body = request.httpBody { self.body = .bytes(Array(body)) }
  }
}

extension URLRequest {
  /// Returns the header fields of this request, and those of `additional` that it does not set. Names are
  /// compared without case.
  func fields(besides additional: [String: String]) -> [String: String] {
    (allHTTPHeaderFields ?? [:]).merging(
      additional.filter { value(forHTTPHeaderField: $0.key) == nil }, uniquingKeysWith: { own, _ in own })
  }

  /// Replaces the body stream by its bytes. Blocks as long as the stream does. Throws a `URLError` if the
  /// stream fails or has more than `limit` bytes.
  mutating func readBodyStream(limit: Int) throws(URLError) {
    guard let stream = httpBodyStream else { return }
    stream.open()
    defer { stream.close() }
    var body = Data()
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = stream.read(&piece, maxLength: piece.count)
      guard count >= 0 else {
        throw .of(.requestBodyStreamExhausted, url, "the body stream cannot be read")
      }
      guard count > 0 else { break }
      body.append(contentsOf: piece[..<count])
      guard body.count <= limit else {
        throw .of(.dataLengthExceedsMaximum, url, "the body stream is longer than \(limit) bytes")
      }
    }
    httpBody = body
  }

  /// The assigned timeout in seconds; nil if none was assigned and the session's timeout applies. A value of
  /// 60 s passed to an initializer, or set with `NSMutableURLRequest`, cannot be distinguished from the
  /// default.
  var ownTimeout: TimeInterval? {
    if timeoutInterval != 60 { return timeoutInterval }
    return Self.hasTimeoutFlag && timeoutFlag ? timeoutInterval : nil
  }

  /// Whether `timeoutInterval` was assigned. FoundationNetworking records the assignment in the byte after
  /// the structure's only reference, and has no API to read it (Swift 6.3).
  private var timeoutFlag: Bool {
    withUnsafeBytes(of: self) { $0.count > timeoutFlagOffset && $0[timeoutFlagOffset] == 1 }
  }

  /// Whether the byte that `timeoutFlag` reads changes only when `timeoutInterval` is assigned, and is copied
  /// with the request.
  private static let hasTimeoutFlag: Bool = {
    guard MemoryLayout<URLRequest>.size == timeoutFlagOffset + 1 else { return false }
    var plain = URLRequest(url: URL(fileURLWithPath: "/"))
    var assigned = plain
    assigned.timeoutInterval = 60
    for method in ["POST", "GET"] {
      plain.httpMethod = method
      assigned.httpMethod = method
      guard !plain.timeoutFlag, assigned.timeoutFlag else { return false }
    }
    return true
  }()

  /// Returns the `URLRequest` for `next`, to which the server has redirected this request.
  func following(_ next: TransferRequest) -> URLRequest {
    var request = self
    request.url = URL(string: next.url.text)
    request.httpMethod = next.sentMethod
    // The stream was read to its end for the first request, so it has no bytes for the next one.
    if request.httpBodyStream != nil { request.httpBodyStream = nil }
    if next.body == nil {
      request.httpBody = nil
      for name in ["Content-Type", "Content-Length"] { request.setValue(nil, forHTTPHeaderField: name) }
    }
    if next.fields["Authorization"] == nil { request.setValue(nil, forHTTPHeaderField: "Authorization") }
    return request
  }
}

extension ResponseHead {
  func response(for url: URL) -> HTTPURLResponse? {
    NamedResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: dictionary)
  }
}

extension URLError {
  static func of(_ code: Code, _ url: URL?, _ text: String, resumeData: Data?) -> URLError {
    let error = URLError.of(code, url, text)
    guard let resumeData else { return error }
    return URLError(
      code, userInfo: error.userInfo.merging([NSURLSessionDownloadTaskResumeData: resumeData]) { $1 })
  }

  static func of(_ failure: TransferFailure, _ url: URL?, resumeData: Data? = nil) -> URLError {
    of(
      failure.kind.urlErrorCode.flatMap { Code(rawValue: $0) } ?? .unknown, url, failure.message,
      resumeData: resumeData)
  }

  /// The error of a download whose resume data cannot be read.
  static var unreadableResumeData: URLError { of(.cannotOpenFile, nil, "the resume data cannot be read") }

  static func cancelled(_ url: URL?, resumeData: Data? = nil) -> URLError {
    of(.cancelled, url, "cancelled", resumeData: resumeData)
  }
}

extension URLAuthenticationChallenge {
  /// - Parameter storage: the store that proposes a credential for the first challenge.
  convenience init(_ url: URL, _ head: ResponseHead, failures: Int, storage: CredentialStore? = nil) {
    let port = url.port ?? (url.scheme == "https" ? 443 : 80)
    let (scheme, realm) = head.challenge ?? (.basic, "")
    let space = URLProtectionSpace(
      host: url.host ?? "", port: port, protocol: url.scheme, realm: realm,
      authenticationMethod: scheme == .digest
        ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic)
    self.init(
      protectionSpace: space,
      proposedCredential: failures == 0 ? storage?.proposal(for: space) : nil,
      previousFailureCount: failures,
      failureResponse: head.response(for: url), error: nil, sender: ChallengeSender())
  }
}

extension URLAuthenticationChallenge {
  /// Records that `delegate` does not implement the challenge method that was called.
  func recordSilence(of delegate: any NSObjectProtocol) {
    (sender as? ChallengeSender)?.silent.withLock { $0 = ObjectIdentifier(delegate as AnyObject) }
  }

  /// Returns whether the last record of `recordSilence` is about `delegate`, and discards the record. Returns
  /// false if `delegate` has forwarded the challenge to another delegate that does not implement the method.
  func takeSilence(of delegate: any NSObjectProtocol) -> Bool {
    (sender as? ChallengeSender)?.silent.withLock { $0.take() } == ObjectIdentifier(delegate as AnyObject)
  }
}

/// A sender without effect, because sessions take the answer from the completion handler.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
  /// The delegate in the last record of `recordSilence`; nil without a record, and after `takeSilence`.
  fileprivate let silent = Mutex<ObjectIdentifier?>(nil)

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

extension URLCredential {
  var credentials: Credentials { Credentials(user: user ?? "", password: password ?? "") }
}
