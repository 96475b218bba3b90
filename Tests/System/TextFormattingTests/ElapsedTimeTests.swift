import Testing
import TextFormatting

@Suite struct ElapsedTimeTests {
  @Test(
    arguments: [
      (0, 100, "0.00"), (5, 100, "0.05"), (1234, 100, "12.34"), (6234, 100, "1:02.34"),
      (366_234, 100, "1:01:02.34"),
      (59_999, 1000, "59.99"), (3_599_999, 1000, "59:59.99"), (44_099, 44_100, "0.99"),
      (-1234, 100, "-12.34"),
      (1, 0, "--"), (1, -1, "--"), (36_000_000, 100, "100:00:00.00"), (.max, 1, "2562047788015215:30:07.00"),
      (.max, .max, "1193046:28:18.00"), (.min, 1, "-2562047788015215:30:08.00"),
    ] as [(Int64, Int32, String)])
  func formats(value: Int64, timescale: Int32, text: String) {
    #expect(ElapsedTime.text(value: value, timescale: timescale) == text)
  }
}
