/// The metadata stored in a medium, field by field, such as an ID3 tag.
package struct MediaTag: Hashable, Sendable {
  package struct Field: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
      /// Text or an address. Several texts are joined by "; ".
      case text(String)
      /// The bytes of a picture file, or of a field of an unknown kind.
      case data([UInt8])
    }

    /// The vocabulary that a key belongs to.
    package enum Space: String, Sendable {
      /// The frame identifiers of ID3v2.3 and 2.4, of four characters. Those of ID3v2.2 and ID3v1 are
      /// translated.
      case id3
      /// The names used by live streams: `StreamTitle`, `StreamUrl`, and headers such as `icy-name`.
      case icy
    }

    package var key: String
    package var space = Space.id3
    package var value: Value
    /// A description that distinguishes fields of the same key: a comment, a picture or a user-defined field.
    package var info: String?
    /// The language of a comment or of lyrics, by ISO 639-2.
    package var language: String?
    /// The MIME type of a picture, for example `image/jpeg`.
    package var mimeType: String?
    /// The picture type, as numbered by ID3v2: 3 is the front cover.
    package var pictureType: UInt8?

    /// Creates a field of a live stream.
    package init(icy key: String, _ text: String) {
      self.init(key: key, value: .text(text))
      space = .icy
    }

    /// Creates a field with a key of the space `.id3`, whatever the kind of the tag.
    package init(key: String, value: Value, info: String? = nil, language: String? = nil) {
      self.key = key
      self.value = value
      self.info = info
      self.language = language
    }
  }

  package struct Chapter: Hashable, Sendable {
    /// The start time, in milliseconds.
    package var start: Int64
    /// The end time, in milliseconds, after `start`; nil for the end of the medium.
    package var end: Int64?
    package var fields: [Field]

    package init(start: Int64, end: Int64?, fields: [Field]) {
      self.start = start
      self.end = end
      self.fields = fields
    }
  }

  /// The fields. Those of the same kind of tag are in the order of the file.
  package var fields: [Field]
  /// The chapters, in the order of time.
  package var chapters: [Chapter]

  package init(fields: [Field] = [], chapters: [Chapter] = []) {
    self.fields = fields
    self.chapters = chapters
  }

  /// Returns the text of the first text field with that key; nil if none exists.
  package func text(_ key: String) -> String? {
    for field in fields where field.key == key {
      if case .text(let text) = field.value { return text }
    }
    return nil
  }

  /// The picture marked as front cover, otherwise the first picture; nil without a picture.
  package var cover: Field? {
    let pictures = fields.filter { $0.key == "APIC" }
    return pictures.first { $0.pictureType == 3 } ?? pictures.first
  }
}

/// The properties of a live stream: a medium without an end, in which seeks reach only positions that were already
/// read.
package struct LiveStream: Hashable, Sendable {
  /// The station's description of itself, in fields of the space `.icy`.
  package var tag: MediaTag
  /// The longest pause, in seconds, after which playback resumes without a gap. After a longer pause,
  /// playback resumes with the audio that the station sends then.
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
