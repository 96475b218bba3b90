/// CRC-32 as in zlib and Ethernet (polynomial 0xEDB88320). Detects torn writes and bad disk blocks.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { remainder, _ in
      remainder & 1 == 1 ? remainder >> 1 ^ 0xedb8_8320 : remainder >> 1
    }
  }

  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    let table = table
    return ~bytes.reduce(UInt32.max) { remainder, byte in
      table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ remainder >> 8
    }
  }
}
