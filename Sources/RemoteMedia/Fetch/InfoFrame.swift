/// The length in bytes that an encoder writes into the first frame of a file ("Xing" or "Info"): what a server announces is
/// checked against it.
enum InfoFrame {
  /// Bytes that are enough to find it behind the tag.
  static let length = 256

  /// Whether `bytes` begin with such a frame.
  static func isThere(_ bytes: [UInt8]) -> Bool { fields(bytes) != nil }

  /// Where the fields behind the name begin; nil if `bytes` do not begin with such a frame.
  private static func fields(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE6 == 0xE2 else { return nil }
    let isVersion1 = bytes[1] & 0x18 == 0x18
    let isMono = bytes[3] & 0xC0 == 0xC0
    // Behind the header and the side information, of layer III.
    let start = 4 + (isVersion1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    guard bytes.count >= start + 16 else { return nil }
    let name = bytes[start..<start + 4]
    return name.elementsEqual("Xing".utf8) || name.elementsEqual("Info".utf8) ? start + 4 : nil
  }

  /// How many bytes there are from the beginning of that frame to the end of the sound; nil if `bytes`, which begin at a
  /// frame, do not say.
  static func byteCount(_ bytes: [UInt8]) -> Int64? {
    guard let start = fields(bytes) else { return nil }
    func number(at offset: Int) -> Int64 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) } }
    let flags = number(at: start)
    // 1: the number of frames comes first. 2: there is a number of bytes.
    guard flags & 2 != 0 else { return nil }
    let count = number(at: start + (flags & 1 == 0 ? 4 : 8))
    return count > 0 ? count : nil
  }

  /// The length of the ID3v2 tag that these bytes begin with; 0 if there is none.
  static func tagLength(_ bytes: [UInt8]) -> Int64 {
    guard bytes.count >= 10, bytes.starts(with: "ID3".utf8), bytes[6..<10].allSatisfy({ $0 < 0x80 }) else {
      return 0
    }
    return bytes[6..<10].reduce(0) { $0 << 7 | Int64($1) } + (bytes[5] & 0x10 == 0 ? 10 : 20)
  }
}
