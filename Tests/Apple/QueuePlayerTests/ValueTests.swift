import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import Testing

@Suite("NSValue and AVError")
struct ValueTests {
  @Test("An NSValue holds a time or a range, equal by content")
  func values() {
    let half = CMTime(value: 1, timescale: 2)
    let value = NSValue(time: half)
    #expect(value.timeValue == half)
    #expect(value == NSValue(time: CMTime(value: 2, timescale: 4)))
    #expect(value != NSValue(time: .zero))
    #expect(Set([value, NSValue(time: CMTime(value: 2, timescale: 4))]).count == 1)
    let range = CMTimeRange(start: .zero, duration: half)
    #expect(NSValue(timeRange: range).timeRangeValue == range)
    #expect(NSValue(timeRange: range) == NSValue(timeRange: range))
    #expect(NSValue(timeRange: range) != value)
    #expect(!NSValue(timeRange: range).timeValue.isValid)
    #expect((value.copy() as? NSValue)?.timeValue == half)
    for special in [CMTime.indefinite, .positiveInfinity, .invalid] {
      #expect(NSValue(time: special).timeValue == special)
    }
  }

  @Test("An AVError is matched by its code and bridges with Apple's domain and number")
  func errors() {
    let error: any Error = AVError(.decodeFailed, reason: "broken off")
    let bridged = error as NSError
    #expect(bridged.domain == "AVFoundationErrorDomain" && bridged.code == -11821)
    #expect(bridged.localizedFailureReason == "broken off")
    #expect(!bridged.localizedDescription.isEmpty)
    do {
      throw error
    } catch AVError.decodeFailed {
    } catch {
      Issue.record("not matched")
    }
    #expect(AVError.Code.unknown.rawValue == -11800)
    #expect(AVError.Code.fileFormatNotRecognized.rawValue == -11828)
    #expect(AVError.Code.failedToLoadMediaData.rawValue == -11849)
    #expect(NSEC_PER_SEC == 1_000_000_000 && NSEC_PER_MSEC == 1_000_000 && NSEC_PER_USEC == 1_000)
    #expect(USEC_PER_SEC == 1_000_000)
  }
}
