/// The format of sound as MPD writes it: `44100:24:2`.
public struct AudioFormatText: Hashable, Sendable {
  /// Frames a second.
  public var rate: Int
  /// Bits of a sample; `nil` for floating point, which is written `f`.
  public var bits: Int?
  /// How many channels.
  public var channels: Int

  /// A format.
  public init(rate: Int, bits: Int?, channels: Int) {
    self.rate = rate
    self.bits = bits
    self.channels = channels
  }
}

extension AudioFormatText: CustomStringConvertible {
  /// As in a reply.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func append(to bytes: inout [UInt8]) {
    DecimalDigits.append(UInt64(clamping: rate), to: &bytes)
    bytes.append(Byte.colon)
    if let bits {
      DecimalDigits.append(UInt64(clamping: bits), to: &bytes)
    } else {
      bytes.append(UInt8(ascii: "f"))
    }
    bytes.append(Byte.colon)
    DecimalDigits.append(UInt64(clamping: channels), to: &bytes)
  }
}
