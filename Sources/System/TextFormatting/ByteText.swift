/// A short text under construction in a fixed buffer; text beyond its end stops the program. Writes numbers
/// without strings and without growing an array, because one line is written for each of a hundred time steps
/// a second.
package struct ByteText: ~Copyable {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private var count = 0

  fileprivate init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  fileprivate var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: buffer[..<count]) }

  // A buffer's subscript checks its index in debug builds only.
  package mutating func append(_ byte: UInt8) {
    precondition(count < buffer.count)
    buffer[count] = byte
    count += 1
  }

  package mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  package mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    precondition(text.count <= buffer.count - count)
    guard let target = buffer.baseAddress, let source = text.baseAddress else { return }
    (target + count).update(from: source, count: text.count)
    count += text.count
  }

  /// Appends a number in decimal, at most 20 bytes.
  package mutating func append(decimal number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(digits: number.magnitude, minimum: 1)
  }

  /// Appends a number in decimal, with leading zeros to at least `minimum` digits. A number has at most 20 digits
  /// without leading zeros.
  package mutating func append(digits number: UInt64, minimum: Int) {
    var length = 1
    var rest = number / 10
    while rest > 0 {
      length += 1
      rest /= 10
    }
    let start = count
    count += max(length, minimum)
    precondition(count <= buffer.count)
    rest = number
    var index = count
    while index > start {
      index -= 1
      buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  /// Appends `value / timescale` in decimal, in the format of `DecimalFraction.text`: at most 27 bytes.
  package mutating func append(value: Int64, timescale: Int32) {
    let scale = UInt64(max(timescale, 1))
    let (whole, remainder) = value.magnitude.quotientAndRemainder(dividingBy: scale)
    if value < 0 { append(UInt8(ascii: "-")) }
    append(digits: whole, minimum: 1)
    guard scale > 1 else { return }
    append(UInt8(ascii: "."))
    var power: UInt64 = 1
    var zeros = 0
    while power < scale {
      power *= 10
      zeros += 1
    }
    // The remainder is below 2^31, so the product stays below 2^51.
    if power == scale {
      append(digits: remainder, minimum: zeros)
    } else {
      append(digits: remainder * 1_000_000 / scale, minimum: 6)
    }
  }

  /// Appends nanoseconds as seconds with six digits after the point, rounded towards zero: at most 18 bytes.
  package mutating func append(secondsOf nanoseconds: UInt64) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    append(digits: seconds, minimum: 1)
    append(UInt8(ascii: "."))
    append(digits: rest / 1000, minimum: 6)
  }
}

extension [UInt8] {
  /// Appends the text that `write` produces, at most `limit` bytes. A longer text stops the program.
  package mutating func append(upTo limit: Int, _ write: (inout ByteText) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limit) { buffer in
      var text = ByteText(buffer)
      write(&text)
      append(contentsOf: text.bytes)
    }
  }

  package mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }

  package mutating func append(decimal number: Int64) { append(upTo: 20) { $0.append(decimal: number) } }

  /// Appends a number in decimal, with leading zeros to at least `minimum` digits, which must be at most 20.
  package mutating func append(digits number: UInt64, minimum: Int) {
    append(upTo: 20) { $0.append(digits: number, minimum: minimum) }
  }
}
