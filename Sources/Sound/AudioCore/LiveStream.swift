/// The properties of a live stream: a medium without an end and without seek positions.
package struct LiveStream: Hashable, Sendable {
  /// The station's description of itself, in fields of the space `.icy`.
  package var tag: MediaTag
  /// The longest pause, in seconds, after which playback resumes without a gap. After a longer pause,
  /// playback resumes with the audio sent at that time.
  package var patience: Double

  package init(tag: MediaTag = MediaTag(), patience: Double) {
    self.tag = tag
    self.patience = patience
  }

  package var name: String? { tag.text("icy-name") }
}

/// A tag that applies from a frame of a medium on.
package struct TimedTag: Hashable, Sendable {
  /// The first frame to which the tag applies, in frames as in `AudioDecoder.seek`.
  package var frame: Int64
  /// The tag, which replaces all earlier timed tags.
  package var tag: MediaTag

  package init(frame: Int64, tag: MediaTag) {
    self.frame = frame
    self.tag = tag
  }
}
