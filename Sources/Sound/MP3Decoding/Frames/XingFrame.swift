import AudioCore

/// The Xing or Info frame, the first frame of a file, which describes the file. The data is untrusted: a field
/// that is truncated or invalid counts as missing.
package struct XingFrame {
  /// The number of bytes from the start of the frame to the end of the audio, at least 1; nil if unknown.
  package let byteCount: Int64?
  /// The seek table's 100 entries, in ascending order; nil without a table or if the table is not ascending.
  let places: [UInt8]?
  /// The bytes after the Xing fields, where the LAME tag of the encoder begins, if any.
  let encoder: ArraySlice<UInt8>

  /// The number of bytes examined before the first audible frame: the size of the longest possible frame.
  private static let window: Int64 = 2_881

  /// The possible distances of the mark (Xing or Info) from the start of its frame: header plus side
  /// information of MPEG 1 or 2, stereo or mono.
  private static let distances = [4 + 32, 4 + 17, 4 + 9]

  /// Parses the frame with which `bytes` begin; nil for other data.
  package init?(beginning bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    let isVersion1 = bytes[1] & 0x18 == 0x18
    let isMono = bytes[3] & 0xC0 == 0xC0
    self.init(bytes, at: 0, mark: 4 + (isVersion1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)))
  }

  /// Returns the last Xing or Info frame before `audioStart`, the offset of the first audible frame, and its
  /// own offset in the source; nil if missing or not available yet.
  static func find(
    in source: any ByteSource, before audioStart: Int64
  ) throws(DecodingError) -> (frame: XingFrame, offset: Int64)? {
    let first = max(0, audioStart - window)
    guard let bytes = try source.peek(Int(audioStart - first), at: first) else { return nil }
    for mark in bytes.indices.reversed() {
      for distance in distances where distance <= mark {
        if let frame = XingFrame(bytes, at: mark - distance, mark: mark) {
          return (frame, first + Int64(mark - distance))
        }
      }
    }
    return nil
  }

  private init?(_ bytes: [UInt8], at start: Int, mark: Int) {
    guard bytes.count >= mark + 8, bytes[start] == 0xFF, bytes[start + 1] & 0xE6 == 0xE2,
      ["Xing", "Info"].contains(where: { bytes[mark...].starts(with: $0.utf8) })
    else { return nil }
    let flags = bytes[mark + 7]
    var rest = bytes[(mark + 8)...]
    func field(_ flag: UInt8, size: Int) -> [UInt8]? {
      guard flags & flag != 0 else { return nil }
      defer { rest = rest.dropFirst(size) }
      return rest.count >= size ? Array(rest.prefix(size)) : nil
    }
    // The flags say which of four fields exist: numbers of frames and of bytes, a seek table, the quality.
    _ = field(1, size: 4)
    let count = field(2, size: 4).map { $0.reduce(Int64(0)) { $0 << 8 | Int64($1) } }
    byteCount = count == 0 ? nil : count
    let table = field(4, size: 100)
    places = table.flatMap { zip($0, $0.dropFirst()).allSatisfy { $0 <= $1 } ? $0 : nil }
    _ = field(8, size: 4)
    encoder = rest
  }
}
