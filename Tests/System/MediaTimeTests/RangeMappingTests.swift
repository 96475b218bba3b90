import MediaTime
import TestSupport
import Testing

@Suite struct RangeMappingTests {
  static let endless = CMTimeRange(start: time(3, 1), duration: .positiveInfinity)
  static let live = CMTimeRange(start: .zero, duration: .indefinite)

  /// Time, from, to, result.
  static let timeRows: [(CMTime, CMTimeRange, CMTimeRange, CMTime)] = [
    (time(5, 1), range(0, 10), range(100, 120), time(110, 1)),
    (time(0, 1), range(0, 10), range(100, 120), time(100, 1)),
    (time(10, 1), range(0, 10), range(100, 120), time(120, 1)),
    (time(-1, 1), range(0, 10), range(100, 120), time(98, 1)),
    (time(1, 1), range(0, 3), range(0, 1), time(1, 3)),
    (time(5, 1), endless, CMTimeRange(start: time(10, 1), duration: .positiveInfinity), time(12, 1)),
    (time(5, 1), endless, range(0, 1), .invalid),
    (time(5, 1), range(0, 1), endless, .invalid),
    (time(5, 1), range(0, 1), live, .indefinite),
    (time(5, 1), range(0, 0), range(0, 1), .invalid),
    (time(5, 1), range(0, 1), range(0, 0), .invalid),
    (time(5, 1), .invalid, range(0, 1), .invalid),
    (time(5, 1, epoch: 1), range(0, 10), range(0, 1), .invalid),
    (time(5, 1), range(0, 10, epoch: 1), range(0, 1), .invalid),
    (time(5, 1, epoch: 1), range(0, 10, epoch: 1), range(0, 20, epoch: 7), time(10, 1, epoch: 7)),
    (.indefinite, range(0, 10), range(0, 1), .indefinite),
    (.invalid, range(0, 10), range(0, 1), .invalid),
    (.positiveInfinity, range(0, 10), range(0, 1), .positiveInfinity),
  ]

  @Test(arguments: timeRows)
  func mapTime(time: CMTime, from: CMTimeRange, to: CMTimeRange, expected: CMTime) {
    #expect(CMTimeMapTimeFromRangeToRange(time, fromRange: from, toRange: to) == expected)
  }

  static let durationRows: [(CMTime, CMTimeRange, CMTimeRange, CMTime)] = [
    (time(5, 1), range(7, 17), range(100, 120), time(10, 1)),
    (time(-5, 1), range(7, 17), range(100, 120), time(-10, 1)),
    (time(1, 1), range(0, 3), range(0, 1), time(1, 3)),
    (time(5, 1), range(0, 3), range(8, 8), time(0, 1)),
    (time(5, 1), range(3, 3), range(8, 9), .invalid),
    (time(5, 1, epoch: 1), range(0, 3), range(0, 1), .invalid),
    (time(5, 1), .invalid, range(0, 1), .invalid),
    (time(5, 1), range(0, 1), .invalid, .invalid),
    (time(5, 1), endless, endless, time(5, 1)),
    (time(5, 1), endless, range(0, 1), .invalid),
    (time(5, 1), live, range(0, 1), .indefinite),
    (.negativeInfinity, range(0, 10), range(0, 1), .negativeInfinity),
    (.positiveInfinity, range(0, 10), range(0, 0), .invalid),
    (time(.max, 1), range(0, 1), range(0, .max), .positiveInfinity),
    (time(.min, 1), range(0, 1), range(0, .max), .negativeInfinity),
    (time(.max, 1), range(0, .max), range(0, 7), time(7, 1)),
  ]

  @Test(arguments: durationRows)
  func mapDuration(duration: CMTime, from: CMTimeRange, to: CMTimeRange, expected: CMTime) {
    #expect(CMTimeMapDurationFromRangeToRange(duration, fromRange: from, toRange: to) == expected)
  }

  /// The intermediate fraction needs 157 bits, and the result is exact.
  @Test func largeDurationsScaleExactly() {
    let from = CMTimeRange(start: .zero, duration: time(.max, 2_147_483_629))
    let to = CMTimeRange(start: .zero, duration: time(.max - 6, .max))
    let mapped = CMTimeMapDurationFromRangeToRange(from.duration, fromRange: from, toRange: to)
    #expect(Fields(mapped) == Fields(to.duration))
    let marked = CMTimeRange(start: .zero, duration: rounded(2, 1))
    #expect(CMTimeMapDurationFromRangeToRange(time(1, 1), fromRange: marked, toRange: marked).hasBeenRounded)
  }

  @Test(arguments: [UInt64(401), 402])
  func mappingTakesEndsToEndsAndBack(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<3000 {
      let from = generator.smallRange()
      let to = generator.smallRange()
      #expect(CMTimeMapTimeFromRangeToRange(from.start, fromRange: from, toRange: to) == to.start)
      #expect(CMTimeMapTimeFromRangeToRange(from.end, fromRange: from, toRange: to) == to.end)
      let t = generator.smallNumber()
      let there = CMTimeMapTimeFromRangeToRange(t, fromRange: from, toRange: to)
      guard there.isNumeric, !there.hasBeenRounded else { continue }
      let back = CMTimeMapTimeFromRangeToRange(there, fromRange: to, toRange: from)
      #expect(back == t || back.hasBeenRounded)
    }
  }

  static let foldRows: [(CMTime, CMTimeRange, CMTime)] = [
    (time(5, 1), range(0, 10), time(5, 1)),
    (time(10, 1), range(0, 10), time(0, 1)),
    (time(37, 1), range(0, 10), time(7, 1)),
    (time(-1, 1), range(0, 10), time(9, 1)),
    (time(-10, 1), range(0, 10), time(0, 1)),
    (time(37, 1), range(4, 7), time(4, 1)),
    (time(7, 2), range(0, 2), time(3, 2)),
    (time(1_000_000_000_001, 44_100), CMTimeRange(start: .zero, duration: time(1, 3)), time(13_001, 44_100)),
    (time(.max, 1), range(0, 1), time(0, 1)),
    (time(.min, 1), range(0, 7), time(6, 1)),
    (time(37, 1, epoch: 2), range(0, 10, epoch: 2), time(7, 1, epoch: 2)),
    (time(37, 1, epoch: 2), range(0, 10), .invalid),
    (time(37, 1), endless, time(37, 1)),
    (time(2, 1), endless, .invalid),
    (time(2, 1), live, .invalid),
    (.indefinite, range(0, 10), .indefinite),
    (.positiveInfinity, range(0, 10), .invalid),
    (.invalid, range(0, 10), .invalid),
    (time(1, 1), range(1, 1), .invalid),
    (time(1, 1), .invalid, .invalid),
  ]

  @Test(arguments: foldRows)
  func fold(time: CMTime, range: CMTimeRange, expected: CMTime) {
    #expect(CMTimeFoldIntoRange(time, foldRange: range) == expected)
  }

  @Test(arguments: [UInt64(403), 404])
  func foldedTimesAreCongruent(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<3000 {
      let range = generator.smallRange()
      let t = generator.smallNumber()
      let folded = CMTimeFoldIntoRange(t, foldRange: range)
      #expect(range.containsTime(folded) && !folded.hasBeenRounded)
      #expect(CMTimeFoldIntoRange(folded, foldRange: range) == folded)
      #expect(CMTimeFoldIntoRange(t + range.duration, foldRange: range) == folded)
      // t − folded is a whole number of durations.
      let laps = t - folded
      let scale = Int128(laps.timescale) * Int128(range.duration.value)
      #expect((Int128(laps.value) * Int128(range.duration.timescale)) % scale == 0)
    }
  }
}
