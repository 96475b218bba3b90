/// The audio formats that a filter accepts. A property that is nil accepts any value.
package struct AudioFormatMask: Hashable, Sendable {
  package enum Samples: Hashable, Sendable {
    case bits(Int)
    /// Floating point, written `f`.
    case floatingPoint
    /// Direct Stream Digital, which matches no song because no decoder produces it.
    case dsd
  }

  package var rate: Int?
  package var samples: Samples?
  package var channels: Int?

  package func accepts(_ format: AudioFormatText) -> Bool {
    let isOfSamples =
      switch samples {
      case nil: true
      case .bits(let bits): format.bits == bits
      case .floatingPoint: format.bits == nil
      case .dsd: false
      }
    return isOfSamples && rate ?? format.rate == format.rate
      && channels ?? format.channels == format.channels
  }
}

extension AudioFormatMask {
  private static let rates = 1..<Int64(1 << 30)
  private static let channelCounts: ClosedRange<Int64> = 1...8
  private static let sampleWidths: [Int64] = [8, 16, 24, 32]
  /// The range of N in `dsdN`. The sample rate is N × 44,100 / 8, since mpd counts DSD in bytes.
  private static let dsdRates: ClosedRange<Int64> = 1...4096

  /// Reads `RATE:SAMPLES:CHANNELS` or `dsdN:CHANNELS`, with mpd's errors.
  ///
  /// - Parameter allowsAny: Whether `*` is allowed in place of a value.
  init(_ text: Argument, allowsAny: Bool) throws(Ack) {
    var rest = text.bytes[...]
    if let rate = Self.takeDSDRate(&rest) {
      (self.rate, samples) = (rate, .dsd)
    } else {
      rate = try Self.takeNumber(&rest, allowsAny, "sample rate") { Self.rates.contains($0) }
      guard rest.take(Byte.colon) else { throw Ack(.argument, "Sample format missing") }
      samples = try Self.takeSamples(&rest, allowsAny)
      guard rest.take(Byte.colon) else { throw Ack(.argument, "Channel count missing") }
    }
    channels = try Self.takeNumber(&rest, allowsAny, "channel count") { Self.channelCounts.contains($0) }
    guard rest.isEmpty else { throw Ack(.argument, "Extra data after channel count: \(Argument(rest))") }
  }

  private static func takeDSDRate(_ rest: inout ArraySlice<UInt8>) -> Int? {
    guard rest.prefix(3).isWord("dsd"), let number = Argument.Number(rest.dropFirst(3)),
      dsdRates.contains(number.value)
    else { return nil }
    var behind = rest.dropFirst(3 + number.length)
    guard behind.take(Byte.colon) else { return nil }
    rest = behind
    return Int(number.value) * 44_100 / 8
  }

  private static func takeSamples(_ rest: inout ArraySlice<UInt8>, _ allowsAny: Bool) throws(Ack) -> Samples?
  {
    if rest.first == UInt8(ascii: "f") {
      rest.removeFirst()
      return .floatingPoint
    }
    if rest.prefix(3).isWord("dsd") {
      rest.removeFirst(3)
      return .dsd
    }
    let bits = try takeNumber(&rest, allowsAny, "sample format") { sampleWidths.contains($0) }
    // `24_3`, 24-bit samples packed in three bytes, means the same as `24`.
    if bits == 24, rest.prefix(2).isWord("_3") { rest.removeFirst(2) }
    return bits.map { .bits($0) }
  }

  private static func takeNumber(
    _ rest: inout ArraySlice<UInt8>, _ allowsAny: Bool, _ name: String, isValid: (Int64) -> Bool
  ) throws(Ack) -> Int? {
    if allowsAny, rest.take(UInt8(ascii: "*")) { return nil }
    guard let number = Argument.Number(rest) else { throw Ack(.argument, "Failed to parse the \(name)") }
    guard isValid(number.value) else { throw Ack(.argument, "Invalid \(name): \(number.value)") }
    rest = rest.dropFirst(number.length)
    return Int(number.value)
  }
}

extension ArraySlice<UInt8> {
  mutating func take(_ byte: UInt8) -> Bool {
    guard first == byte else { return false }
    removeFirst()
    return true
  }
}
