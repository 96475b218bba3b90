import AudioCore
import Clocks
import Testing

@testable import PulseOutput

@Suite("What is heard, by the server's reports")
struct HeardClockTests {
  private static func at(_ seconds: Double) -> HostTime {
    HostTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  /// A rest below the server's start threshold sounds between two reports: none says that anything moved.
  @Test("A rest that no report saw moving is heard when the server has drained it")
  func shortRest() {
    var clock = HeardClock(sampleRate: 8000)
    clock.release()
    clock.rendered(232, now: Self.at(0))
    clock.awaitEnd()
    let report = TimingReport(hostTime: Self.at(0.005), readPosition: 0, sinkDelay: 0, isPlaying: false)
    #expect(clock.take(report, now: Self.at(0.005)).changed == false)
    #expect(clock.timing(at: Self.at(0.05)).heardFrame(at: Self.at(0.05)) == 0)
    clock.reachEnd()
    #expect(clock.timing(at: Self.at(0.05)).heardFrame(at: Self.at(0.05)) == 232)
    // What follows is heard behind it, from the report on that says so.
    clock.rendered(800, now: Self.at(0.1))
    #expect(clock.timing(at: Self.at(0.1)).heardFrame(at: Self.at(0.1)) == 232)
  }

  @Test("Nothing is heard while the stream is stopped, whatever was asked before")
  func stopped() {
    var clock = HeardClock(sampleRate: 8000)
    clock.release()
    clock.rendered(232, now: Self.at(0))
    clock.awaitEnd()
    clock.hold(at: Self.at(0.01))
    clock.reachEnd()
    #expect(clock.timing(at: Self.at(1)).heardFrame(at: Self.at(1)) == 0)
  }
}
