import Foundation

extension URL {
  /// The path of a file URL as bytes for system calls, without a trailing slash, as in `path`. File names on
  /// Linux may contain any bytes, but `path` is text and is empty if the percent-encoded bytes are not UTF-8
  /// (Foundation of Swift 6.3).
  var pathBytes: [UInt8] {
    var bytes: [UInt8] = []
    var rest = absoluteURL.path(percentEncoded: true).utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"),
        let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(decoded)
        rest.removeFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return bytes
  }
}
