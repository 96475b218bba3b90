import MediaTime
import TestSupport
import Testing

/// The range of whole seconds from `start` up to `end`.
func range(_ start: Int64, _ end: Int64, epoch: Int64 = 0) -> CMTimeRange {
  CMTimeRange(start: time(start, 1, epoch: epoch), duration: time(end - start, 1))
}

@Suite struct RangeTests {
  @Test func creation() {
    let made = CMTimeRangeMake(start: time(1, 2), duration: time(3, 4))
    #expect(Fields(made.start) == Fields(time(1, 2)) && Fields(made.duration) == Fields(time(3, 4)))
    #expect(CMTimeRange() == .invalid && !CMTimeRange().isValid)
    // A duration of another epoch than 0.
    let bad = CMTimeRangeMake(start: .zero, duration: time(1, 1, epoch: 1))
    #expect(Fields(bad.start) == Fields(.invalid) && Fields(bad.duration) == Fields(.invalid))
    #expect(CMTimeRange(start: .zero, duration: time(1, 1, epoch: 1)) == .invalid)
  }

  @Test func fromTimeToTime() {
    let made = CMTimeRangeFromTimeToTime(start: time(1, 2), end: time(3, 4))
    #expect(Fields(made.duration) == Fields(time(1, 4)))
    #expect(made == CMTimeRange(start: time(1, 2), end: time(3, 4)))
    #expect(made.end == time(3, 4))
    // Within one epoch the duration is in epoch 0; across epochs there is none.
    #expect(CMTimeRange(start: time(1, 1, epoch: 2), end: time(3, 1, epoch: 2)) == range(1, 3, epoch: 2))
    #expect(!CMTimeRange(start: time(1, 1, epoch: 2), end: time(3, 1, epoch: 3)).isValid)
    #expect(!CMTimeRange(start: time(1, 1), end: time(3, 1, epoch: 3)).isValid)
    #expect(!CMTimeRange(start: time(3, 1), end: time(1, 1)).isValid)
    #expect(CMTimeRange(start: time(3, 1), end: .positiveInfinity).duration == .positiveInfinity)
  }

  /// Range; valid, empty, indefinite.
  static let testRows: [(CMTimeRange, [Bool])] = [
    (.zero, [true, true, false]),
    (.invalid, [false, false, false]),
    (range(1, 2), [true, false, false]),
    (range(1, 1, epoch: 4), [true, true, false]),
    (range(2, 1), [false, false, false]),
    (CMTimeRange(start: .zero, duration: .positiveInfinity), [true, false, false]),
    (CMTimeRange(start: .zero, duration: .indefinite), [true, false, true]),
    (CMTimeRange(start: .indefinite, duration: time(1, 1)), [true, false, true]),
    (CMTimeRange(start: .indefinite, duration: .zero), [true, true, true]),
    (CMTimeRange(start: .invalid, duration: time(1, 1)), [false, false, false]),
  ]

  @Test(arguments: testRows)
  func tests(range: CMTimeRange, expected: [Bool]) {
    #expect([range.isValid, range.isEmpty, range.isIndefinite] == expected)
    #expect(
      [CMTIMERANGE_IS_VALID(range), CMTIMERANGE_IS_EMPTY(range), CMTIMERANGE_IS_INDEFINITE(range)] == expected
    )
    #expect(CMTIMERANGE_IS_INVALID(range) == !expected[0])
  }

  @Test func equality() {
    let half = CMTimeRange(start: time(1, 2), duration: time(2, 4))
    #expect(half == CMTimeRange(start: time(2, 4), duration: time(1, 2)))
    #expect(CMTimeRangeEqual(half, CMTimeRange(start: time(2, 4), duration: time(1, 2))))
    #expect(half != CMTimeRange(start: time(1, 2), duration: time(1, 4)))
    #expect(half != CMTimeRange(start: time(1, 2, epoch: 1), duration: time(2, 4)))
  }

  @Test func containment() {
    let ten = range(1, 10)
    #expect(ten.containsTime(time(1, 1)) && ten.containsTime(time(19_999, 2000)))
    #expect(!ten.containsTime(time(999, 1000)) && !ten.containsTime(ten.end))
    #expect(CMTimeRangeContainsTime(ten, time: time(5, 1)))
    #expect(!CMTimeRangeContainsTime(ten, time: CMTimeRangeGetEnd(ten)))
    #expect(
      !ten.containsTime(time(5, 1, epoch: 1)) && range(1, 10, epoch: 1).containsTime(time(5, 1, epoch: 1)))
    for time: CMTime in [.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
      #expect(!ten.containsTime(time))
      #expect(!CMTimeRange(start: .zero, duration: .positiveInfinity).containsTime(time))
    }
    #expect(!range(1, 1).containsTime(time(1, 1)) && !CMTimeRange.invalid.containsTime(.zero))
    #expect(!range(2, 1).containsTime(time(1, 1)))
    let endless = CMTimeRange(start: time(1, 1), duration: .positiveInfinity)
    #expect(endless.containsTime(time(.max, 1)) && !endless.containsTime(.zero))
    let live = CMTimeRange(start: time(1, 1), duration: .indefinite)
    #expect(live.containsTime(time(2, 1)) && !live.containsTime(.zero))

    #expect(
      ten.containsTimeRange(ten) && ten.containsTimeRange(range(2, 9)) && endless.containsTimeRange(ten))
    #expect(ten.containsTimeRange(range(1, 1)) && ten.containsTimeRange(range(10, 10)))
    #expect(!ten.containsTimeRange(range(0, 9)) && !ten.containsTimeRange(range(2, 11)))
    #expect(!ten.containsTimeRange(.invalid) && !CMTimeRange.invalid.containsTimeRange(ten))
    #expect(CMTimeRangeContainsTimeRange(ten, otherRange: range(2, 3)))
  }

  /// Two ranges, union, intersection.
  static let setRows: [(CMTimeRange, CMTimeRange, CMTimeRange, CMTimeRange)] = [
    (range(0, 5), range(3, 8), range(0, 8), range(3, 5)),
    (range(0, 8), range(3, 5), range(0, 8), range(3, 5)),
    (range(0, 5), range(5, 8), range(0, 8), range(5, 5)),
    (range(0, 2), range(5, 8), range(0, 8), .zero),
    (range(0, 5), range(7, 7), range(0, 5), .zero),
    (range(0, 5), range(3, 3), range(0, 5), range(3, 3)),
    (range(1, 2, epoch: 3), range(2, 4, epoch: 3), range(1, 4, epoch: 3), range(2, 2, epoch: 3)),
    (range(1, 2), range(1, 2, epoch: 3), .invalid, .invalid),
    (range(1, 2), .invalid, .invalid, .invalid),
    (
      range(1, 5), CMTimeRange(start: time(3, 1), duration: .positiveInfinity),
      CMTimeRange(start: time(1, 1), duration: .positiveInfinity), range(3, 5)
    ),
  ]

  @Test(arguments: setRows)
  func unionAndIntersection(a: CMTimeRange, b: CMTimeRange, union: CMTimeRange, intersection: CMTimeRange) {
    for (lhs, rhs) in [(a, b), (b, a)] {
      #expect(lhs.union(rhs) == union)
      #expect(lhs.intersection(rhs) == intersection)
      #expect(CMTimeRangeGetUnion(lhs, otherRange: rhs) == union)
      #expect(CMTimeRangeGetIntersection(lhs, otherRange: rhs) == intersection)
    }
  }

  /// The end of the outer range is rounded. Start and end of the result are those of one range, so nothing is
  /// computed anew.
  @Test func aRangeThatWinsAtBothEndsIsReturnedAsItIs() {
    let outer = CMTimeRange(start: time(1, 1_000_000_007), duration: time(1, 3))
    let inner = CMTimeRange(start: time(1, 10), duration: time(1, 10))
    #expect(outer.end.hasBeenRounded)
    for (union, intersection) in [
      (outer.union(inner), outer.intersection(inner)), (inner.union(outer), inner.intersection(outer)),
      (outer.union(outer), inner.intersection(inner)),
    ] {
      #expect(Fields(union.start) == Fields(outer.start) && Fields(union.duration) == Fields(outer.duration))
      #expect(
        Fields(intersection.start) == Fields(inner.start)
          && Fields(intersection.duration) == Fields(inner.duration))
    }
  }

  @Test func unionOfEmptyRangesIsTheFirst() {
    #expect(range(3, 3).union(range(1, 1)) == range(3, 3))
  }

  @Test(arguments: [UInt64(301), 302])
  func setLaws(seed: UInt64) {
    var generator = RandomSource(seed: seed)
    for _ in 0..<3000 {
      let a = generator.smallRange()
      let b = generator.smallRange()
      let t = generator.smallNumber()
      let union = a.union(b)
      let intersection = a.intersection(b)
      #expect(a.union(a) == a && a.intersection(a) == a)
      #expect(union.containsTimeRange(a) && union.containsTimeRange(b))
      #expect(
        intersection == .zero || (a.containsTimeRange(intersection) && b.containsTimeRange(intersection)))
      #expect(intersection.containsTime(t) == (a.containsTime(t) && b.containsTime(t)))
      if a.containsTime(t) || b.containsTime(t) { #expect(union.containsTime(t)) }
      #expect(CMTimeRange(start: a.start, end: a.end) == a)
      #expect(!a.containsTime(a.end))
    }
  }

  @Test func clamping() {
    let ten = range(1, 10)
    #expect(CMTimeClampToRange(time(0, 1), range: ten) == time(1, 1))
    #expect(Fields(CMTimeClampToRange(time(1000, 600), range: ten)) == Fields(time(1000, 600)))
    #expect(CMTimeClampToRange(time(10, 1), range: ten) == time(10, 1))
    #expect(CMTimeClampToRange(time(20, 1), range: ten) == time(10, 1))
    #expect(CMTimeClampToRange(.negativeInfinity, range: ten) == time(1, 1))
    #expect(CMTimeClampToRange(.positiveInfinity, range: ten) == time(10, 1))
    #expect(CMTimeClampToRange(.indefinite, range: ten) == .indefinite)
    #expect(CMTimeClampToRange(.invalid, range: ten) == .invalid)
    #expect(CMTimeClampToRange(time(1, 1), range: range(1, 1)) == .invalid)
    #expect(CMTimeClampToRange(time(1, 1), range: .invalid) == .invalid)
  }
}

extension RandomSource {
  /// A range whose bounds and their sums are exact, never empty.
  mutating func smallRange() -> CMTimeRange {
    let start = smallNumber()
    var duration = smallNumber()
    duration.value = max(1, abs(duration.value))
    return CMTimeRange(start: start, duration: duration)
  }
}
