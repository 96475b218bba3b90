import AudioCore
public import Foundation

/// Media without files. Files are played as they are: `AVPlayerItem(url:)` with the URL of an MP3 file.
extension TestDevice {
  /// A song of that length. Its name can be given once per device.
  ///
  /// Songs of different sample rates can follow each other in a queue, but what is heard is then converted, so that
  /// `HeardSound` cannot tell every frame.
  public func song(_ name: String, duration: Duration, sampleRate: Int = 44_100) -> Song {
    library.add(
      name, frames: frames(in: duration, sampleRate), sampleRate: sampleRate, breaksAt: nil)
  }

  /// A song of that length which cannot be decoded from there on.
  public func song(
    _ name: String, duration: Duration, breakingOffAt limit: Duration, sampleRate: Int = 44_100
  ) -> Song {
    library.add(
      name, frames: frames(in: duration, sampleRate), sampleRate: sampleRate,
      breaksAt: frames(in: limit, sampleRate))
  }

  /// The URL of something that cannot be played at all.
  public func brokenSong(_ name: String, _ fault: BrokenSong = .notAudio) -> URL {
    let error =
      switch fault {
      case .missing: DecodingError(reason: .notFound, message: "no such file")
      case .unreadable: DecodingError(reason: .unreadable, message: "cannot be read")
      case .notAudio: DecodingError(reason: .notRecognized, message: "no MPEG audio found")
      }
    return library.addBroken(name, error: error)
  }

  func frames(in duration: Duration, _ sampleRate: Int) -> Int64 {
    Int64((duration / .seconds(1) * Double(sampleRate)).rounded())
  }
}
