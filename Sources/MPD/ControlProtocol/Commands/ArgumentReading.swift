/// Reading of numbers, ranges and times in arguments, with mpd's error messages.
extension Argument {
  /// A whole number at the beginning of a text, as C's `strtol` reads it: optional blanks, an optional sign,
  /// then digits.
  package struct Number {
    /// The value. Digits are ignored once it reaches ±2^58, so that it stays within ±2^62.
    package var value: Int64
    var length: Int

    /// Reads a number; nil without a digit.
    package init?(_ bytes: ArraySlice<UInt8>) {
      var index = bytes.startIndex
      while index < bytes.endIndex, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) {
        index += 1
      }
      var isNegative = false
      if index < bytes.endIndex, bytes[index] == Byte.minus || bytes[index] == Byte.plus {
        isNegative = bytes[index] == Byte.minus
        index += 1
      }
      let firstDigit = index
      var magnitude: Int64 = 0
      while index < bytes.endIndex, bytes[index].isDigit {
        if magnitude < 1 << 58 { magnitude = magnitude * 10 + Int64(bytes[index] - 0x30) }
        index += 1
      }
      guard index > firstDigit else { return nil }
      value = isNegative ? -magnitude : magnitude
      length = index - bytes.startIndex
    }
  }

  private var expectsInteger: Ack { Ack(.argument, "Integer expected: \(self)") }
  private var isTooLarge: Ack { Ack(.argument, "Number too large: \(self)") }
  private var expectsRange: Ack { Ack(.argument, "Integer or range expected: \(self)") }

  private func wholeNumber() throws(Ack) -> Int64 {
    guard let number = Number(bytes[...]), number.length == bytes.count else { throw expectsInteger }
    return number.value
  }

  func integer(in range: ClosedRange<Int64>) throws(Ack) -> Int64 {
    let value = try wholeNumber()
    // mpd reports "too large" for negative numbers too.
    guard range.contains(value) else { throw isTooLarge }
    return value
  }

  /// Returns the argument as a number from 0 to `UInt32.max`.
  func unsigned() throws(Ack) -> UInt32 {
    // The range is the same as the type's, so no bits are lost.
    UInt32(truncatingIfNeeded: try integer(in: 0...Int64(UInt32.max)))
  }

  /// Returns the number in the argument of `play` or `playid`; nil for -1. Throws `refusal` for other
  /// negative numbers that fit into 32 bits.
  func optionalNumber(refusal: Ack) throws(Ack) -> UInt32? {
    let value = try integer(in: Int64(Int32.min)...Int64(Int32.max))
    if value == -1 { return nil }
    guard value >= 0 else { throw refusal }
    return UInt32(truncatingIfNeeded: value)
  }

  /// Returns the argument as a queue version. A negative value, or one above `UInt32.max`, counts as newer
  /// than any version.
  func version() throws(Ack) -> UInt32 { UInt32(exactly: try wholeNumber()) ?? .max }

  func boolean() throws(Ack) -> Bool {
    guard let number = Number(bytes[...]), number.length == bytes.count,
      number.value == 0 || number.value == 1
    else { throw Ack(.argument, "Boolean (0/1) expected: \(self)") }
    return number.value == 1
  }

  /// Returns the range of an argument `N`, `START:END` or `START:`. With `allowsAll`, -1 means all positions.
  func range(allowsAll: Bool = true) throws(Ack) -> PositionRange {
    guard let first = Number(bytes[...]) else { throw expectsRange }
    let isSingle = first.length == bytes.count
    guard isSingle || bytes[first.length] == Byte.colon else { throw expectsRange }
    if isSingle, first.value == -1, allowsAll { return .all }
    let lower = try rangeBound(first.value)
    if isSingle { return PositionRange(single: lower) }
    let rest = bytes[(first.length + 1)...]
    if rest.isEmpty { return PositionRange(checkedLower: lower, upper: nil) }
    guard let second = Number(rest), second.length == rest.count else { throw expectsRange }
    guard let range = PositionRange(lower, try rangeBound(second.value)) else {
      throw Ack(.argument, "Malformed range: \(self)")
    }
    return range
  }

  private func rangeBound(_ value: Int64) throws(Ack) -> UInt32 {
    guard value >= 0 else { throw Ack(.argument, "Number is negative: \(self)") }
    guard value <= Int64(Int32.max) else { throw isTooLarge }
    return UInt32(truncatingIfNeeded: value)
  }

  /// Returns the position of an argument `N`, `+N` or `-N`.
  func queuePosition() throws(Ack) -> QueuePosition {
    guard let sign = bytes.first, sign == Byte.plus || sign == Byte.minus else {
      return .absolute(Int(try unsigned()))
    }
    let distance = Int(try Argument(bytes.dropFirst()).unsigned())
    return sign == Byte.plus ? .afterCurrent(distance) : .beforeCurrent(distance)
  }

  /// Returns the seconds of a decimal number, optionally with an exponent; infinity if it is too large.
  /// Hexadecimal numbers and the words for infinity and NaN, which mpd accepts, are refused.
  func seconds() throws(Ack) -> Double {
    let isDecimal = bytes.allSatisfy { byte in
      byte.isDigit || byte == Byte.plus || byte == Byte.minus || byte == 0x2E || byte == 0x45 || byte == 0x65
    }
    guard isDecimal, let text = string, let value = Double(text) else {
      throw Ack(.argument, "Float expected: \(self)")
    }
    return value
  }

  /// Returns the time of an argument in seconds, which must not be negative.
  func songTime() throws(Ack) -> Milliseconds {
    let value = try seconds()
    guard value >= 0 else { throw Ack(.argument, "Negative value not allowed: \(self)") }
    return Milliseconds(seconds: value)
  }

  /// Returns the target of an argument in seconds. A target that begins with a sign is relative.
  func seekTarget() throws(Ack) -> SeekTarget {
    let time = Duration.milliseconds(Milliseconds(seconds: try seconds()).rawValue)
    return bytes.first == Byte.plus || bytes.first == Byte.minus ? .relative(time) : .absolute(time)
  }

  /// Returns the range of an argument `START:END` in seconds; either time may be missing.
  func songRange() throws(Ack) -> SongRange {
    let refusal = Ack(.argument, "Bad range")
    guard let colon = bytes.firstIndex(of: Byte.colon) else { throw refusal }
    let start = Argument(bytes[..<colon])
    let end = Argument(bytes[(colon + 1)...])
    do {
      let startTime = start.bytes.isEmpty ? Milliseconds(rawValue: 0) : try start.songTime()
      var endTime = end.bytes.isEmpty ? nil : try end.songTime()
      // As in mpd, an end of 0 means no end. So does an end above `SongRange.limit`, which is later than the
      // end of any file.
      if let end = endTime, end.rawValue == 0 || end.rawValue > SongRange.limit { endTime = nil }
      guard let range = SongRange(start: startTime, end: endTime) else { throw refusal }
      return range
    } catch {
      throw refusal
    }
  }
}
