public import Foundation
public import MediaTime

/// A medium without a file, whose frames a test device recognizes. See
/// `TestDevice.song(_:duration:breakingOffAt:sampleRate:)`.
public struct Song: Hashable, Sendable {
  /// The name in the audible output and in the record.
  public let name: String
  /// The URL for `AVPlayerItem(url:)`: on the simulated network, or a file URL without an actual file.
  public let url: URL
  /// The length in frames.
  public let frameCount: Int64
  /// The number of frames per second.
  public let sampleRate: Int

  /// The duration of the song.
  public var duration: CMTime { CMTime(value: frameCount, timescale: CMTimeScale(sampleRate)) }

  /// The passage in `HeardSound.passages` if the song was heard from its beginning to its end.
  public var whole: HeardSound.Passage { HeardSound.Passage(song: name, frames: 0..<frameCount) }
}

/// The fault of an unplayable medium.
public enum BrokenSong: Hashable, Sendable {
  /// The file does not exist.
  case missing
  /// The file cannot be read.
  case unreadable
  /// The file contains no audio.
  case notAudio
}
