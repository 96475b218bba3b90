internal import TextFormatting

/// An audio format in MPD's notation: `44100:24:2`.
package struct AudioFormatText: Hashable, Sendable {
  /// The sample rate in Hz.
  package var rate: Int
  /// The number of bits in a sample; nil for floating point, which is written `f`.
  package var bits: Int?
  package var channels: Int

  package init(rate: Int, bits: Int?, channels: Int) {
    self.rate = rate
    self.bits = bits
    self.channels = channels
  }
}

extension AudioFormatText: CustomStringConvertible {
  package var description: String {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func write(into bytes: inout [UInt8]) {
    bytes.append(decimal: Int64(rate))
    bytes.append(Byte.colon)
    if let bits { bytes.append(decimal: Int64(bits)) } else { bytes.append(UInt8(ascii: "f")) }
    bytes.append(Byte.colon)
    bytes.append(decimal: Int64(channels))
  }
}
