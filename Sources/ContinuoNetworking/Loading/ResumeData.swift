import Foundation
import FoundationNetworking
import Transfer

/// What a download can be gone on with: where its bytes are, and of which version they are. Opaque to applications, and without
/// credentials.
struct ResumeData: Codable, Sendable {
  /// Counts the forms that there have been.
  private(set) var version = 1
  /// What was asked for at first.
  var url: String
  /// The fields of the request, without credentials.
  var fields: [String: String]
  /// The file with the bytes that have come.
  var path: String
  /// How many of them are certain.
  var count: Int64
  /// The version that they are of, as `If-Range` has it; nil if it has only a weak one.
  var validator: String?

  /// What goes on behind `count` bytes of the file at `path`; nil if the answer, or the request, is one that cannot be gone
  /// on with.
  init?(_ request: URLRequest, _ head: ResponseHead?, path: String, count: Int64) {
    guard let head, request.httpMethod ?? "GET" == "GET", let text = request.url?.absoluteString,
      let url = try? WebURL.read(text).url, head.status == 200 || head.status == 206,
      head.fields["ETag"] != nil || head.fields["Last-Modified"] != nil, !head.isEncoded, !head.refusesRanges,
      head.status == 206 || head.fields["Accept-Ranges"]?.lowercased() == "bytes", count > 0
    else { return nil }
    self.url = url.text
    fields = Self.withoutSecrets(request.allHTTPHeaderFields ?? [:])
    self.path = path
    self.count = count
    validator = head.validator?.text
  }

  /// Fields that may be written to a disk.
  static func withoutSecrets(_ fields: [String: String]) -> [String: String] {
    fields.filter { !["authorization", "proxy-authorization", "cookie"].contains($0.key.lowercased()) }
  }

  /// Reads what `data` has written; nil if it is something else.
  init?(_ data: Data) {
    guard let read = try? JSONDecoder().decode(ResumeData.self, from: data), read.version == 1,
      read.count > 0,
      URL(string: read.url) != nil, read.path.hasPrefix("/")
    else { return nil }
    self = read
  }

  /// As it is handed out.
  var data: Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try? encoder.encode(self)
  }

  /// What is asked for.
  var request: URLRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = URLRequest(url: url)
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }
}
