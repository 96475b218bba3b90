import Foundation
import FoundationNetworking
import Transfer

/// The directives of `Cache-Control` (RFC 9111, 5.2). A list in quotes counts as several directives.
struct CacheDirectives {
  private var values: [String: String] = [:]

  init(_ fields: HTTPFields) {
    for field in fields.all where HTTPFields.isSame(field.name, "Cache-Control") {
      for part in field.value.split(separator: ",") {
        let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let name = pair.first?.lowercased(), values[name] == nil else { continue }
        values[name] = pair.count > 1 ? pair[1].trimmingCharacters(in: ["\""]) : ""
      }
    }
    // `Pragma` is the predecessor of `Cache-Control` in requests (RFC 9111, 5.4). It counts in responses too.
    if values.isEmpty, fields["Pragma"]?.lowercased() == "no-cache" { values["no-cache"] = "" }
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  /// The value of `max-age` in seconds; nil if missing, 0 if invalid.
  var maximumAge: Double? { values["max-age"].map { CacheRule.seconds($0) ?? 0 } }
}

/// The decision whether a stored response is used, as a private cache makes it (RFC 9111).
struct CacheRule {
  enum Decision: Equatable {
    case use
    /// Send the request with these fields. After a response with status 304, use the stored response.
    case validate([String: String])
    case load
    /// Fail, because no stored response can be used, and the policy forbids a request.
    case fail
  }

  /// The maximum heuristic freshness lifetime, in seconds, of a response that states none.
  static let longestGuess = 86_400.0

  let policy: URLRequest.CachePolicy
  let request: TransferRequest

  /// - Parameter stored: the stored response for the URL; nil if none.
  func decision(_ stored: CacheEntry?, at now: Date) -> Decision {
    let stored = stored.flatMap { request.isCacheable && $0.matches(request) ? $0 : nil }
    switch policy {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return .load
    case .returnCacheDataElseLoad: return stored == nil ? .load : .use
    case .returnCacheDataDontLoad: return stored == nil ? .fail : .use
    case .reloadRevalidatingCacheData: return Self.validation(of: stored)
    default:
      guard let stored, Self.isFresh(stored, for: request, at: now) else {
        return Self.validation(of: stored)
      }
      return .use
    }
  }

  private static func validation(of stored: CacheEntry?) -> Decision {
    guard let fields = stored?.head.fields else { return .load }
    var conditions: [String: String] = [:]
    conditions["If-None-Match"] = fields["ETag"]
    conditions["If-Modified-Since"] = fields["Last-Modified"]
    return conditions.isEmpty ? .load : .validate(conditions)
  }

  /// Returns whether the stored response is fresh (RFC 9111, 4.2), and neither the request nor the response
  /// demands a validation.
  private static func isFresh(_ stored: CacheEntry, for request: TransferRequest, at now: Date) -> Bool {
    let (asked, head) = (CacheDirectives(request.fields), stored.head)
    let told = CacheDirectives(head.fields)
    guard !asked.has("no-cache"), !told.has("no-cache") else { return false }
    let received = stored.received.timeIntervalSince1970
    let date = seconds(of: "Date", head) ?? received
    let age = max(received - date, head.fields["Age"].flatMap(seconds) ?? 0, 0)
    let lifetime = told.maximumAge ?? expiry(head, date) ?? guess(head, date)
    return age + max(0, now.timeIntervalSince1970 - received) < min(lifetime, asked.maximumAge ?? .infinity)
  }

  /// Returns the lifetime from `Expires`; nil without the field, 0 if it is invalid.
  private static func expiry(_ head: ResponseHead, _ date: Double) -> Double? {
    head.fields["Expires"] == nil ? nil : (seconds(of: "Expires", head) ?? date) - date
  }

  /// Returns a tenth of the time in seconds from `Last-Modified` to the response's date (RFC 9111, 4.2.2), at most
  /// `longestGuess`. Returns 0 without a valid `Last-Modified`.
  private static func guess(_ head: ResponseHead, _ date: Double) -> Double {
    min(((date - (seconds(of: "Last-Modified", head) ?? date)) / 10), longestGuess)
  }

  private static func seconds(of field: String, _ head: ResponseHead) -> Double? {
    head.fields[field].flatMap { HTTPDate($0) }.map { Double($0.seconds) }
  }

  /// Parses a whole number of seconds; nil unless `text` consists of ASCII digits.
  static func seconds(_ text: String) -> Double? {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Double(text) : nil
  }
}
