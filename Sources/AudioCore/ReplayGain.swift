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

  /// What was measured.
  package struct Level: Hashable, Sendable {
    /// By how much to change it, in decibels.
    package var gain: Double
    /// The greatest amplitude, where 1 is full scale; nil if nobody noted it.
    package var peak: Double?

    /// A level of these.
    package init(gain: Double, peak: Double? = nil) {
      self.gain = gain
      self.peak = peak
    }
  }

  /// The medium's own level; nil if it is not known.
  package var track: Level?
  /// That of its album; nil if it is not known.
  package var album: Level?

  /// Of these levels.
  package init(track: Level? = nil, album: Level? = nil) {
    self.track = track
    self.album = album
  }

  /// What samples are to be multiplied with, as mpd computes it: the other level where the wanted one is not known, 1 where
  /// neither is; at most 15; and so little that the peak does not exceed full scale.
  package func factor(_ kind: Kind) -> Float {
    guard let level = kind == .album ? album ?? track : track ?? album else { return 1 }
    let factor = min(pow(10, level.gain / 20), 15)
    guard let peak = level.peak, factor * peak > 1 else { return Float(factor) }
    return Float(1 / peak)
  }
}
