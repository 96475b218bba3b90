public import Foundation
public import MediaTime

/// A medium without a file: sound that a test device knows frame by frame, so that it can tell exactly what was heard
/// of it. Make one with `TestDevice.song(_:duration:sampleRate:)`.
public struct Song: Hashable, Sendable {
  /// What it is called in what was heard and in the record.
  public let name: String
  /// Where the application finds it: for `AVPlayerItem(url:)`. A file URL, behind which there is no file.
  public let url: URL
  /// Its length in frames.
  public let frameCount: Int64
  /// Frames per second.
  public let sampleRate: Int

  /// Its length.
  public var duration: CMTime { CMTime(value: frameCount, timescale: CMTimeScale(sampleRate)) }

  /// All of it, as `HeardSound.passages` has it when it was heard from its beginning to its end.
  public var whole: HeardSound.Passage { HeardSound.Passage(song: name, frames: 0..<frameCount) }
}

/// What is wrong with a medium that cannot be played.
public enum BrokenSong: Hashable, Sendable {
  /// There is no such file.
  case missing
  /// It cannot be read.
  case unreadable
  /// There is no sound in it.
  case notAudio
}
