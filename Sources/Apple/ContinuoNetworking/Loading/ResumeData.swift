import Foundation
import FoundationNetworking
import Transfer

/// The data to resume a download: the path of its bytes, and their version. Opaque to applications, and
/// without credentials.
struct ResumeData: Codable, Sendable {
  /// The version of the format.
  private(set) var version = 1
  /// The URL that the download requests.
  var url: String
  /// The header fields of the request, without credentials.
  var fields: [String: String]
  /// The path of the file with the received bytes.
  var path: String
  /// The number of reliable bytes in the file.
  var count: Int64
  /// The `If-Range` value of the version; nil if the server sent only a weak validator.
  var validator: String?

  /// Creates the data to resume after `count` bytes of the file at `path`; nil if the request or the response
  /// does not allow resuming.
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

  /// Returns the header fields without those that must not be written to disk.
  static func withoutSecrets(_ fields: [String: String]) -> [String: String] {
    fields.filter { !["authorization", "proxy-authorization", "cookie"].contains($0.key.lowercased()) }
  }

  /// Decodes resume data; nil for anything else.
  init?(_ data: Data) {
    guard let read = try? JSONDecoder().decode(ResumeData.self, from: data), read.version == 1,
      read.count > 0,
      URL(string: read.url) != nil, read.path.hasPrefix("/")
    else { return nil }
    self = read
  }

  /// The encoded form for applications.
  var data: Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try? encoder.encode(self)
  }

  /// The request for the remaining bytes, without range fields.
  var request: URLRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = URLRequest(url: url)
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }
}
