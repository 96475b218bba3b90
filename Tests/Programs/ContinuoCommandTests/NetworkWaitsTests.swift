import ControlProtocol
import Jukebox
import Testing

@testable import ContinuoCommand

/// What a person is told of waits for the network.
@Suite struct NetworkWaitsTests {
  private let first = SongID(rawValue: 1)
  private let second = SongID(rawValue: 2)

  private func retry(_ error: String) -> NetworkReport {
    var report = NetworkReport(.retry)
    report.error = error
    return report
  }

  @Test func everyWaitIsToldOnceWithItsReason() {
    var waits = NetworkWaits()
    waits.current = first
    #expect(waits.take(.waitingToPlayAtSpecifiedRate) == nil)
    #expect(
      waits.take(retry("h refuses the connection"), of: first) == "h refuses the connection; waiting for it")
    #expect(waits.take(retry("h refuses the connection"), of: first) == nil)
    #expect(waits.take(.playing) == nil)
    // While there is sound nothing is said.
    #expect(waits.take(retry("the connection to h was lost"), of: first) == nil)
    #expect(waits.take(.waitingToPlayAtSpecifiedRate) == "the connection to h was lost; waiting for it")
    _ = waits.take(.playing)
    // Too slow, and no more.
    _ = waits.take(NetworkReport(.response), of: first)
    #expect(waits.take(.waitingToPlayAtSpecifiedRate) == nil)
    // The next song's answer is not this one's.
    _ = waits.take(retry("h is gone"), of: first)
    _ = waits.take(.playing)
    _ = waits.take(NetworkReport(.response), of: second)
    #expect(waits.take(.waitingToPlayAtSpecifiedRate) == "h is gone; waiting for it")
    // The next song is another matter, and this one's connections are not it.
    waits.current = second
    #expect(waits.take(retry("h does not accept the connection"), of: first) == nil)
    #expect(
      waits.take(retry("g does not accept the connection"), of: second)
        == "g does not accept the connection; waiting for it")
  }
}
