import Glibc

/// How loud a medium is, as who made or measured it noted: what to change so that it sounds as loud as others.
package struct ReplayGain: Hashable, Sendable {
  /// Which of its two figures counts.
  package enum Kind: Hashable, Sendable {
    /// That of the medium alone: all songs equally loud.
    case track
    /// That of its album: quiet songs of an album stay quiet.
    case album
  }

  /// A measured level.
  package struct Level: Hashable, Sendable {
    /// The gains that count, in decibels: those that the field in LAME's frame can hold.
    package static let gains = -51.1...51.1
    /// The peaks that count: decoded MP3 exceeds full scale by some decibels, never by 24.
    package static let peaks = Double.leastNonzeroMagnitude...16

    /// The change in loudness, in decibels. Ignored outside `gains`.
    package var gain: Double
    /// The greatest amplitude, where 1 is full scale; nil if it is not known. Ignored outside `peaks`.
    package var peak: Double?

    /// A level with this gain and peak.
    package init(gain: Double, peak: Double? = nil) {
      self.gain = gain
      self.peak = peak
    }
  }

  /// The medium's own level; nil if it is not known.
  package var track: Level?
  /// That of its album; nil if it is not known.
  package var album: Level?
  /// The figures in the tags that are out of range and do not count, as text: `REPLAYGAIN_TRACK_GAIN 60`.
  package var ignored: [String] = []

  /// Of these levels.
  package init(track: Level? = nil, album: Level? = nil) {
    self.track = track
    self.album = album
  }

  /// Returns the factor for the samples: above 0, at most 15, as in mpd, and at most the reciprocal of the peak, so that
  /// nothing is clipped. If the peak is not known it is taken for 1, so that the gain can only attenuate. The other level
  /// replaces a wanted one that is missing or out of range; the factor is 1 if both are.
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
