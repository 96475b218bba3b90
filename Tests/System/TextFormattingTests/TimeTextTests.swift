import Testing
import TextFormatting

@Suite struct TimeTextTests {
  @Test(arguments: [
    ("0", 0), ("12", 12_000), ("12.34", 12_340), ("007", 7000), ("1:02", 62_000), ("61:00", 3_660_000),
    ("1:02:03.5", 3_723_500), ("0.001", 1), ("999999999", 999_999_999_000), ("0:59.999", 59_999),
  ])
  func readsTimes(text: String, milliseconds: Int64) {
    #expect(TimeText.parse(text) == .milliseconds(milliseconds))
  }

  @Test func timesAreExact() {
    #expect(TimeText.parse("1.000000001") == .seconds(1) + .nanoseconds(1))
    #expect(TimeText.parse("6.5")?.inSeconds == 6.5)
    #expect(TimeText.parse("0.01")?.inSeconds == 0.01)
  }

  @Test(arguments: [
    "", ".", "5.", ".5", "1:", ":1", "1:60", "1:2:60", "60:61:00", "1:2:3:4", "1.2.3", "1.5:00", "1e3",
    "0x10", "-1",
    "+1", " 1", "1 ", "nan", "inf", "1234567890", "0.1234567890", "١٢", "1,5",
  ])
  func refusesOtherTimes(text: String) {
    #expect(TimeText.parse(text) == nil)
  }
}
