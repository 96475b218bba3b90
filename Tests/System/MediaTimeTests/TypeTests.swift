import MediaTime
import Testing

@Suite struct TypeTests {
  @Test func layoutIsThatOfTheCStruct() {
    #expect(MemoryLayout<CMTime>.size == 24)
    #expect(MemoryLayout<CMTime>.offset(of: \.value) == 0)
    #expect(MemoryLayout<CMTime>.offset(of: \.timescale) == 8)
    #expect(MemoryLayout<CMTime>.offset(of: \.flags) == 12)
    #expect(MemoryLayout<CMTime>.offset(of: \.epoch) == 16)
    #expect(MemoryLayout<CMTimeRange>.size == 48)
  }

  @Test func constants() {
    #expect(Fields(.zero) == Fields(CMTime(value: 0, timescale: 1, flags: [.valid], epoch: 0)))
    #expect(Fields(.invalid) == Fields(CMTime(value: 0, timescale: 0, flags: [], epoch: 0)))
    #expect(Fields(.indefinite).flags == 17)
    #expect(Fields(.positiveInfinity).flags == 5)
    #expect(Fields(.negativeInfinity).flags == 9)
    #expect(Fields(CMTime()) == Fields(.invalid))
    #expect(Fields(kCMTimeZero) == Fields(.zero))
    #expect(Fields(kCMTimeInvalid) == Fields(.invalid))
    #expect(Fields(kCMTimeIndefinite) == Fields(.indefinite))
    #expect(Fields(kCMTimePositiveInfinity) == Fields(.positiveInfinity))
    #expect(Fields(kCMTimeNegativeInfinity) == Fields(.negativeInfinity))
    #expect(kCMTimeMaxTimescale == 0x7fff_ffff)
    #expect(CMTimeFlags.impliedValueFlagsMask.rawValue == 28)
    #expect(CMTimeFlags.impliedValueFlagsMask == [.positiveInfinity, .negativeInfinity, .indefinite])
    #expect(CMTimeFlags.hasBeenRounded.rawValue == 2)
    #expect(allMethods.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
    #expect(CMTimeRoundingMethod.default == .roundHalfAwayFromZero)
    #expect(Fields(kCMTimeRangeZero.start) == Fields(.zero))
    #expect(Fields(kCMTimeRangeZero.duration) == Fields(.zero))
    #expect(Fields(kCMTimeRangeInvalid.start) == Fields(.invalid))
    #expect(Fields(kCMTimeRangeInvalid.duration) == Fields(.invalid))
  }

  @Test func creation() {
    #expect(Fields(CMTime(value: 7, timescale: 600)) == Fields(time(7, 600)))
    #expect(Fields(CMTimeMake(value: 7, timescale: 600)) == Fields(time(7, 600)))
    let later = CMTimeMakeWithEpoch(value: 7, timescale: 600, epoch: 2)
    #expect(Fields(later) == Fields(CMTime(value: 7, timescale: 600, flags: .valid, epoch: 2)))
  }

  /// valid, positive infinity, negative infinity, indefinite, numeric, rounded
  static let flagTestsRows: [(UInt32, [Bool])] = [
    (0, [false, false, false, false, false, false]),
    (1, [true, false, false, false, true, false]),
    (2, [false, false, false, false, false, false]),
    (3, [true, false, false, false, true, true]),
    (4, [false, false, false, false, false, false]),
    (5, [true, true, false, false, false, false]),
    (7, [true, true, false, false, false, false]),
    (9, [true, false, true, false, false, false]),
    (16, [false, false, false, false, false, false]),
    (17, [true, false, false, true, false, false]),
    (0xffff_ffff, [true, true, true, true, false, false]),
    (0xffff_ffe1, [true, false, false, false, true, false]),
  ]

  @Test(arguments: flagTestsRows)
  func flagTests(flags: UInt32, expected: [Bool]) {
    let time = CMTime(value: 1, timescale: 2, flags: CMTimeFlags(rawValue: flags), epoch: 0)
    #expect(
      [
        time.isValid, time.isPositiveInfinity, time.isNegativeInfinity, time.isIndefinite, time.isNumeric,
        time.hasBeenRounded,
      ] == expected)
    #expect(
      [
        CMTIME_IS_VALID(time), CMTIME_IS_POSITIVEINFINITY(time), CMTIME_IS_NEGATIVEINFINITY(time),
        CMTIME_IS_INDEFINITE(time), CMTIME_IS_NUMERIC(time), CMTIME_HAS_BEEN_ROUNDED(time),
      ] == expected)
    #expect(CMTIME_IS_INVALID(time) == !expected[0])
  }

  @Test(arguments: [Int32(0), -1, .min])
  func numberWithoutPositiveTimescaleIsReadAsInvalid(timescale: Int32) {
    let malformed = time(1, timescale)
    #expect(malformed.isValid && malformed.isNumeric)
    #expect(malformed == .invalid)
    #expect(malformed.seconds.isNaN)
    #expect(Fields(malformed + .zero) == Fields(.invalid))
    #expect(Fields(.positiveInfinity - malformed) == Fields(.invalid))
    #expect(Fields(CMTimeMultiply(malformed, multiplier: 2)) == Fields(.invalid))
    #expect(Fields(malformed.convertScale(600, method: .default)) == Fields(.invalid))
    #expect(malformed.description == "{INVALID}")
  }

  @Test func ofSeveralImpliedValueFlagsOneCounts() {
    let all = CMTime(value: 1, timescale: 1, flags: [.valid, .impliedValueFlagsMask], epoch: 4)
    #expect(all == .positiveInfinity)
    let two = CMTime(value: 1, timescale: 1, flags: [.valid, .negativeInfinity, .indefinite], epoch: 4)
    #expect(two == .negativeInfinity)
  }

  static let descriptionRows: [(CMTime, String)] = [
    (time(1, 2), "{1/2 = 0.500}"),
    (.zero, "{0/1 = 0.000}"),
    (time(775, 600), "{775/600 = 1.292}"),
    (time(-1, 3), "{-1/3 = -0.333}"),
    (time(-1, 16), "{-1/16 = -0.063}"),
    (time(1, 2000), "{1/2000 = 0.001}"),
    (time(5_999, 6), "{5999/6 = 999.833}"),
    (rounded(27, 240), "{27/240 = 0.113, rounded}"),
    (time(1, 2, epoch: -3), "{1/2 = 0.500, epoch -3}"),
    (rounded(1, 2, epoch: 3), "{1/2 = 0.500, rounded, epoch 3}"),
    (time(.min, 1), "{-9223372036854775808/1 = -9223372036854775808.000}"),
    (.invalid, "{INVALID}"),
    (.indefinite, "{INDEFINITE}"),
    (.positiveInfinity, "{+INFINITY}"),
    (.negativeInfinity, "{-INFINITY}"),
  ]

  @Test(arguments: descriptionRows)
  func description(time: CMTime, expected: String) {
    #expect(time.description == expected)
    #expect(CMTimeCopyDescription(allocator: nil, time: time) == expected)
    #expect("\(time)" == expected)
  }

  @Test func otherDescriptions() {
    #expect(
      CMTime(value: 1, timescale: 0, flags: .valid, epoch: 2).debugDescription
        == "CMTime(value: 1, timescale: 0, flags: 1, epoch: 2)")
    let range = CMTimeRange(start: .zero, duration: time(300, 600))
    #expect(range.description == "{{0/1 = 0.000}, {300/600 = 0.500}}")
    #expect(CMTimeRangeCopyDescription(allocator: nil, range: range) == range.description)
    #expect(CMTimeRange.invalid.description == "{{INVALID}, {INVALID}}")
    #expect(range.debugDescription.hasPrefix("CMTimeRange(start: CMTime(value: 0,"))
  }
}
