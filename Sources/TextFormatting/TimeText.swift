/// Reads times as people write them.
package enum TimeText {
  /// Reads `12`, `12.34`, `1:02` or `1:02:03.5`: hours and minutes before colons, what follows a colon below 60, up to
  /// nine digits behind the point, so that nothing is rounded. nil for anything else, and beyond 999 999 999 in the
  /// first part, which is longer than any medium.
  package static func parse(_ text: some StringProtocol) -> Duration? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = parts.last else { return nil }
    let point = last.firstIndex(of: ".") ?? last.endIndex
    var seconds: Int64 = 0
    for (index, part) in (parts.dropLast() + [last[..<point]]).enumerated() {
      guard let number = digits(part), index == 0 || number < 60 else { return nil }
      seconds = seconds * 60 + number
    }
    guard point < last.endIndex else { return .seconds(seconds) }
    let fraction = last[last.index(after: point)...]
    guard var nanoseconds = digits(fraction) else { return nil }
    for _ in fraction.utf8.count..<9 { nanoseconds *= 10 }
    return .seconds(seconds) + .nanoseconds(nanoseconds)
  }

  /// One to nine ASCII digits; nil for anything else.
  private static func digits(_ text: some StringProtocol) -> Int64? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int64(text)
  }
}

extension Duration {
  /// The same in seconds; exact to the nanosecond for all that `TimeText` reads.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
