import Transfer

/// Resumes a download after the stored bytes. A value: heads and bytes go in, the next step comes out.
struct Resumption: Hashable, Sendable {
  /// The next step after a response head.
  enum Step: Hashable {
    /// The body continues the stored bytes, after the overlap to compare.
    case goOn
    /// The body is the complete file: discard the stored bytes.
    case anew
    /// The response is useless: repeat the request without `Range`.
    case askAnew
  }

  /// The number of stored bytes.
  let count: Int64
  /// The number of stored bytes that are requested again and compared.
  let overlap: Int64
  /// The `If-Range` value of the stored version; nil if unknown.
  let validator: String?
  /// The number of overlap bytes compared so far.
  private var compared: Int64 = 0

  /// Creates a plan to resume after `count` bytes, of which up to `overlap` are compared.
  init(count: Int64, overlap: Int64, validator: String?) {
    self.count = count
    self.overlap = min(max(0, overlap), count)
    self.validator = validator
  }

  /// The offset of the first requested byte.
  var first: Int64 { count - overlap }

  /// Changes a request to ask for the remaining bytes.
  func apply(to request: inout TransferRequest) {
    request.fields.set("Range", "bytes=\(first)-")
    if let validator { request.fields.set("If-Range", validator) } else { request.fields.remove("If-Range") }
    request.fields.set("Accept-Encoding", "identity")
  }

  /// Removes the range fields that `apply` has added.
  static func remove(from request: inout TransferRequest) {
    request.fields.remove("Range")
    request.fields.remove("If-Range")
  }

  /// The next step for a response.
  func step(after head: ResponseHead) -> Step {
    switch head.status {
    case 206:
      guard head.contentRange?.bytes?.lowerBound == first, !head.isMultipart, !head.isEncoded else {
        return .askAnew
      }
      return .goOn
    case 416: return .askAnew
    default: return .anew
    }
  }

  /// Compares the overlap and returns the bytes after it; nil if the overlap differs.
  mutating func take(_ bytes: [UInt8], holds: (ArraySlice<UInt8>, Int64) -> Bool) -> ArraySlice<UInt8>? {
    let left = Int(clamping: overlap - compared)
    let piece = bytes.prefix(left)
    if !piece.isEmpty {
      guard holds(piece, first + compared) else { return nil }
      compared += Int64(piece.count)
    }
    return bytes.dropFirst(left)
  }
}
