import Glibc

/// The loudness levels stored in a medium's tags. They determine the gain that makes media equally loud.
package struct ReplayGain: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The level of the track alone, so that all tracks play equally loud.
    case track
    /// The level of the album, so that quiet tracks of an album stay quiet.
    case album
  }

  package struct Level: Hashable, Sendable {
    /// The valid gains, in decibels: the range of the gain field in LAME's Info frame.
    package static let gains = -51.1...51.1
    /// The valid peaks. Decoded MP3 exceeds full scale by some decibels, but never by 24 dB (a factor of 16).
    package static let peaks = Double.leastNonzeroMagnitude...16

    /// The change in loudness, in decibels. Ignored outside `gains`.
    package var gain: Double
    /// The peak amplitude, where 1 is full scale; nil if unknown. Ignored outside `peaks`.
    package var peak: Double?

    package init(gain: Double, peak: Double? = nil) {
      self.gain = gain
      self.peak = peak
    }
  }

  package var track: Level?
  package var album: Level?
  /// The values of tags that are ignored because they are out of range, as texts such as
  /// `REPLAYGAIN_TRACK_GAIN 60`.
  package var ignored: [String] = []

  package init(track: Level? = nil, album: Level? = nil) {
    self.track = track
    self.album = album
  }

  /// Returns the factor for the samples: above 0, at most 15, as in mpd. The factor does not exceed the
  /// reciprocal of the peak, so that nothing clips. An unknown peak counts as 1, so that the gain can only
  /// attenuate. If the requested level is missing or out of range, the other one is used. Without a usable
  /// level, the factor is 1.
  package func factor(_ kind: Kind) -> Float {
    let (track, album) = (usable(track), usable(album))
    guard let level = kind == .album ? album ?? track : track ?? album else { return 1 }
    let peak = level.peak.flatMap { Level.peaks.contains($0) ? $0 : nil } ?? 1
    return Float(min(pow(10, level.gain / 20), 15, 1 / peak))
  }

  private func usable(_ level: Level?) -> Level? {
    level.flatMap { Level.gains.contains($0.gain) ? $0 : nil }
  }
}
