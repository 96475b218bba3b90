import MediaTime
import TestSupport
import Testing

@Suite struct DictionaryTests {
  @Test func keys() throws {
    let dictionary = try #require(CMTimeCopyAsDictionary(rounded(7, 600, epoch: 9), allocator: nil))
    #expect(Set(dictionary.keys) == ["value", "timescale", "epoch", "flags"])
    #expect(dictionary[kCMTimeValueKey] as? Int64 == 7)
    #expect(dictionary[kCMTimeScaleKey] as? Int32 == 600)
    #expect(dictionary[kCMTimeEpochKey] as? Int64 == 9)
    #expect(dictionary[kCMTimeFlagsKey] as? UInt32 == 3)
  }

  @Test func roundTripOfAnyBits() throws {
    var generator = RandomSource(seed: 11)
    for _ in 0..<1000 {
      let time = generator.anyTime()
      let dictionary = try #require(CMTimeCopyAsDictionary(time, allocator: nil))
      #expect(Fields(CMTimeMakeFromDictionary(dictionary)) == Fields(time))
    }
  }

  @Test(arguments: ["value", "timescale", "epoch", "flags"])
  func missingOrUnfitValueGivesInvalid(key: String) throws {
    let whole = try #require(CMTimeCopyAsDictionary(time(1, 2), allocator: nil))
    var dictionary = whole
    dictionary[key] = nil
    #expect(Fields(CMTimeMakeFromDictionary(dictionary)) == Fields(.invalid))
    dictionary[key] = "1"
    #expect(Fields(CMTimeMakeFromDictionary(dictionary)) == Fields(.invalid))
    dictionary[key] = UInt64.max
    #expect(Fields(CMTimeMakeFromDictionary(dictionary)) == Fields(.invalid))
    // Any integer type that fits will do.
    dictionary[key] = Int16(1)
    #expect(CMTimeMakeFromDictionary(dictionary).isValid)
  }

  @Test func noDictionaryGivesInvalid() {
    #expect(Fields(CMTimeMakeFromDictionary(nil)) == Fields(.invalid))
  }

  @Test func rangeRoundTrip() throws {
    let range = CMTimeRange(start: rounded(1, 3, epoch: 4), duration: time(5, 7))
    let dictionary = try #require(CMTimeRangeCopyAsDictionary(range, allocator: nil))
    #expect(Set(dictionary.keys) == ["start", "duration"])
    let restored = CMTimeRangeMakeFromDictionary(dictionary)
    #expect(Fields(restored.start) == Fields(range.start))
    #expect(Fields(restored.duration) == Fields(range.duration))
    for key in [kCMTimeRangeStartKey, kCMTimeRangeDurationKey] {
      var incomplete = dictionary
      incomplete[key] = nil
      #expect(CMTimeRangeMakeFromDictionary(incomplete) == .invalid)
    }
  }
}
