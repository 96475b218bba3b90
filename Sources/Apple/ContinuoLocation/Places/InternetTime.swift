import TextFormatting

/// Parses timestamps in RFC 3339 format, and ISO 8601 as far as XML uses it: `2026-05-01T08:00:00.5+02:00`.
enum InternetTime {
  /// Returns the seconds since 1970; nil for invalid text. Without a time zone the text is UTC.
  static func seconds(_ text: String) -> Double? {
    var rest = Array(text.utf8)[...]
    while let first = rest.first, first <= 0x20 { rest.removeFirst() }
    while let last = rest.last, last <= 0x20 { rest.removeLast() }

    func number(_ digits: Int) -> Int? {
      let number = rest.prefix(digits)
      guard number.count == digits, number.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      rest.removeFirst(digits)
      return number.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    func skip(_ character: Character) -> Bool {
      guard let byte = character.asciiValue, rest.first == byte else { return false }
      rest.removeFirst()
      return true
    }

    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
      (1...12).contains(month), day >= 1,
      day <= UTCTime.days(year, month + 1, 1) - UTCTime.days(year, month, 1),
      skip("T") || skip("t") || skip(" "),
      let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
      // The second 60 is a leap second, and 24:00:00 the end of a day.
      hour <= 24, minute <= 59, second <= 60, hour < 24 || (minute == 0 && second == 0)
    else { return nil }
    var fraction = 0.0
    if skip(".") || skip(",") {
      var unit = 0.1
      guard rest.first.map({ (0x30...0x39).contains($0) }) ?? false else { return nil }
      while let digit = number(1) {
        fraction += Double(digit) * unit
        unit /= 10
      }
    }
    var offset = 0
    if !rest.isEmpty, !(skip("Z") || skip("z")) {
      let sign = skip("-") ? -1 : skip("+") ? 1 : 0
      guard sign != 0, let hours = number(2), hours < 24 else { return nil }
      _ = skip(":")
      guard let minutes = number(2), minutes < 60 else { return nil }
      offset = sign * (hours * 60 + minutes) * 60
    }
    guard rest.isEmpty else { return nil }
    let whole = (UTCTime.days(year, month, day) * 24 + hour) * 3600 + minute * 60 + second - offset
    return Double(whole) + fraction
  }
}
