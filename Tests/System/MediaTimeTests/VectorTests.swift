import MediaTime
import Testing

/// Results worked out by hand, or with exact fractions, from the text of Apple's header.
@Suite struct VectorTests {
  static let additionRows: [(CMTime, CMTime, CMTime)] = [
    (time(1, 2), time(1, 3), time(5, 6)),
    (time(1, 600), time(1, 1000), time(8, 3000)),
    (time(1, 44_100), time(1, 48_000), time(307, 7_056_000)),
    (time(1, 90_000), time(1, 44_100), time(149, 4_410_000)),
    (time(1, 600), time(1, 300), time(3, 600)),
    // The least common multiple is past the greatest timescale.
    (time(1, .max), time(1, 2), rounded(1_073_741_825, .max)),
    (time(1, 1_000_000_007), time(1, 3), rounded(715_827_884, .max)),
    (time(0, 1_000_000_007), time(0, 3), time(0, .max)),
    // Overflow halves the timescale: here exactly, here with a half that goes away from zero, here to
    // timescale 5512.
    (time(two62, 2), time(two62, 2), time(two62, 1)),
    (time(.max, 2), time(2, 2), rounded(two62 + 1, 1)),
    (time(.max, 44_100), time(.max, 44_100), time(.max, 22_050)),
    (time(.max, 1), time(1, 1), .positiveInfinity),
    (time(.min, 1), time(-1, 1), .negativeInfinity),
  ]

  @Test(arguments: additionRows)
  func addition(lhs: CMTime, rhs: CMTime, expected: CMTime) {
    #expect(Fields(CMTimeAdd(lhs, rhs)) == Fields(expected))
    #expect(Fields(lhs + rhs) == Fields(expected))
    #expect(Fields(rhs + lhs) == Fields(expected))
  }

  static let subtractionRows: [(CMTime, CMTime, CMTime)] = [
    (time(1, 2), time(1, 3), time(1, 6)),
    (time(1, 3), time(1, 2), time(-1, 6)),
    (time(0, 1), time(.min, 1), .positiveInfinity),
    (time(0, 2), time(.min, 2), time(two62, 1)),
    (time(.min, 1), time(1, 1), .negativeInfinity),
    (time(.min, 600), time(.min, 600), time(0, 600)),
  ]

  @Test(arguments: subtractionRows)
  func subtraction(lhs: CMTime, rhs: CMTime, expected: CMTime) {
    #expect(Fields(CMTimeSubtract(lhs, rhs)) == Fields(expected))
    #expect(Fields(lhs - rhs) == Fields(expected))
  }

  /// Values in the order of `allMethods`.
  static let roundedConversionRows: [(CMTime, Int32, [Int64])] = [
    (time(1, 2), 1, [1, 0, 1, 0, 1, 0]),
    (time(-1, 2), 1, [-1, 0, -1, -1, 0, -1]),
    (time(1, 3), 10, [3, 3, 4, 4, 4, 3]),
    (time(-1, 3), 10, [-3, -3, -4, -4, -3, -4]),
    (time(5, 3), 2, [3, 3, 4, 3, 4, 3]),
    (time(-1, 1000), 1, [0, 0, -1, -1, 0, -1]),
    (time(1000, 44_100), 600, [14, 13, 14, 13, 14, 13]),
  ]

  @Test(arguments: roundedConversionRows)
  func roundedConversion(source: CMTime, timescale: Int32, values: [Int64]) {
    for (method, value) in zip(allMethods, values) {
      let converted = CMTimeConvertScale(source, timescale: timescale, method: method)
      #expect(Fields(converted) == Fields(rounded(value, timescale)), "\(method)")
      #expect(Fields(source.convertScale(timescale, method: method)) == Fields(converted))
    }
  }

  @Test(arguments: allMethods)
  func exactConversion(method: CMTimeRoundingMethod) {
    let converted = CMTimeConvertScale(time(7, 600), timescale: 90_000, method: method)
    #expect(Fields(converted) == Fields(time(1050, 90_000)))
  }

  static let floatMultiplicationRows: [(CMTime, Double, CMTime)] = [
    (time(1, 2), 4.0, time(131_072, 65_536)),
    (time(600, 600), 0.5, time(38_400, 76_800)),
    (time(1, 90_000), 2.0, time(2, 90_000)),
    (time(-3, 1), 0.25, time(-49_152, 65_536)),
    // 0.1 is a little more than a tenth.
    (time(10, 1), 0.1, rounded(65_536, 65_536)),
    (time(1, 65_536), 0.5, rounded(1, 65_536)),
    (time(-1, 65_536), 0.5, rounded(-1, 65_536)),
    (time(1, 1), 0x1p46, time(two62, 65_536)),
    (time(1, 1), 0x1p47, time(two62, 32_768)),
    (time(1, 1), 0x1p62, time(two62, 1)),
    (time(1, 1), 0x1p63, .positiveInfinity),
    (time(-1, 1), 0x1p63, time(.min, 1)),
    (time(-1, 1), 0x1p64, .negativeInfinity),
    (time(.max, 1), 0x1p-62, rounded(131_072, 65_536)),
    (time(1, 1), .leastNonzeroMagnitude, rounded(0, 65_536)),
    (time(.max, .max), .leastNonzeroMagnitude, rounded(0, .max)),
    (time(.min, .max), .leastNormalMagnitude.nextDown, rounded(0, .max)),
    (time(1, 1), .greatestFiniteMagnitude, .positiveInfinity),
    (time(0, 600), -5, time(0, 76_800)),
  ]

  @Test(arguments: floatMultiplicationRows)
  func floatMultiplication(source: CMTime, multiplier: Double, expected: CMTime) {
    #expect(Fields(CMTimeMultiplyByFloat64(source, multiplier: multiplier)) == Fields(expected))
  }

  static let multiplicationRows: [(CMTime, Int32, CMTime)] = [
    (time(1, 600), 7, time(7, 600)),
    (time(7, 600), -1, time(-7, 600)),
    (time(two62, 4), 4, time(two62, 1)),
    (time(.max, 1), 2, .positiveInfinity),
    (time(.max, 1), -2, .negativeInfinity),
    (time(.min, 2), -1, time(two62, 1)),
    (time(.min, 3), -1, rounded(3_074_457_345_618_258_603, 1)),
    (time(.min, 1), .min, .positiveInfinity),
    (time(.max, .max), .min, .negativeInfinity),
  ]

  @Test(arguments: multiplicationRows)
  func multiplication(source: CMTime, multiplier: Int32, expected: CMTime) {
    #expect(Fields(CMTimeMultiply(source, multiplier: multiplier)) == Fields(expected))
  }

  static let ratioMultiplicationRows: [(CMTime, Int32, Int32, CMTime)] = [
    (time(1000, 1), 20, 10, time(2000, 1)),
    (time(1, 600), 1, 3, time(1, 1800)),
    (time(3, 600), 1, 3, time(1, 600)),
    (time(1, 1), 1, -4, time(-1, 4)),
    (time(-6, 1), -1, 4, time(3, 2)),
    (time(1, 2), .min, .min, time(1, 2)),
    (time(.min, 1), 1, -1, .positiveInfinity),
    (time(.max, 1), 1, 1, time(.max, 1)),
    (time(.max, 1), 1, 2, time(.max, 2)),
    (time(.max, 3), 2, 1, rounded(6_148_914_691_236_517_205, 1)),
    (time(4, 2_147_483_646), 1, 2, time(2, 2_147_483_646)),
    // The exact timescale, 2³¹ and (2³¹ − 1)², is past the greatest: the nearest fraction that exists.
    (time(3, 1_073_741_824), 1, 6, rounded(1, .max)),
    (time(1, .max), 1, .max, rounded(0, 1)),
    // ±(2⁶³ ∓ 1/2): the half goes away from zero, past the range if positive, to its very end if negative.
    (time(6_148_914_691_236_517_205, 1), 3, 2, .positiveInfinity),
    (time(6_148_914_691_236_517_205, 1), -3, 2, rounded(.min, 1)),
    (time(67_280_421_310_721, 1), -274_177, 2, .negativeInfinity),
  ]

  @Test(arguments: ratioMultiplicationRows)
  func ratioMultiplication(source: CMTime, multiplier: Int32, divisor: Int32, expected: CMTime) {
    #expect(
      Fields(CMTimeMultiplyByRatio(source, multiplier: multiplier, divisor: divisor)) == Fields(expected))
  }
}
