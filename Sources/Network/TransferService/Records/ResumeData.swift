package import Foundation
package import Transfer

/// The data to resume a download: the path of the partial file and the version of the resource, without
/// credentials. Opaque to applications.
package struct ResumeData: Codable, Sendable {
  private(set) var version = 1
  package var url: String
  /// The header fields of the request, without credentials.
  package var fields: [String: String]
  package var path: String
  /// The number of reliable bytes in the file.
  package var count: Int64
  /// The `If-Range` value of the version; nil if the server sent only a weak validator.
  package var validator: String?

  /// Creates the data to resume after `count` bytes of the file at `path`. Returns nil without bytes, for a method
  /// other than `GET`, and for a response that is unsuccessful, encoded, unversioned or without support for ranges.
  package init?(
    url text: String, method: String, fields: [String: String], _ head: ResponseHead?, path: String,
    count: Int64
  ) {
    guard let head, method == "GET", let url = try? WebURL.read(text).url,
      head.status == 200 || head.status == 206,
      head.fields["ETag"] != nil || head.fields["Last-Modified"] != nil, !head.isEncoded, !head.refusesRanges,
      head.status == 206 || head.fields["Accept-Ranges"]?.lowercased() == "bytes", count > 0
    else { return nil }
    self.url = url.text
    self.fields = Self.withoutSecrets(fields)
    self.path = path
    self.count = count
    validator = head.validator?.text
  }

  /// Returns the header fields without those that must not be written to disk.
  package static func withoutSecrets(_ fields: [String: String]) -> [String: String] {
    fields.filter { !["authorization", "proxy-authorization", "cookie"].contains($0.key.lowercased()) }
  }

  package init?(_ data: Data) {
    guard let read = try? JSONDecoder().decode(ResumeData.self, from: data), read.version == 1,
      read.count > 0,
      URL(string: read.url) != nil, read.path.hasPrefix("/")
    else { return nil }
    self = read
  }

  package var data: Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try? encoder.encode(self)
  }
}

/// Resumes a download after stored bytes. A value: heads and bytes go in, the next step comes out.
package struct Resumption: Hashable, Sendable {
  package enum Step: Hashable {
    /// The body continues the stored bytes, after the overlap to compare.
    case goOn
    /// The body does not continue the stored bytes, which are to be discarded.
    case anew
    /// The response is useless: repeat the request without `Range`.
    case askAnew
  }

  package let count: Int64
  /// The offset of the first requested byte. The stored bytes from this offset on are compared with the
  /// response.
  private let first: Int64
  private let validator: String?
  /// The offset of the next byte to compare.
  private var position: Int64

  package init(_ data: ResumeData) {
    count = data.count
    first = max(0, count - NetworkLimits.overlapAfterRestart)
    position = first
    validator = data.validator
  }

  package func apply(to request: inout TransferRequest) {
    request.fields.set("Range", "bytes=\(first)-")
    if let validator { request.fields.set("If-Range", validator) } else { request.fields.remove("If-Range") }
    request.fields.set("Accept-Encoding", "identity")
  }

  package func step(after head: ResponseHead) -> Step {
    switch head.status {
    case 206:
      let isRest = head.contentRange?.bytes?.lowerBound == first && !head.isMultipart && !head.isEncoded
      return isRest ? .goOn : .askAnew
    case 416: return .askAnew
    default: return .anew
    }
  }

  /// Compares the overlap and returns the bytes after it; nil if the overlap differs.
  package mutating func take(_ bytes: [UInt8], holds: (ArraySlice<UInt8>, Int64) -> Bool) -> ArraySlice<
    UInt8
  >? {
    let piece = bytes.prefix(Int(clamping: count - position))
    guard piece.isEmpty || holds(piece, position) else { return nil }
    position += Int64(piece.count)
    return bytes.dropFirst(piece.count)
  }
}
