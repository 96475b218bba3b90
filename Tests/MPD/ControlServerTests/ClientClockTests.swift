import NIOCore
import TestSupport
import Testing

@testable import ControlServer

@Suite
struct ClientClockTests {
  private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
  private func at(_ seconds: Double) -> NIODeadline { start + TimeAmount(seconds: seconds) }
  private func clock() -> ClientClock { ClientClock(limits: ServerLimits(), now: start) }

  @Test("A client has sixty seconds for a line")
  func silence() {
    var clock = clock()
    let expected = ClientClock.Situation(mayTimeOut: true)
    #expect(clock.next(expected, at: start) == at(60))
    #expect(clock.due(expected, at: at(59)) == .nothing)
    clock.lineTaken(at: at(59))
    #expect(clock.due(expected, at: at(118)) == .nothing)
    #expect(clock.due(expected, at: at(119)) == .end)
    #expect(clock.due(ClientClock.Situation(), at: at(1000)) == .nothing)
    #expect(clock.next(ClientClock.Situation(), at: at(1000)) == .distantFuture)
    #expect(clock.due(ClientClock.Situation(isPerforming: true), at: at(1000)) == .nothing)
  }

  @Test("A client has sixty seconds to read something, from when it first left something unread")
  func stall() {
    var clock = clock()
    var situation = ClientClock.Situation(mayTimeOut: true, pending: 10, sent: 10)
    clock.flushed(situation, at: at(50))
    clock.flushed(situation, at: at(70))
    #expect(clock.next(situation, at: at(70)) == at(110))
    situation.pending = 9
    #expect(clock.due(situation, at: at(109)) == .nothing)
    #expect(clock.next(situation, at: at(109)) == at(169))
    #expect(clock.due(situation, at: at(168)) == .nothing)
    #expect(clock.due(situation, at: at(169)) == .end)
    situation.isWatching = true
    #expect(clock.due(situation, at: at(300)) == .heartbeat)
  }

  @Test("A watcher gets a heartbeat ten seconds after its last record, of which the clock may hear late")
  func heartbeat() {
    var clock = clock()
    let watching = ClientClock.Situation(isWatching: true)
    clock.recordSent(at: at(5))
    clock.recordSent(at: at(3))
    #expect(clock.due(watching, at: at(14)) == .nothing)
    #expect(clock.next(watching, at: at(14)) == at(15))
    #expect(clock.due(watching, at: at(15)) == .heartbeat)
  }

  @Test("A client that may stay is looked at again later, never at once", arguments: [UInt64](1...20))
  func progress(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var clock = clock()
    var situation = ClientClock.Situation()
    var now = start
    for _ in 0..<10_000 {
      now = now + TimeAmount(seconds: Double.random(in: 0...30, using: &random))
      switch Int.random(in: 0..<8, using: &random) {
      case 0: situation.isWatching.toggle()
      case 1: situation.mayTimeOut.toggle()
      case 2: situation.isPerforming.toggle()
      case 3: situation.pending = Int.random(in: 0...situation.pending, using: &random)
      case 4:
        situation.pending += 5
        situation.sent += 5
        clock.flushed(situation, at: now)
      case 5: clock.lineTaken(at: now)
      case 6: clock.recordSent(at: now)
      default: break
      }
      if clock.due(situation, at: now) == .end { clock = ClientClock(limits: ServerLimits(), now: now) }
      #expect(clock.next(situation, at: now) > now, "seed \(seed)")
    }
  }
}
