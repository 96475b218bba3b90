import MediaTime
import Testing

/// The rules of addition and multiplication for times that are no number, for epochs and for the rounded
/// flag.
@Suite struct OperationTests {
  private static let infinity = CMTime.positiveInfinity
  private static let minusInfinity = CMTime.negativeInfinity
  private static let indefinite = CMTime.indefinite
  private static let invalid = CMTime.invalid
  private static let one = time(1, 1)

  /// Operands, sum, difference.
  static let kindRows: [(CMTime, CMTime, CMTime, CMTime)] = [
    (infinity, infinity, infinity, invalid),
    (infinity, minusInfinity, invalid, infinity),
    (minusInfinity, infinity, invalid, minusInfinity),
    (minusInfinity, minusInfinity, minusInfinity, invalid),
    (infinity, one, infinity, infinity),
    (one, infinity, infinity, minusInfinity),
    (minusInfinity, one, minusInfinity, minusInfinity),
    (one, minusInfinity, minusInfinity, infinity),
    (infinity, indefinite, infinity, infinity),
    (indefinite, infinity, infinity, minusInfinity),
    (minusInfinity, indefinite, minusInfinity, minusInfinity),
    (indefinite, minusInfinity, minusInfinity, infinity),
    (indefinite, indefinite, indefinite, indefinite),
    (indefinite, one, indefinite, indefinite),
    (one, indefinite, indefinite, indefinite),
    (invalid, one, invalid, invalid),
    (one, invalid, invalid, invalid),
    (invalid, infinity, invalid, invalid),
    (minusInfinity, invalid, invalid, invalid),
    (indefinite, invalid, invalid, invalid),
    (invalid, invalid, invalid, invalid),
  ]

  @Test(arguments: kindRows)
  func kinds(lhs: CMTime, rhs: CMTime, sum: CMTime, difference: CMTime) {
    #expect(Fields(lhs + rhs) == Fields(sum))
    #expect(Fields(lhs - rhs) == Fields(difference))
  }

  @Test func nonNumericFieldsAreIgnored() {
    let noise = CMTime(
      value: 7, timescale: -3, flags: [.valid, .positiveInfinity, .hasBeenRounded], epoch: 9)
    #expect(Fields(noise + time(1, 2, epoch: 4)) == Fields(.positiveInfinity))
    #expect(noise == .positiveInfinity)
  }

  @Test func additionIsAssociativeOnAllKinds() {
    let kinds: [CMTime] = [.zero, Self.one, .invalid, .indefinite, .positiveInfinity, .negativeInfinity]
    for a in kinds {
      for b in kinds {
        for c in kinds { #expect(Fields((a + b) + c) == Fields(a + (b + c))) }
      }
    }
  }

  /// Epochs of the operands, and of sum and difference (nil: invalid).
  static let epochRows: [(Int64, Int64, Int64?)] = [
    (0, 0, 0), (3, 3, 0), (0, 3, 3), (3, 0, 3), (3, 4, nil), (-1, 1, nil), (.min, .max, nil), (.min, .min, 0),
    (.min, 0, .min),
  ]

  @Test(arguments: epochRows)
  func epochs(left: Int64, right: Int64, expected: Int64?) {
    // One timescale takes the short way, two the long one.
    for scale: Int32 in [600, 1000] {
      let sum = time(2, 600, epoch: left) + time(3, scale, epoch: right)
      let difference = time(2, 600, epoch: left) - time(3, scale, epoch: right)
      #expect(sum.isValid == (expected != nil))
      #expect(difference.isValid == (expected != nil))
      #expect(sum.epoch == expected ?? 0)
      #expect(difference.epoch == expected ?? 0)
    }
  }

  @Test func roundedFlagIsPassedOn() {
    let exact = time(1, 2)
    let marked = rounded(1, 2)
    #expect((marked + exact).hasBeenRounded && (exact + marked).hasBeenRounded)
    #expect((marked - time(1, 3)).hasBeenRounded && !(exact - exact).hasBeenRounded)
    #expect(CMTimeMultiply(marked, multiplier: 2).hasBeenRounded)
    #expect(CMTimeMultiplyByFloat64(marked, multiplier: 2).hasBeenRounded)
    #expect(CMTimeMultiplyByFloat64(marked, multiplier: 0).hasBeenRounded)
    #expect(CMTimeMultiplyByRatio(marked, multiplier: 2, divisor: 1).hasBeenRounded)
    #expect(CMTimeAbsoluteValue(rounded(-1, 2)).hasBeenRounded)
    #expect(marked.convertScale(4, method: .default).hasBeenRounded)
  }

  @Test func multiplicationKeepsTheEpoch() {
    let late = time(3, 600, epoch: 5)
    #expect(CMTimeMultiply(late, multiplier: 2).epoch == 5)
    #expect(CMTimeMultiply(time(.max, 600, epoch: 5), multiplier: 2).epoch == 5)
    #expect(CMTimeMultiplyByFloat64(late, multiplier: 0.5).epoch == 5)
    #expect(CMTimeMultiplyByRatio(late, multiplier: 1, divisor: 7).epoch == 5)
    #expect(CMTimeMultiplyByRatio(late, multiplier: 1, divisor: .max).epoch == 5)
    #expect(CMTimeAbsoluteValue(time(-3, 600, epoch: 5)).epoch == 5)
    #expect(late.convertScale(7, method: .default).epoch == 5)
  }

  @Test func multiplicationOfNonNumbers() {
    for multiplier: Int32 in [0, 1, .max] {
      #expect(Fields(CMTimeMultiply(.positiveInfinity, multiplier: multiplier)) == Fields(.positiveInfinity))
      #expect(Fields(CMTimeMultiply(.negativeInfinity, multiplier: multiplier)) == Fields(.negativeInfinity))
      #expect(
        Fields(CMTimeMultiply(.positiveInfinity, multiplier: -1 - multiplier)) == Fields(.negativeInfinity))
      #expect(
        Fields(CMTimeMultiply(.negativeInfinity, multiplier: -1 - multiplier)) == Fields(.positiveInfinity))
      #expect(Fields(CMTimeMultiply(.indefinite, multiplier: multiplier)) == Fields(.indefinite))
      #expect(Fields(CMTimeMultiply(.invalid, multiplier: multiplier)) == Fields(.invalid))
    }
  }

  static let floatRows: [(CMTime, Double, CMTime)] = [
    (infinity, 2, infinity), (infinity, -0.5, minusInfinity), (minusInfinity, 2, minusInfinity),
    (minusInfinity, -.infinity, infinity), (infinity, 0, infinity), (infinity, .nan, invalid),
    (minusInfinity, .nan, invalid), (indefinite, .nan, indefinite), (indefinite, 2, indefinite),
    (invalid, 2, invalid),
    (one, .nan, invalid), (one, .infinity, infinity), (one, -.infinity, minusInfinity),
    (time(-1, 2), -.infinity, infinity), (.zero, .infinity, invalid),
  ]

  @Test(arguments: floatRows)
  func floatMultiplicationOfNonNumbers(time: CMTime, multiplier: Double, expected: CMTime) {
    #expect(Fields(CMTimeMultiplyByFloat64(time, multiplier: multiplier)) == Fields(expected))
  }

  static let ratioRows: [(CMTime, Int32, Int32, CMTime)] = [
    (one, 1, 0, infinity), (one, -1, 0, minusInfinity), (time(-1, 1), -1, 0, infinity),
    (.zero, 1, 0, invalid),
    (one, 0, 0, invalid), (infinity, 0, 0, invalid), (infinity, 1, 0, infinity), (infinity, -1, 1, infinity),
    (minusInfinity, 3, 2, minusInfinity), (indefinite, 1, 0, indefinite), (indefinite, 1, 2, indefinite),
    (invalid, 1, 2, invalid), (one, 0, 5, time(0, 1)), (time(5, 600), 0, 5, time(0, 600)),
  ]

  @Test(arguments: ratioRows)
  func ratioMultiplicationOfNonNumbers(time: CMTime, multiplier: Int32, divisor: Int32, expected: CMTime) {
    #expect(
      Fields(CMTimeMultiplyByRatio(time, multiplier: multiplier, divisor: divisor)) == Fields(expected))
  }

  static let absoluteRows: [(CMTime, CMTime)] = [
    (time(-1, 2), time(1, 2)), (time(1, 2), time(1, 2)), (time(.min, 2), time(two62, 1)),
    (time(.min, 1), infinity),
    (minusInfinity, infinity), (infinity, infinity), (indefinite, indefinite), (invalid, invalid),
  ]

  @Test(arguments: absoluteRows)
  func absoluteValue(time: CMTime, expected: CMTime) {
    #expect(Fields(CMTimeAbsoluteValue(time)) == Fields(expected))
  }

  static let conversionRows: [(CMTime, Int32, CMTime)] = [
    (time(1, 1), 0, invalid), (time(1, 1), -1, invalid), (time(1, 1), .min, invalid),
    (infinity, 600, infinity), (minusInfinity, 600, minusInfinity), (indefinite, 600, indefinite),
    (invalid, 600, invalid), (infinity, 0, infinity),
    // A value that does not fit becomes infinite rather than come back at another timescale.
    (time(two62, 1), 600, infinity), (time(-two62, 1), 600, minusInfinity), (time(.min, 1), 1, time(.min, 1)),
    (time(two62, 1), 2, infinity), (time(-two62, 1), 2, time(.min, 2)),
  ]

  @Test(arguments: conversionRows)
  func conversionEdges(time: CMTime, timescale: Int32, expected: CMTime) {
    for method in allMethods {
      #expect(Fields(CMTimeConvertScale(time, timescale: timescale, method: method)) == Fields(expected))
    }
  }
}
