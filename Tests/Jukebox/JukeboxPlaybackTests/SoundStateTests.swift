import Clocks
import Synchronization
import Testing

@testable import JukeboxPlayback

/// What clients are told of sound that is asked for and does not move.
@Suite struct SoundStateTests {
  private let clock = VirtualClock()

  /// Every start and every seek has a moment of too little to play.
  @Test func momentOfTooLittleIsNoObstacle() {
    let sound = SoundState(clock: clock)
    sound.setHungry(true)
    #expect(sound.hindrance.obstacle == nil)
    clock.advance(bySeconds: 0.3)
    // Told again: it counts from the first time.
    sound.setHungry(true)
    clock.advance(bySeconds: 0.19)
    #expect(sound.hindrance.obstacle == nil)
    clock.advance(bySeconds: 0.02)
    #expect(sound.hindrance.obstacle == .starved(host: nil))
    sound.setHungry(false)
    #expect(sound.hindrance.obstacle == nil)
    sound.setHungry(true)
    clock.advance(bySeconds: 0.4)
    #expect(sound.hindrance.obstacle == nil)
  }

  /// A client is told when it begins and when it ends, without asking.
  @Test func whoIsWaitedForIsToldAfterAQuarterOfASecond() {
    let sound = SoundState(clock: clock)
    let calls = Mutex(0)
    sound.onWaiting { calls.withLock { $0 += 1 } }
    sound.setHungry(true, host: "radio.example")
    clock.advance(bySeconds: 0.24)
    #expect(sound.hindrance.obstacle == nil && calls.withLock { $0 } == 0)
    sound.setHungry(true, host: "radio.example")
    clock.advance(bySeconds: 0.02)
    #expect(sound.hindrance.obstacle == .starved(host: "radio.example"))
    #expect(sound.hindrance.error == "waiting for radio.example" && calls.withLock { $0 } == 1)
    sound.setHungry(false)
    #expect(sound.hindrance.obstacle == nil && sound.hindrance.error == nil && calls.withLock { $0 } == 2)
    sound.setHungry(true, host: "radio.example")
    sound.setHungry(false)
    clock.advance(bySeconds: 1)
    #expect(calls.withLock { $0 } == 2)
  }

  /// A player tells of a stall when sound has stood for a quarter of a second: it is not waited for once more.
  @Test func whoIsWaitedForAfterAStallIsToldAtOnce() {
    let sound = SoundState(clock: clock)
    let calls = Mutex(0)
    sound.onWaiting { calls.withLock { $0 += 1 } }
    sound.setSounding(true)
    sound.setHungry(true, host: "radio.example", hasStalled: true)
    sound.setSounding(false)
    #expect(sound.hindrance.error == "waiting for radio.example")
    clock.advance(bySeconds: 1)
    #expect(calls.withLock { $0 } == 1)
    sound.setHungry(false)
    // One that starts has not stalled, although it says so after a while.
    sound.setHungry(true, host: "radio.example", hasStalled: true)
    #expect(sound.hindrance.error == nil)
  }

  @Test func otherObstaclesCountAtOnceAndComeFirst() {
    let sound = SoundState(clock: clock)
    sound.setHungry(true)
    clock.advance(bySeconds: 1)
    sound.set(.application, true)
    #expect(sound.hindrance.obstacle == .application)
    sound.set(.application, false)
    #expect(sound.hindrance.obstacle == .starved(host: nil))
    sound.setHungry(false)
    sound.setOutputProblem("no server")
    #expect(sound.hindrance.obstacle == .output("no server"))
    #expect(sound.hindrance.error == "no server")
  }
}
