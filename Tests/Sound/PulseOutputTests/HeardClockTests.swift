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

  /// A stream that moves to another sink is played by another crystal.
  @Test("The drift of one sink is not that of the next")
  func driftOfAnotherSink() {
    var clock = HeardClock(sampleRate: 48_000)
    clock.release()
    clock.rendered(48_000 * 200, now: Self.at(0))
    func report(_ seconds: Double, drift: Double) {
      let moment = Self.at(seconds)
      let position = seconds * 48_000 * (1 + drift)
      _ = clock.take(
        TimingReport(hostTime: moment, readPosition: position, sinkDelay: 0, isPlaying: true), now: moment)
    }
    for second in 1...60 { report(Double(second), drift: 0.0005) }
    #expect(abs(clock.timing(at: Self.at(60)).frameRate - 48_024) < 3)
    clock.distrust()
    for second in [61.0, 61.01] { report(second, drift: 0.0005) }
    #expect(abs(clock.timing(at: Self.at(61.01)).frameRate - 48_000) < 3)
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
