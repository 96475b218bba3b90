/// Numbers straight into the bytes of a reply.
enum DecimalDigits {
  /// The number, with zeros in front if it has fewer digits than `width`.
  static func append(_ number: UInt64, width: Int = 1, to bytes: inout [UInt8]) {
    // Twenty digits are what 64 bits can have.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = number
      var first = digits.count
      while rest > 0 || digits.count - first < width {
        first -= 1
        digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
    }
  }

  /// Seconds with three digits after the point.
  static func append(_ time: Milliseconds, to bytes: inout [UInt8]) {
    if time.rawValue < 0 { bytes.append(Byte.minus) }
    append(time.rawValue.magnitude / 1000, to: &bytes)
    bytes.append(0x2E)
    append(time.rawValue.magnitude % 1000, width: 3, to: &bytes)
  }
}
