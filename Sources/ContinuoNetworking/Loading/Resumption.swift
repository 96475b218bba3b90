import Transfer

/// How a download goes on behind the bytes that are there. A value: heads and bytes go in, what is to be done comes out.
struct Resumption: Hashable, Sendable {
  /// What follows from a head.
  enum Step: Hashable {
    /// The body goes on there, after as many bytes to compare.
    case goOn
    /// The body is the whole: what is there is dropped.
    case anew
    /// Nothing of this answer is of use: the request is sent once more without `Range`.
    case askAnew
  }

  /// Bytes that are there.
  let count: Int64
  /// Bytes of these that are asked for again and compared.
  let overlap: Int64
  /// The version that they are of, as `If-Range` has it.
  let validator: String?
  /// How many of the overlap were compared.
  private var compared: Int64 = 0

  /// Goes on behind `count` bytes, of which up to `overlap` are compared.
  init(count: Int64, overlap: Int64, validator: String?) {
    self.count = count
    self.overlap = min(max(0, overlap), count)
    self.validator = validator
  }

  /// The first byte that is asked for.
  var first: Int64 { count - overlap }

  /// Asks for the rest.
  func apply(to request: inout TransferRequest) {
    request.fields.set("Range", "bytes=\(first)-")
    if let validator { request.fields.set("If-Range", validator) } else { request.fields.remove("If-Range") }
    request.fields.set("Accept-Encoding", "identity")
  }

  /// Removes what `apply` has added.
  static func remove(from request: inout TransferRequest) {
    request.fields.remove("Range")
    request.fields.remove("If-Range")
  }

  /// What follows from the answer.
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

  /// Takes the next bytes of a body that goes on. Returns what is behind the overlap; nil if the overlap differs.
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
