package enum TimeText {
  /// Parses `12`, `12.34`, `1:02` or `1:02:03.5`: seconds, after optional hours and minutes with colons.
  /// Numbers after a colon must be below 60. The fraction has at most nine digits, so no time is rounded.
  /// Returns nil for anything else, and above 999 999 999 in the first number: longer than any medium.
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

  /// Parses one to nine ASCII digits; nil for anything else.
  private static func digits(_ text: some StringProtocol) -> Int64? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return Int64(text)
  }
}

extension Duration {
  /// The duration in seconds. Up to 97 days the error is below a nanosecond.
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
