import AudioCore
import Testing

/// What levels make of samples, as mpd computes it.
@Suite struct ReplayGainTests {
  typealias Level = ReplayGain.Level

  @Test(
    arguments: [
      // Six decibels are about a half.
      (Level(gain: -6), 0.501187), (Level(gain: 0), 1), (Level(gain: 6), 1.995262),
      (Level(gain: -20, peak: 1), 0.1),
      // No more than the peak allows, and no louder than 15 times.
      (Level(gain: 6, peak: 0.8), 1.25), (Level(gain: 6, peak: 0.4), 1.995262),
      (Level(gain: 0, peak: 1.25), 0.8),
      (Level(gain: 60), 15), (Level(gain: 60, peak: 0.01), 15), (Level(gain: 60, peak: 0.1), 10),
    ] as [(Level, Float)])
  func factorOfALevel(_ level: Level, _ expected: Float) {
    for gain in [ReplayGain(track: level), ReplayGain(album: level)] {
      for kind in [ReplayGain.Kind.track, .album] { #expect(abs(gain.factor(kind) - expected) < 1e-6) }
    }
  }

  @Test func eachKindHasItsLevel() {
    let gain = ReplayGain(track: Level(gain: -20), album: Level(gain: 20, peak: 0.5))
    #expect(gain.factor(.track) == 0.1 && gain.factor(.album) == 2)
  }

  @Test func withoutALevelNothingChanges() {
    #expect(ReplayGain().factor(.track) == 1 && ReplayGain().factor(.album) == 1)
  }
}
