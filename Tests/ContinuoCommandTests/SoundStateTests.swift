import AudioCore
import Testing

@testable import ContinuoCommand

/// What clients are told of sound that is asked for and does not move.
@Suite struct SoundStateTests {
  private let clock = VirtualClock()

  /// Every start and every seek has a moment of too little to play.
  @Test func momentOfTooLittleIsNoObstacle() {
    let sound = SoundState(clock: clock)
    sound.setHungry(true)
    #expect(sound.obstacle == nil)
    clock.advance(bySeconds: 0.3)
    // Told again: it counts from the first time.
    sound.setHungry(true)
    clock.advance(bySeconds: 0.19)
    #expect(sound.obstacle == nil)
    clock.advance(bySeconds: 0.02)
    #expect(sound.obstacle == .starved)
    sound.setHungry(false)
    #expect(sound.obstacle == nil)
    sound.setHungry(true)
    clock.advance(bySeconds: 0.4)
    #expect(sound.obstacle == nil)
  }

  @Test func otherObstaclesCountAtOnceAndComeFirst() {
    let sound = SoundState(clock: clock)
    sound.setHungry(true)
    clock.advance(bySeconds: 1)
    sound.set(.application, true)
    #expect(sound.obstacle == .application)
    sound.set(.application, false)
    #expect(sound.obstacle == .starved)
    sound.setHungry(false)
    sound.setOutputProblem("no server")
    #expect(sound.obstacle == .output("no server"))
    #expect(sound.error == "no server")
  }
}
