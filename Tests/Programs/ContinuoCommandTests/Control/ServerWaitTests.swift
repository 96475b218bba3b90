import Clocks
import Testing

@testable import ContinuoCommand

/// When `play` gives up a sound server that was named.
@Suite struct ServerWaitTests {
  private func at(_ seconds: Double) -> HostTime { HostTime(nanoseconds: 0).advanced(bySeconds: seconds) }

  @Test func serverThatWasNeverNeededIsAsked() {
    var wait = ServerWait(from: at(0))
    #expect(wait.step(at: at(1)) == .wait(until: at(10)))
    #expect(wait.step(at: at(10)) == .ask)
    wait.answered()
    #expect(wait.step(at: at(10)) == nil && wait.step(at: at(1000)) == nil)
  }

  @Test func outputThatFailsFromTheStartIsGivenUp() {
    var wait = ServerWait(from: at(0))
    // The wait has begun already.
    let begins = [wait.failed(at: at(0.1)), wait.failed(at: at(9))]
    #expect(begins == [false, false])
    #expect(wait.step(at: at(9.9)) == .wait(until: at(10)))
    #expect(wait.step(at: at(10)) == .giveUp)
  }

  @Test func outputThatFailsLaterHasItsOwnTime() {
    var wait = ServerWait(from: at(0))
    wait.answered()
    let begins = [wait.failed(at: at(60)), wait.failed(at: at(61))]
    #expect(begins == [true, false])
    #expect(wait.step(at: at(61)) == .wait(until: at(70)))
    #expect(wait.step(at: at(70)) == .giveUp)
  }

  @Test func outputThatWasOpenIsWaitedForAsLongAsItTakes() {
    var wait = ServerWait(from: at(0))
    var begins = [wait.failed(at: at(1))]
    wait.opened()
    #expect(wait.step(at: at(10)) == nil)
    begins.append(wait.failed(at: at(60)))
    #expect(begins == [false, false])
    #expect(wait.step(at: at(1000)) == nil)
  }
}
