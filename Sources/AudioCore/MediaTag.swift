/// What a medium says about itself, field by field, such as an ID3 tag.
package struct MediaTag: Hashable, Sendable {
  /// A field.
  package struct Field: Hashable, Sendable {
    /// What a field holds.
    package enum Value: Hashable, Sendable {
      /// Text or an address. Several texts are joined by "; ".
      case text(String)
      /// The bytes of a picture file, or of a field of no known kind.
      case data([UInt8])
    }

    /// Whose names keys are.
    package enum Space: String, Sendable {
      /// ID3v2.3's names, of four characters; those of ID3v2.2 and ID3v1 are translated.
      case id3
      /// Those of live streams: `StreamTitle`, `StreamUrl`, and `icy-name` and its siblings.
      case icy
    }

    /// Its name.
    package var key: String
    /// Whose name that is.
    package var space = Space.id3
    /// What it holds.
    package var value: Value
    /// What tells it from others of its key: the description of a comment, a picture, a user's own field.
    package var info: String?
    /// The language of a comment or of lyrics, by ISO 639-2.
    package var language: String?
    /// What kind of file a picture is, for example `image/jpeg`.
    package var mimeType: String?
    /// What a picture shows, by ID3v2's list: 3 is the front cover.
    package var pictureType: UInt8?

    /// A field of a live stream.
    package init(icy key: String, _ text: String) {
      self.init(key: key, value: .text(text))
      space = .icy
    }

    /// A field with these properties.
    package init(key: String, value: Value, info: String? = nil, language: String? = nil) {
      self.key = key
      self.value = value
      self.info = info
      self.language = language
    }
  }

  /// A part of the medium.
  package struct Chapter: Hashable, Sendable {
    /// Where it begins, in milliseconds.
    package var start: Int64
    /// Where it ends, in milliseconds, after `start`; nil: at the end of the medium.
    package var end: Int64?
    /// Its title and the like.
    package var fields: [Field]

    /// A chapter with these properties.
    package init(start: Int64, end: Int64?, fields: [Field]) {
      self.start = start
      self.end = end
      self.fields = fields
    }
  }

  /// The fields, in the order of the file.
  package var fields: [Field]
  /// The chapters, in the order of time.
  package var chapters: [Chapter]

  /// A tag of these.
  package init(fields: [Field] = [], chapters: [Chapter] = []) {
    self.fields = fields
    self.chapters = chapters
  }

  /// The text of the first field of that name; nil if there is none.
  package func text(_ key: String) -> String? {
    for field in fields where field.key == key {
      if case .text(let text) = field.value { return text }
    }
    return nil
  }
}
