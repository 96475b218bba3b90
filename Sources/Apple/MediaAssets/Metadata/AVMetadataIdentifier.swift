/// An identifier of metadata: a key space and a key in one string, in Apple's notation.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
  /// The text of the identifier, for example `id3/TIT2`.
  public let rawValue: String
  /// Creates an identifier from its text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates an identifier from its text.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A key space: a vocabulary of keys.
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable {
  /// Apple's name of the key space.
  public let rawValue: String
  /// Creates a key space from Apple's name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a key space from Apple's name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The keys common to all formats, `AVMetadataKey.commonKey…`.
  public static let common = AVMetadataKeySpace(rawValue: "comn")
  /// The frames of ID3 tags, `AVMetadataKey.id3MetadataKey…`.
  public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
  /// The metadata of live streams, `AVMetadataKey.icyMetadataKey…`, and header fields such as `icy-name`.
  public static let icy = AVMetadataKeySpace(rawValue: "icy")
}

/// A format of metadata, such as ID3.
public struct AVMetadataFormat: RawRepresentable, Hashable, Sendable {
  /// Apple's name of the format.
  public let rawValue: String
  /// Creates a format from Apple's name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a format from Apple's name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The format of ID3 tags.
  public static let id3Metadata = AVMetadataFormat(rawValue: "org.id3")
  /// Any other format, such as the metadata of live streams.
  public static let unknown = AVMetadataFormat(rawValue: "????")
}

/// A key of the additional attributes of a metadata item.
public struct AVMetadataExtraAttributeKey: RawRepresentable, Hashable, Sendable {
  /// Apple's name of the key.
  public let rawValue: String
  /// Creates a key from Apple's name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a key from Apple's name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The description of a comment, a picture or a user-defined field: a `String`.
  public static let info = AVMetadataExtraAttributeKey(rawValue: "info")
}

/// A key of metadata in a key space.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
  /// Apple's name of the key: a word for common keys, the frame identifier for ID3.
  public let rawValue: String
  /// Creates a key from Apple's name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a key from Apple's name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

// MARK: Live streams

extension AVMetadataKey {
  /// The title of the program that a live stream plays.
  public static let icyMetadataKeyStreamTitle = AVMetadataKey(rawValue: "StreamTitle")
  /// The address that accompanies the title of a live stream.
  public static let icyMetadataKeyStreamURL = AVMetadataKey(rawValue: "StreamUrl")
}

extension AVMetadataIdentifier {
  /// The title of the program that a live stream plays.
  public static let icyMetadataStreamTitle = AVMetadataIdentifier(rawValue: "icy/StreamTitle")
  /// The address that accompanies the title of a live stream.
  public static let icyMetadataStreamURL = AVMetadataIdentifier(rawValue: "icy/StreamUrl")
}

// MARK: Common keys

extension AVMetadataKey {
  /// The title of the work.
  public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
  /// The creator of the work: the composer, in ID3.
  public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
  /// The subject of the work.
  public static let commonKeySubject = AVMetadataKey(rawValue: "subject")
  /// A description of the work.
  public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
  /// The publisher of the work.
  public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
  /// A contributor to the work.
  public static let commonKeyContributor = AVMetadataKey(rawValue: "contributor")
  /// The date of creation.
  public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
  /// The date of the last modification.
  public static let commonKeyLastModifiedDate = AVMetadataKey(rawValue: "lastModifiedDate")
  /// The type of the work: the genre, in ID3.
  public static let commonKeyType = AVMetadataKey(rawValue: "type")
  /// The format of the work.
  public static let commonKeyFormat = AVMetadataKey(rawValue: "format")
  /// An unambiguous identifier of the work.
  public static let commonKeyIdentifier = AVMetadataKey(rawValue: "identifier")
  /// The source from which the work is derived.
  public static let commonKeySource = AVMetadataKey(rawValue: "source")
  /// The language of the work.
  public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
  /// A related work.
  public static let commonKeyRelation = AVMetadataKey(rawValue: "relation")
  /// The place of creation.
  public static let commonKeyLocation = AVMetadataKey(rawValue: "location")
  /// The copyright notice.
  public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
  /// The title of the album.
  public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
  /// The author of the work: the author of the lyrics, in ID3.
  public static let commonKeyAuthor = AVMetadataKey(rawValue: "author")
  /// The artist who performs the work.
  public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
  /// The artwork: in ID3 an attached picture.
  public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
  /// The manufacturer of the recording device.
  public static let commonKeyMake = AVMetadataKey(rawValue: "make")
  /// The model of the recording device.
  public static let commonKeyModel = AVMetadataKey(rawValue: "model")
  /// The program that created the work: the encoder, in ID3.
  public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
}

extension AVMetadataIdentifier {
  /// The title of the work.
  public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "comn/title")
  /// The creator of the work: the composer, in ID3.
  public static let commonIdentifierCreator = AVMetadataIdentifier(rawValue: "comn/creator")
  /// The subject of the work.
  public static let commonIdentifierSubject = AVMetadataIdentifier(rawValue: "comn/subject")
  /// A description of the work.
  public static let commonIdentifierDescription = AVMetadataIdentifier(rawValue: "comn/description")
  /// The publisher of the work.
  public static let commonIdentifierPublisher = AVMetadataIdentifier(rawValue: "comn/publisher")
  /// A contributor to the work.
  public static let commonIdentifierContributor = AVMetadataIdentifier(rawValue: "comn/contributor")
  /// The date of creation.
  public static let commonIdentifierCreationDate = AVMetadataIdentifier(rawValue: "comn/creationDate")
  /// The date of the last modification.
  public static let commonIdentifierLastModifiedDate = AVMetadataIdentifier(rawValue: "comn/lastModifiedDate")
  /// The type of the work: the genre, in ID3.
  public static let commonIdentifierType = AVMetadataIdentifier(rawValue: "comn/type")
  /// The format of the work.
  public static let commonIdentifierFormat = AVMetadataIdentifier(rawValue: "comn/format")
  /// An unambiguous identifier of the work.
  public static let commonIdentifierIdentifier = AVMetadataIdentifier(rawValue: "comn/identifier")
  /// The source from which the work is derived.
  public static let commonIdentifierSource = AVMetadataIdentifier(rawValue: "comn/source")
  /// The language of the work.
  public static let commonIdentifierLanguage = AVMetadataIdentifier(rawValue: "comn/language")
  /// A related work.
  public static let commonIdentifierRelation = AVMetadataIdentifier(rawValue: "comn/relation")
  /// The place of creation.
  public static let commonIdentifierLocation = AVMetadataIdentifier(rawValue: "comn/location")
  /// The copyright notice.
  public static let commonIdentifierCopyrights = AVMetadataIdentifier(rawValue: "comn/copyrights")
  /// The title of the album.
  public static let commonIdentifierAlbumName = AVMetadataIdentifier(rawValue: "comn/albumName")
  /// The author of the work: the author of the lyrics, in ID3.
  public static let commonIdentifierAuthor = AVMetadataIdentifier(rawValue: "comn/author")
  /// The artist who performs the work.
  public static let commonIdentifierArtist = AVMetadataIdentifier(rawValue: "comn/artist")
  /// The artwork: in ID3 an attached picture.
  public static let commonIdentifierArtwork = AVMetadataIdentifier(rawValue: "comn/artwork")
  /// The manufacturer of the recording device.
  public static let commonIdentifierMake = AVMetadataIdentifier(rawValue: "comn/make")
  /// The model of the recording device.
  public static let commonIdentifierModel = AVMetadataIdentifier(rawValue: "comn/model")
  /// The program that created the work: the encoder, in ID3.
  public static let commonIdentifierSoftware = AVMetadataIdentifier(rawValue: "comn/software")
}
