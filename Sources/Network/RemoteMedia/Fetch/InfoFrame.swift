/// Parses the Info frame, the first frame of a file ("Xing" or "Info"), which contains the length in bytes.
/// The length that a server announces is checked against it.
enum InfoFrame {
  /// The number of bytes after the tag that suffice to find the frame.
  static let length = 256

  static func isThere(_ bytes: [UInt8]) -> Bool { fields(bytes) != nil }

  /// Returns the index of the fields after the frame's name; nil if `bytes` do not begin with an Info frame.
  private static func fields(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE6 == 0xE2 else { return nil }
    let isVersion1 = bytes[1] & 0x18 == 0x18
    let isMono = bytes[3] & 0xC0 == 0xC0
    // The name follows the header and the side information of layer III.
    let start = 4 + (isVersion1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    guard bytes.count >= start + 16 else { return nil }
    let name = bytes[start..<start + 4]
    return name.elementsEqual("Xing".utf8) || name.elementsEqual("Info".utf8) ? start + 4 : nil
  }

  /// Returns the number of bytes from the start of the Info frame `bytes` to the end of the audio; nil if
  /// unknown.
  static func byteCount(_ bytes: [UInt8]) -> Int64? {
    guard let start = fields(bytes) else { return nil }
    func number(at offset: Int) -> Int64 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) } }
    let flags = number(at: start)
    // Flag 1: the number of frames comes first. Flag 2: the number of bytes is present.
    guard flags & 2 != 0 else { return nil }
    let count = number(at: start + (flags & 1 == 0 ? 4 : 8))
    return count > 0 ? count : nil
  }

  /// Returns the length in bytes of the ID3v2 tag with which the bytes begin; 0 without a tag.
  static func tagLength(_ bytes: [UInt8]) -> Int64 {
    guard bytes.count >= 10, bytes.starts(with: "ID3".utf8), bytes[6..<10].allSatisfy({ $0 < 0x80 }) else {
      return 0
    }
    return bytes[6..<10].reduce(0) { $0 << 7 | Int64($1) } + (bytes[5] & 0x10 == 0 ? 10 : 20)
  }
}
