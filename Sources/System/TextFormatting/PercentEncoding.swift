/// Percent-encoding of bytes in URLs (RFC 3986, 2.1).
package enum PercentEncoding {
  /// Returns the bytes in order: those that `isPlain` accepts unchanged, others as `%` and two hexadecimal digits.
  package static func encode(_ bytes: Span<UInt8>, keeping isPlain: (UInt8) -> Bool) -> [UInt8] {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for index in bytes.indices {
      let byte = bytes[index]
      if isPlain(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
      }
    }
    return encoded
  }

  /// Returns the decoded bytes. A `%` without two hexadecimal digits after it remains, and makes `isValid`
  /// false.
  package static func decode(_ text: some Sequence<UInt8>) -> (bytes: [UInt8], isValid: Bool) {
    var bytes: [UInt8] = []
    var isValid = true
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      if let high = rest.first.flatMap(value(of:)), let low = rest.dropFirst().first.flatMap(value(of:)) {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
        isValid = false
      }
    }
    return (bytes, isValid)
  }

  /// Returns a component of a URL's path as text: decoded, or unchanged if its encoding is invalid or contains a zero
  /// byte.
  package static func text(of component: some Sequence<UInt8>) -> String {
    let (decoded, isValid) = decode(component)
    return String(decoding: isValid && !decoded.contains(0) ? decoded : Array(component), as: UTF8.self)
  }

  /// Returns the `file://` URL of an absolute path, with all bytes encoded that RFC 3986 excludes from paths.
  package static func fileURL(ofPath path: Span<UInt8>) -> [UInt8] {
    Array("file://".utf8) + encode(path) { pathBytes.contains($0) }
  }

  private static let pathBytes = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._~!$&'()*+,;=:@".utf8)

  /// Returns the hexadecimal digit of 0…15, a capital letter above 9.
  package static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }

  /// Returns the value of a hexadecimal digit; nil for any other byte.
  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}
