import HostTime
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
    #expect(sound.hindrance.obstacle == .starved)
    sound.setHungry(false)
    #expect(sound.hindrance.obstacle == nil)
    sound.setHungry(true)
    clock.advance(bySeconds: 0.4)
    #expect(sound.hindrance.obstacle == nil)
  }

  @Test func otherObstaclesCountAtOnceAndComeFirst() {
    let sound = SoundState(clock: clock)
    sound.setHungry(true)
    clock.advance(bySeconds: 1)
    sound.set(.application, true)
    #expect(sound.hindrance.obstacle == .application)
    sound.set(.application, false)
    #expect(sound.hindrance.obstacle == .starved)
    sound.setHungry(false)
    sound.setOutputProblem("no server")
    #expect(sound.hindrance.obstacle == .output("no server"))
    #expect(sound.hindrance.error == "no server")
  }
}
