import MediaTime
import TestSupport
import Testing

/// No operation traps, whatever bits it is given. A trap ends the test process, so there is little to expect
/// here but the end.
@Suite struct AnyInputTests {
  /// Every combination of the extremes.
  static let extremes: [CMTime] = {
    let flags: [UInt32] = [0, 1, 3, 5, 9, 17, 31, .max]
    var times: [CMTime] = []
    for value in [Int64.min, -1, 0, 1, .max] {
      for timescale in [Int32.min, -1, 0, 1, 600, .max - 1, .max] {
        for flag in flags {
          times.append(
            CMTime(
              value: value, timescale: timescale, flags: CMTimeFlags(rawValue: flag),
              epoch: value == 1 ? .min : 0))
        }
      }
    }
    return times
  }()

  @Test func pairsOfExtremes() {
    var numbers = 0
    for lhs in Self.extremes {
      for rhs in Self.extremes {
        if (lhs + rhs).isNumeric { numbers += 1 }
        if (lhs - rhs).isNumeric { numbers += 1 }
        #expect(CMTimeCompare(lhs, rhs) == -CMTimeCompare(rhs, lhs))
      }
    }
    #expect(numbers > 0)
  }

  @Test func singleExtremes() {
    for time in Self.extremes {
      _ = (time.seconds, time.hashValue, time.description, time.debugDescription)
      _ = CMTimeAbsoluteValue(time)
      for timescale in extremeTimescales {
        for method in allMethods {
          let converted = time.convertScale(timescale, method: method)
          #expect(!converted.isNumeric || converted.timescale == timescale)
        }
        _ = CMTimeMultiply(time, multiplier: timescale)
        for divisor in extremeTimescales {
          _ = CMTimeMultiplyByRatio(time, multiplier: timescale, divisor: divisor)
        }
      }
      for multiplier in extremeMultipliers { _ = CMTimeMultiplyByFloat64(time, multiplier: multiplier) }
    }
  }

  @Test func secondsOfExtremes() {
    for seconds in extremeMultipliers {
      for timescale in extremeTimescales {
        let time = CMTime(seconds: seconds, preferredTimescale: timescale)
        #expect(time.isValid == (timescale > 0 && !seconds.isNaN))
      }
    }
  }

  @Test(arguments: [UInt64(201), 202, 203])
  func randomBits(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<4000 {
      let a = generator.anyTime()
      let b = generator.anyTime()
      // An operation never makes a malformed number.
      let results = [
        a + b, a - b, CMTimeMultiply(a, multiplier: b.timescale),
        CMTimeMultiplyByRatio(
          a, multiplier: b.timescale, divisor: Int32(truncatingIfNeeded: generator.value())),
        CMTimeMultiplyByFloat64(a, multiplier: Double(bitPattern: generator.next())),
        CMTime(seconds: Double(bitPattern: generator.next()), preferredTimescale: a.timescale),
        a.convertScale(b.timescale, method: allMethods.randomElement(using: &generator) ?? .default),
      ]
      for result in results { #expect(!result.isNumeric || result.timescale > 0) }
      _ = (a.description, a.hashValue, CMTimeAbsoluteValue(a), CMTimeMinimum(a, b), CMTimeMaximum(a, b))
    }
  }

  @Test(arguments: [UInt64(204), 205, 206])
  func randomBitsInRanges(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<4000 {
      let time = generator.anyTime()
      let range = generator.anyRange()
      let other = generator.anyRange()
      _ = (range.end, range.isValid, range.isEmpty, range.isIndefinite, range.hashValue, range.description)
      _ = (range.union(other), range.intersection(other), range.containsTimeRange(other))
      _ = CMTimeMapDurationFromRangeToRange(time, fromRange: range, toRange: other)
      _ = CMTimeMapTimeFromRangeToRange(time, fromRange: range, toRange: other)
      _ = CMTimeClampToRange(time, range: range)
      let folded = CMTimeFoldIntoRange(time, foldRange: range)
      #expect(!range.containsTime(range.end))
      if folded.isNumeric, range.containsTime(range.start) { #expect(range.containsTime(folded)) }
    }
  }
}

extension RandomSource {
  /// A range of any bits; half of them of well-formed numbers.
  mutating func anyRange() -> CMTimeRange {
    var range = CMTimeRange()
    range.start = Bool.random(using: &self) ? number() : anyTime()
    range.duration = Bool.random(using: &self) ? number() : anyTime()
    if Bool.random(using: &self) { range.duration.value = max(1, range.duration.value >> 1) }
    return range
  }
}
