import AudioCore
public import Foundation

/// Media without files. Real files can be played too: `AVPlayerItem(url:)` with the URL of an audio file.
extension TestDevice {
  /// Creates a song of the given duration, whose decoding fails at the position `limit` if given. `sampleRate` is the
  /// number of PCM frames per second. A name must be used only once per device.
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
    let (reason, message): (DecodingError.Reason, String) =
      switch fault {
      case .missing: (.notFound, "no such file")
      case .unreadable: (.unreadable, "cannot be read")
      case .notAudio: (.notRecognized, "no MPEG audio found")
      }
    return library.addBroken(name, error: DecodingError(reason: reason, message: message))
  }

  func frames(in duration: Duration, _ sampleRate: Int) -> Int64 {
    Int64((duration / .seconds(1) * Double(sampleRate)).rounded())
  }
}
