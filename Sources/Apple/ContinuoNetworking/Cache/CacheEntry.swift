import Foundation
import FoundationNetworking
import Transfer
import TransferService

/// A stored response to a `GET` request.
struct CacheEntry: Codable, Hashable, Sendable {
  let key: String
  var status: Int
  var fields: [String: String]
  var body = Data()
  /// The request's fields that `Vary` names, with lower-case names.
  var varying: [String: String]
  /// The time at which the response arrived, was last validated, or was stored by the application.
  var received: Date

  /// The statuses with which RFC 9110, 15.1, allows storing a response without explicit freshness, except 206.
  private static let heuristic = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

  /// Creates an entry without a body; nil if the response is not stored (RFC 9111, 3).
  init?(_ head: ResponseHead, to request: TransferRequest, at moment: Date) {
    let directives = CacheDirectives(head.fields)
    let isExplicit = directives.maximumAge != nil || head.fields["Expires"] != nil
    // A stored redirect or challenge would be delivered as the final response.
    guard request.isCacheable, head.status >= 200, ![206, 304, 401].contains(head.status),
      head.redirect == nil,
      isExplicit || Self.heuristic.contains(head.status), !directives.has("no-store"),
      !CacheDirectives(request.fields).has("no-store"), head.fields["Vary"]?.contains("*") != true
    else { return nil }
    self.init(request.url.text, head.status, head.dictionary, request, at: moment)
  }

  /// Creates the entry of a response that the application has chosen. Returns nil unless the request is a
  /// `GET` that can be sent and the response is an `HTTPURLResponse`.
  init?(_ cached: CachedURLResponse, for request: URLRequest, at moment: Date) {
    guard let key = Self.key(of: request), let response = cached.response as? HTTPURLResponse,
      let request = try? TransferRequest(request)
    else { return nil }
    self.init(key, response.statusCode, [:], request, at: moment)
    replace(by: cached)
    varying = Self.varying(fields, request)
  }

  private init(
    _ key: String, _ status: Int, _ fields: [String: String], _ request: TransferRequest, at moment: Date
  ) {
    (self.key, self.status, self.fields, received) = (key, status, fields, moment)
    varying = Self.varying(fields, request)
  }

  /// Returns the key of the response to a request; nil unless it is a `GET` of a valid URL.
  static func key(of request: URLRequest) -> String? {
    guard request.httpMethod ?? "GET" == "GET", let text = request.url?.absoluteString else { return nil }
    return try? WebURL.read(text).url.text
  }

  /// Replaces the response and the body by those that the application has chosen.
  mutating func replace(by cached: CachedURLResponse) {
    guard let response = cached.response as? HTTPURLResponse else { return }
    status = response.statusCode
    fields = [:]
    for (name, value) in response.allHeaderFields { fields["\(name)"] = "\(value)" }
    body = cached.data
  }

  /// Updates the header fields and the validation time from a response with status 304 (RFC 9111, 3.2 and
  /// 4.3.4).
  mutating func update(by head: ResponseHead, at moment: Date) {
    let kept = ["content-encoding", "content-length", "content-range", "content-type", "transfer-encoding"]
    for (name, value) in head.dictionary where !kept.contains(name.lowercased()) {
      fields = fields.filter { !HTTPFields.isSame($0.key, name) }
      fields[name] = value
    }
    received = moment
  }

  var head: ResponseHead { ResponseHead(status: status, fields: fields.map { ($0.key, $0.value) }) }

  /// The approximate size in bytes.
  var size: Int {
    fields.reduce(500 + key.utf8.count + body.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }

  /// The stored response as the application receives it; nil if its URL cannot be parsed.
  var response: CachedURLResponse? {
    URL(string: key).flatMap { head.response(for: $0) }.map { CachedURLResponse(response: $0, data: body) }
  }

  /// Whether `varying` contains credentials or cookies, so that the entry must not be written to the disk.
  var hasSecrets: Bool {
    ["authorization", "proxy-authorization", "cookie"].contains { varying[$0]?.isEmpty == false }
  }

  /// Returns whether the request has the fields with which the response was selected (RFC 9111, 4.1).
  func matches(_ request: TransferRequest) -> Bool { varying == Self.varying(fields, request) }

  private static func varying(_ fields: [String: String], _ request: TransferRequest) -> [String: String] {
    let names = fields.first { HTTPFields.isSame($0.key, "Vary") }?.value.lowercased().split(separator: ",")
    return Dictionary(
      (names ?? []).map { $0.trimmingCharacters(in: .whitespaces) }.map { ($0, request.fields[$0] ?? "") }
    ) { $1 }
  }
}

extension TransferRequest {
  /// Whether the response may come from a cache or be stored: only for a `GET` without a body. False if the application
  /// has set a range or a condition, because the application interprets the response itself. False with `credentials`,
  /// because the response is for that user only, and the key of an entry does not name the user.
  var isCacheable: Bool {
    let own = ["Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"]
    return sentMethod == "GET" && body == nil && credentials == nil && own.allSatisfy { fields[$0] == nil }
  }

  /// Whether a successful response invalidates the stored response of the URL (RFC 9111, 4.4).
  var isUnsafe: Bool { !["GET", "HEAD", "OPTIONS", "TRACE"].contains(sentMethod) }
}
