import AudioCore
import Testing

/// The factor that a level gives the samples.
@Suite struct ReplayGainTests {
  typealias Level = ReplayGain.Level

  @Test(
    arguments: [
      // Six decibels are about a half.
      (Level(gain: -6), 0.501187), (Level(gain: 0), 1), (Level(gain: 6, peak: 0.1), 1.995262),
      (Level(gain: -20, peak: 1), 0.1),
      // No more than the peak allows, and no louder than 15 times.
      (Level(gain: 6, peak: 0.8), 1.25), (Level(gain: 6, peak: 0.4), 1.995262),
      (Level(gain: 0, peak: 1.25), 0.8),
      (Level(gain: 50, peak: 0.01), 15), (Level(gain: 50, peak: 0.1), 10),
      // Without a peak, samples of full scale are expected.
      (Level(gain: 6), 1), (Level(gain: 51), 1), (Level(gain: -51), 0.0028184),
      // What no measurement yields is no level.
      (Level(gain: 60, peak: 0.01), 1), (Level(gain: -60), 1), (Level(gain: -99_999_999), 1),
      (Level(gain: .infinity, peak: 0.01), 1), (Level(gain: -.infinity), 1), (Level(gain: .nan), 1),
      // And such a peak is none.
      (Level(gain: 6, peak: .nan), 1), (Level(gain: 6, peak: -1), 1), (Level(gain: 6, peak: 0), 1),
      (Level(gain: -6, peak: 1e9), 0.501187), (Level(gain: -6, peak: .infinity), 0.501187),
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

  @Test func theOtherLevelCountsWhereTheWantedOneIsAbsurd() {
    let gain = ReplayGain(track: Level(gain: -20), album: Level(gain: -99_999_999))
    #expect(gain.factor(.album) == 0.1 && gain.factor(.track) == 0.1)
  }

  @Test func whatAPeakAllowsIsNeverExceeded() {
    for gain in stride(from: -100.0, through: 100, by: 0.37) {
      for peak in [nil, 1e-6, 0.01, 0.3, 1, 1.5, 15.9, 16.1, 1e300] as [Double?] {
        let factor = ReplayGain(track: Level(gain: gain, peak: peak)).factor(.track)
        #expect(factor.isFinite && factor > 0, "\(gain) \(peak as Any)")
        if let peak, peak <= 16 {
          #expect(Double(factor) <= max(1, 1 / peak) * (1 + 1e-6), "\(gain) \(peak)")
        } else {
          #expect(factor <= 1, "\(gain) \(peak as Any)")
        }
      }
    }
  }

  @Test func withoutALevelNothingChanges() {
    #expect(ReplayGain().factor(.track) == 1 && ReplayGain().factor(.album) == 1)
  }
}
