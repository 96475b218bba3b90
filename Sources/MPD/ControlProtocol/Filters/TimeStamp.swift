internal import TextFormatting

/// Parses a time: an ISO 8601 date, optionally with time of day and zone, or seconds since 1970. Eight digits
/// are a date if possible. Without a zone the time is UTC; missing parts have their minimum.
struct TimeStamp {
  private var rest: ArraySlice<UInt8>

  /// Returns seconds since 1970, or throws mpd's error.
  static func seconds(_ text: Argument) throws(Ack) -> Int64 {
    if let number = Argument.Number(text.bytes[...]), number.length == text.bytes.count {
      var digits = TimeStamp(rest: text.bytes[...])
      guard text.bytes.count == 8, let days = try? digits.date(), digits.rest.isEmpty else {
        return number.value
      }
      return days * 86_400
    }
    var stamp = TimeStamp(rest: text.bytes[...])
    let days = try stamp.date()
    let time = stamp.rest.take(UInt8(ascii: "T")) ? try stamp.timeOfDay() : 0
    let offset = try stamp.zone()
    guard stamp.rest.isEmpty else { throw Ack(.argument, "Garbage at end of time stamp") }
    return days * 86_400 + time - offset
  }

  /// Reads a date, `2026-11-21`, `2026-11` or `20261121`, and returns days since 1970.
  private mutating func date() throws(Ack) -> Int64 {
    let refusal = Ack(.argument, "Failed to parse date")
    guard let year = number(0...9999, digits: 4) else { throw refusal }
    let hasDashes = rest.take(Byte.minus)
    guard let month = number(1...12) else { throw refusal }
    if hasDashes, !rest.take(Byte.minus) { return Self.days(year, month, 1) }
    guard let day = number(1...31) else { throw refusal }
    return Self.days(year, month, day)
  }

  /// Reads a time of day, `13:30:00`, `133000`, `13:30`, `1330` or `13`, and returns seconds.
  private mutating func timeOfDay() throws(Ack) -> Int64 {
    let refusal = Ack(.argument, "Failed to parse time of day")
    guard let hour = number(0...23) else { throw refusal }
    let hasColons = rest.take(Byte.colon)
    func goesOn() -> Bool { rest.first?.isDigit == true }
    guard hasColons || goesOn() else { return hour * 3600 }
    guard let minute = number(0...59) else { throw refusal }
    guard hasColons ? rest.take(Byte.colon) : goesOn() else { return hour * 3600 + minute * 60 }
    // Up to two leap seconds, as in C.
    guard let second = number(0...61) else { throw refusal }
    return hour * 3600 + minute * 60 + second
  }

  /// Reads a zone, `Z`, `+02`, `+0200`, `+02:00` or nothing, and returns its offset east of Greenwich in
  /// seconds.
  private mutating func zone() throws(Ack) -> Int64 {
    if rest.take(UInt8(ascii: "Z")) { return 0 }
    let isWest = rest.first == Byte.minus
    guard rest.take(Byte.plus) || rest.take(Byte.minus) else { return 0 }
    let hours = try twoDigits()
    // The limit is mpd's.
    guard hours <= 13 else { throw Ack(.argument, "Time offset hours out of range") }
    let hasMinutes = rest.take(Byte.colon) || rest.first?.isDigit == true
    let minutes = hasMinutes ? try twoDigits() : 0
    guard minutes <= 59 else { throw Ack(.argument, "Time offset minutes out of range") }
    let offset = hours * 3600 + minutes * 60
    return isWest ? -offset : offset
  }

  private mutating func twoDigits() throws(Ack) -> Int64 {
    let digits = rest.prefix(2)
    guard digits.count == 2, digits.allSatisfy(\.isDigit), let value = number(0...99) else {
      throw Ack(.argument, "Failed to parse time zone offset")
    }
    return value
  }

  /// Returns a number, read as by C's `strptime`: as many digits as the range allows. Nil if there is no
  /// number in the range.
  private mutating func number(_ range: ClosedRange<Int64>, digits: Int = 2) -> Int64? {
    guard rest.first?.isDigit == true else { return nil }
    var value: Int64 = 0
    var left = digits
    repeat {
      value = value * 10 + Int64(rest.removeFirst() - UInt8(ascii: "0"))
      left -= 1
    } while left > 0 && value * 10 <= range.upperBound && rest.first?.isDigit == true
    return range.contains(value) ? value : nil
  }

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    Int64(UTCTime.days(Int(year), Int(month), Int(day)))
  }
}
