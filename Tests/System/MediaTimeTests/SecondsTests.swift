import MediaTime
import TestSupport
import Testing

@Suite struct SecondsTests {
  static let fromSecondsRows: [(Double, Int32, CMTime)] = [
    (1e12, 1_000_000_000, time(7_812_500_000_000_000_000, 7_812_500)),
    (20, 1, time(20, 1)),
    // The product is formed in Double: 0.7 is less than seven tenths, and yet this is 420.
    (0.7, 600, time(420, 600)),
    (7.0 / 60, 240, time(28, 240)),
    (-0.5, 600, time(-300, 600)),
    (-0.0, 600, time(0, 600)),
    // Truncation toward zero. Seven sixtieths summed up are less than 7/60; the others are warnings that
    // Apple's own log gives.
    ((0..<7).reduce(0.0) { sum, _ in sum + 1.0 / 60 }, 240, rounded(27, 240)),
    (2.368, 24, rounded(56, 24)),
    (1.1, 1, rounded(1, 1)),
    (-1.9, 1, rounded(-1, 1)),
    (.leastNonzeroMagnitude, .max, rounded(0, .max)),
    // Overflow: 2⁶² fits at timescale 1, 2⁶³ only if negative.
    (0x1p62, .max, time(two62, 1)),
    (0x1p62, 600, time(two62, 1)),
    (-0x1p63, 600, time(.min, 1)),
    (0x1p63, 600, .positiveInfinity),
    (-0x1.1p63, 600, .negativeInfinity),
    (.infinity, 600, .positiveInfinity),
    (-.infinity, 600, .negativeInfinity),
    (.nan, 600, .invalid),
    (1, 0, .invalid),
    (1, -600, .invalid),
    (.infinity, 0, .invalid),
  ]

  @Test(arguments: fromSecondsRows)
  func fromSeconds(seconds: Double, timescale: Int32, expected: CMTime) {
    let made = CMTimeMakeWithSeconds(seconds, preferredTimescale: timescale)
    #expect(Fields(made) == Fields(expected))
    #expect(Fields(CMTime(seconds: seconds, preferredTimescale: timescale)) == Fields(expected))
  }

  static let toSecondsRows: [(CMTime, Double)] = [
    (time(1, 2), 0.5), (time(-7, 4, epoch: 5), -1.75), (.zero, 0), (.positiveInfinity, .infinity),
    (.negativeInfinity, -.infinity), (time(.min, 1), -0x1p63),
  ]

  @Test(arguments: toSecondsRows)
  func toSeconds(time: CMTime, seconds: Double) {
    #expect(time.seconds == seconds)
    #expect(CMTimeGetSeconds(time) == seconds)
  }

  @Test(arguments: [CMTime.invalid, .indefinite, time(1, 0)])
  func noNumberIsNaN(time: CMTime) {
    #expect(time.seconds.isNaN)
  }

  /// The flag says exactly whether the way back is exact.
  @Test func roundedFlagTellsWhetherTheWayBackIsExact() {
    var generator = RandomSource(seed: 21)
    for _ in 0..<5000 {
      let seconds = Double(generator.value()) / Double(generator.positiveTimescale())
      let made = CMTime(seconds: seconds, preferredTimescale: generator.positiveTimescale())
      guard made.isNumeric else {
        #expect(abs(seconds) >= 0x1p63)
        continue
      }
      #expect(made.hasBeenRounded == (made.seconds != seconds))
      #expect(abs(made.seconds) <= abs(seconds) || abs(made.seconds - seconds) <= abs(seconds).ulp)
    }
  }

  /// A time that was made from a whole count of samples survives the way through Double for as long as a file
  /// lasts.
  @Test(arguments: [Int32(600), 8000, 22_050, 44_100, 48_000])
  func samplePositionsSurviveSeconds(rate: Int32) {
    var generator = RandomSource(seed: 22)
    for _ in 0..<1000 {
      let position = time(Int64.random(in: 0...(1 << 40), using: &generator), rate)
      let back = CMTime(seconds: position.seconds, preferredTimescale: rate)
      // Truncation may lose one sample, which the flag then tells.
      #expect(back == position || (back.hasBeenRounded && back.value == position.value - 1))
    }
  }
}
