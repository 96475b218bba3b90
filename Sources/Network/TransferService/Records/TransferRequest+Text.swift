package import Foundation
import Glibc
package import Transfer

extension TransferRequest {
  /// The header fields of requests by this process that do not set them.
  package static let defaultFields = [
    "Accept": "*/*", "Accept-Language": languages(of: ProcessInfo.processInfo.environment),
    "User-Agent": ProcessInfo.processInfo.processName,
  ]

  /// Creates the request to send. Ignores fields that the transport sets, and invalid ones. Throws `unsupportedURL`
  /// for schemes other than http and https, and `badURL` for a malformed URL or method.
  package init(
    url text: String, method: String, fields: [String: String], defaults: [String: String] = defaultFields
  ) throws(URLError) {
    func failure(_ code: URLError.Code, _ message: String) -> URLError {
      .of(code, URL(string: text), message)
    }
    let target: (url: WebURL, credentials: Credentials?)
    do throws(WebURL.Problem) {
      target = try WebURL.read(text)
    } catch {
      switch error {
      case .unsupportedScheme: throw failure(.unsupportedURL, "unsupported URL")
      case .tooLong, .malformed: throw failure(.badURL, "bad URL")
      }
    }
    // A method with blanks or line ends could add header fields to the request.
    guard HTTPFields.isToken(method) else {
      throw failure(.badURL, "\(method.debugDescription) is not an HTTP method")
    }
    self.init(url: target.url)
    credentials = target.credentials
    self.method = method
    for (name, value) in defaults.sorted(by: { $0.key < $1.key }) { self.fields.set(name, value) }
    for (name, value) in fields.sorted(by: { $0.key < $1.key })
    where !["host", "content-length"].contains(name.lowercased()) && HTTPFields.allows(name, value) {
      self.fields.set(name, value)
    }
  }

  /// Returns the `Accept-Language` value for the user's preferred languages, at most six with decreasing
  /// weights; English if `environment` names none. Foundation does not read these environment variables
  /// (Swift 6.3).
  package static func languages(of environment: [String: String]) -> String {
    let texts = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
    let names = (texts.first { !$0.isEmpty } ?? "").split(separator: ":").map { name in
      name.prefix { $0 != "." && $0 != "@" }.replacingOccurrences(of: "_", with: "-")
    }
    let languages = names.filter { !["C", "POSIX"].contains($0) && HTTPFields.isToken($0) }
    return (languages.isEmpty ? ["en"] : languages).prefix(6).enumerated().map { index, language in
      index == 0 ? language : "\(language);q=0.\(10 - index)"
    }.joined(separator: ", ")
  }

  /// Prepares the request for an upload task, which replaces the default method `GET` by `PUT`.
  package mutating func becomeUpload() { if method == "GET" { method = "PUT" } }
}

extension TransferBody {
  /// Returns the size of the file in bytes; nil if missing, unreadable or not a regular file. Blocks on the
  /// disk.
  package static func size(of path: String) -> Int64? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }
}

extension URLError {
  /// Creates the error of a request to `url`, with a message for users.
  package static func of(_ code: Code, _ url: URL?, _ text: String) -> URLError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: text]
    if let url { info[NSURLErrorFailingURLErrorKey] = url }
    return URLError(code, userInfo: info)
  }
}
