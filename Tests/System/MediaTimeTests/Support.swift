import MediaTime
import TestSupport

/// The time `value / timescale`.
func time(_ value: Int64, _ timescale: Int32, epoch: Int64 = 0) -> CMTime {
  CMTimeMakeWithEpoch(value: value, timescale: timescale, epoch: epoch)
}

/// The time `value / timescale` with the rounded flag.
func rounded(_ value: Int64, _ timescale: Int32, epoch: Int64 = 0) -> CMTime {
  CMTime(value: value, timescale: timescale, flags: [.valid, .hasBeenRounded], epoch: epoch)
}

/// The fields of a time, to compare bit for bit where `==` compares meaning.
struct Fields: Equatable, CustomStringConvertible {
  var value: Int64
  var timescale: Int32
  var flags: UInt32
  var epoch: Int64

  init(_ time: CMTime) {
    value = time.value
    timescale = time.timescale
    flags = time.flags.rawValue
    epoch = time.epoch
  }

  var description: String { "\(value)/\(timescale) flags \(flags) epoch \(epoch)" }
}

let two62: Int64 = 1 << 62

let extremeValues: [Int64] = [
  .min, .min + 1, -two62, -0x20_0000_0000_0000, -0x1_0000_0000, -1, 0, 1, 2, 3, 0x8000_0000,
  0x20_0000_0000_0000, two62, .max - 1, .max,
]
let extremeTimescales: [Int32] = [
  .min, .min + 1, -600, -1, 0, 1, 2, 3, 600, 44_100, 48_000, 65_535, 65_536, 90_000, 1_000_000_007, .max - 1,
  .max,
]
/// Timescales whose least common multiple, 70 560 000, is a timescale: sums of their times are exact.
let friendlyTimescales: [Int32] = [1, 2, 3, 24, 600, 1000, 22_050, 44_100, 48_000, 90_000, 96_000]
let extremeMultipliers: [Double] = [
  0, -0.0, 1, -1, 0.1, 0.5, 2, 1e18, -1e300, .leastNonzeroMagnitude, .leastNormalMagnitude,
  .greatestFiniteMagnitude,
  .infinity, -.infinity, .nan, .signalingNaN, .ulpOfOne, 0x1p63, 0x1p-63, 0x1p127, 0x1p-128,
  0x1.fffffffffffffp1023,
]
let allMethods: [CMTimeRoundingMethod] = [
  .default, .roundTowardZero, .roundAwayFromZero, .quickTime, .roundTowardPositiveInfinity,
  .roundTowardNegativeInfinity,
]

extension RandomSource {
  /// A number of any size: uniform widths, and often an extreme.
  mutating func value() -> Int64 {
    if Int.random(in: 0..<4, using: &self) == 0 { return extremeValues.randomElement(using: &self) ?? 0 }
    return Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self)
  }

  mutating func positiveTimescale() -> Int32 {
    switch Int.random(in: 0..<3, using: &self) {
    case 0: return friendlyTimescales.randomElement(using: &self) ?? 1
    case 1: return max(1, .max >> Int32.random(in: 0..<31, using: &self))
    default: return Int32.random(in: 1...(.max), using: &self)
    }
  }

  /// A well-formed number, in epoch 0 and not marked rounded.
  mutating func number() -> CMTime {
    time(value(), positiveTimescale())
  }

  /// A number whose sums with its like are exact.
  mutating func smallNumber() -> CMTime {
    time(
      Int64.random(in: -(1 << 30)...(1 << 30), using: &self),
      friendlyTimescales.randomElement(using: &self) ?? 1)
  }

  /// Any bit pattern at all, with a liking for those that mean something.
  mutating func anyTime() -> CMTime {
    let flags: UInt32 =
      switch Int.random(in: 0..<4, using: &self) {
      case 0: 1
      case 1: 3
      case 2: UInt32.random(in: 0..<32, using: &self)
      default: UInt32.random(in: 0...(.max), using: &self)
      }
    let timescale =
      Bool.random(using: &self) ? positiveTimescale() : extremeTimescales.randomElement(using: &self) ?? 0
    let epoch = Bool.random(using: &self) ? 0 : value()
    return CMTime(value: value(), timescale: timescale, flags: CMTimeFlags(rawValue: flags), epoch: epoch)
  }
}
