/// Creates a last page for an Ogg file whose end has not arrived. libsndfile determines the length from the last
/// page when it opens a file, and refuses a file without one.
enum OggEnd {
  /// The length in frames that the page states.
  static let frameCount: Int64 = 1 << 46

  /// Returns the page for the file whose first page begins with `beginning`; nil for fewer than 18 bytes.
  static func page(after beginning: [UInt8]) -> [UInt8]? {
    let serial = beginning.dropFirst(14).prefix(4)
    guard serial.count == 4 else { return nil }
    let position = (0..<8).map { UInt8(truncatingIfNeeded: frameCount >> (8 * Int64($0))) }
    // Version 0 and the flag of the last page. After the serial number: the page's number (0), the checksum (0 until it
    // is computed below) and one segment of no bytes.
    var page = Array("OggS".utf8) + [0, 4] + position + serial + [UInt8](repeating: 0, count: 8) + [1, 0]
    let sum = checksum(page)
    for index in 0..<4 { page[22 + index] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(index))) }
    return page
  }

  /// Returns the CRC of RFC 3533: polynomial 0x04C11DB7, most significant bit first, without inversions.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0
    for byte in bytes {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum & 0x8000_0000 == 0 ? sum << 1 : sum << 1 ^ 0x04C1_1DB7 }
    }
    return sum
  }
}
