internal import TextFormatting

/// A speed of playback, 0.25…4, in hundredths; 1 is the recorded speed. The pitch is the same at any speed.
package struct PlaybackSpeed: Hashable, Sendable {
  /// The supported speeds in percent. Outside this range, speech is unintelligible.
  package static let range = 25...400
  package static let normal = PlaybackSpeed(clamping: 100)

  /// The speed in percent of the recorded one.
  package let percent: Int

  package init(clamping percent: Int) {
    self.percent = min(max(percent, Self.range.lowerBound), Self.range.upperBound)
  }

  /// Parses a number such as `1.25`, with at most two digits after the point; nil for anything else, and
  /// outside of the range.
  package init?(_ text: some StringProtocol) {
    guard let percent = Self.hundredths(text), Self.range.contains(percent) else { return nil }
    self.percent = percent
  }

  /// Returns a non-negative number below 1000, with at most two digits after the point, in hundredths; nil
  /// for any other text.
  package static func hundredths(_ text: some StringProtocol) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    guard let whole = digits(parts[0], 1...3), parts.count <= 2 else { return nil }
    guard parts.count == 2 else { return whole * 100 }
    guard let fraction = digits(parts[1], 1...2) else { return nil }
    return whole * 100 + (parts[1].utf8.count == 1 ? fraction * 10 : fraction)
  }

  private static func digits(_ text: String, _ count: ClosedRange<Int>) -> Int? {
    count.contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit) ? Int(text) : nil
  }

  /// The speed as a factor.
  package var factor: Double { Double(percent) / 100 }
}

extension PlaybackSpeed: CustomStringConvertible {
  /// The factor with two digits after the point, such as `1.25`.
  package var description: String { DecimalFraction.text(value: Int64(percent), timescale: 100) }
}
