import AudioCore
public import Foundation

/// Media without files. Real files can be played too: `AVPlayerItem(url:)` with the URL of an MP3 file.
extension TestDevice {
  /// Creates a song of the given duration, whose decoding fails at `limit` if given. A name must be used only
  /// once per device.
  ///
  /// Songs of different sample rates can follow each other in a queue, but the output is then converted, so
  /// that `HeardSound` cannot identify every frame.
  public func song(
    _ name: String, duration: Duration, breakingOffAt limit: Duration? = nil, sampleRate: Int = 44_100
  ) -> Song {
    library.add(
      name, frames: frames(in: duration, sampleRate), sampleRate: sampleRate,
      breaksAt: limit.map { frames(in: $0, sampleRate) })
  }

  /// Returns the URL of an unplayable medium.
  public func brokenSong(_ name: String, _ fault: BrokenSong = .notAudio) -> URL {
    switch fault {
    case .missing: library.addBroken(name, .notFound, "no such file")
    case .unreadable: library.addBroken(name, .unreadable, "cannot be read")
    case .notAudio: library.addBroken(name, .notRecognized, "no MPEG audio found")
    }
  }

  func frames(in duration: Duration, _ sampleRate: Int) -> Int64 {
    Int64((duration / .seconds(1) * Double(sampleRate)).rounded())
  }
}
