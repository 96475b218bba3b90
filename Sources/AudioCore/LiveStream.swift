/// What is known of a live stream: a medium without an end, and without places to go to.
package struct LiveStream: Hashable, Sendable {
  /// What the station says about itself, in fields of the space `.icy`.
  package var tag: MediaTag
  /// Seconds that it may stand still and then go on without a gap; after more it goes on with what is sent then.
  package var patience: Double

  /// A stream with these properties.
  package init(tag: MediaTag = MediaTag(), patience: Double) {
    self.tag = tag
    self.patience = patience
  }

  /// The station's name.
  package var name: String? { tag.text("icy-name") }
}

/// What a medium says about itself from one of its frames on.
package struct TimedTag: Hashable, Sendable {
  /// The first frame that it is about, counted as `AudioDecoder.seek` does.
  package var frame: Int64
  /// What it says. Takes the place of all that it said so before.
  package var tag: MediaTag

  /// A tag that holds from that frame on.
  package init(frame: Int64, tag: MediaTag) {
    self.frame = frame
    self.tag = tag
  }
}
