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
    "\(rate):\(bits.map(String.init) ?? "f"):\(channels)"
  }
}
