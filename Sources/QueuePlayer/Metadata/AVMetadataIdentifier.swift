/// Names of metadata in one string: a key space and a key, as Apple writes them.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
  /// For example `id3/TIT2`.
  public let rawValue: String
  /// The identifier with this text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The identifier with this text.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A set of keys.
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable {
  /// Apple's name.
  public let rawValue: String
  /// The key space of that name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The key space of that name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The keys that all formats have in common, `AVMetadataKey.commonKey…`.
  public static let common = AVMetadataKeySpace(rawValue: "comn")
  /// Frames of ID3 tags, `AVMetadataKey.id3MetadataKey…`.
  public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
  /// What live streams say, `AVMetadataKey.icyMetadataKey…`, and header fields of their answers such as `icy-name`.
  public static let icy = AVMetadataKeySpace(rawValue: "icy")
}

/// A format of metadata.
public struct AVMetadataFormat: RawRepresentable, Hashable, Sendable {
  /// Apple's name.
  public let rawValue: String
  /// The format of that name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The format of that name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// ID3 tags.
  public static let id3Metadata = AVMetadataFormat(rawValue: "org.id3")
  /// Any for which there is no name here, such as what live streams say.
  public static let unknown = AVMetadataFormat(rawValue: "????")
}

/// A key of what a metadata item says beside its value.
public struct AVMetadataExtraAttributeKey: RawRepresentable, Hashable, Sendable {
  /// Apple's name.
  public let rawValue: String
  /// The key of that name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The key of that name.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// The description of a comment, a picture or a user's own field: `String`.
  public static let info = AVMetadataExtraAttributeKey(rawValue: "info")
}

/// A key of metadata.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
  /// Apple's name: a word for common keys, the frame's name for ID3.
  public let rawValue: String
  /// The key of that name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The key of that name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

// MARK: Live streams

extension AVMetadataKey {
  /// The title of what a live stream plays.
  public static let icyMetadataKeyStreamTitle = AVMetadataKey(rawValue: "StreamTitle")
  /// An address that comes with it.
  public static let icyMetadataKeyStreamURL = AVMetadataKey(rawValue: "StreamUrl")
}

extension AVMetadataIdentifier {
  /// The title of what a live stream plays.
  public static let icyMetadataStreamTitle = AVMetadataIdentifier(rawValue: "icy/StreamTitle")
  /// An address that comes with it.
  public static let icyMetadataStreamURL = AVMetadataIdentifier(rawValue: "icy/StreamUrl")
}

// MARK: Common keys

extension AVMetadataKey {
  /// The title.
  public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
  /// Who made it: the composer, in ID3.
  public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
  /// What it is about.
  public static let commonKeySubject = AVMetadataKey(rawValue: "subject")
  /// A description.
  public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
  /// Who published it.
  public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
  /// Who contributed to it.
  public static let commonKeyContributor = AVMetadataKey(rawValue: "contributor")
  /// When it was made.
  public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
  /// When it was changed last.
  public static let commonKeyLastModifiedDate = AVMetadataKey(rawValue: "lastModifiedDate")
  /// What kind it is: the genre, in ID3.
  public static let commonKeyType = AVMetadataKey(rawValue: "type")
  /// Its format.
  public static let commonKeyFormat = AVMetadataKey(rawValue: "format")
  /// A name that is its own.
  public static let commonKeyIdentifier = AVMetadataKey(rawValue: "identifier")
  /// What it was made from.
  public static let commonKeySource = AVMetadataKey(rawValue: "source")
  /// Its language.
  public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
  /// What it is related to.
  public static let commonKeyRelation = AVMetadataKey(rawValue: "relation")
  /// Where it was made.
  public static let commonKeyLocation = AVMetadataKey(rawValue: "location")
  /// Who has rights in it.
  public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
  /// The album.
  public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
  /// Who wrote it.
  public static let commonKeyAuthor = AVMetadataKey(rawValue: "author")
  /// The artist.
  public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
  /// A picture.
  public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
  /// Who made the device it was made with.
  public static let commonKeyMake = AVMetadataKey(rawValue: "make")
  /// The device it was made with.
  public static let commonKeyModel = AVMetadataKey(rawValue: "model")
  /// The program it was made with.
  public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
}

extension AVMetadataIdentifier {
  /// The title.
  public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "comn/title")
  /// Who made it: the composer, in ID3.
  public static let commonIdentifierCreator = AVMetadataIdentifier(rawValue: "comn/creator")
  /// What it is about.
  public static let commonIdentifierSubject = AVMetadataIdentifier(rawValue: "comn/subject")
  /// A description.
  public static let commonIdentifierDescription = AVMetadataIdentifier(rawValue: "comn/description")
  /// Who published it.
  public static let commonIdentifierPublisher = AVMetadataIdentifier(rawValue: "comn/publisher")
  /// Who contributed to it.
  public static let commonIdentifierContributor = AVMetadataIdentifier(rawValue: "comn/contributor")
  /// When it was made.
  public static let commonIdentifierCreationDate = AVMetadataIdentifier(rawValue: "comn/creationDate")
  /// When it was changed last.
  public static let commonIdentifierLastModifiedDate = AVMetadataIdentifier(rawValue: "comn/lastModifiedDate")
  /// What kind it is: the genre, in ID3.
  public static let commonIdentifierType = AVMetadataIdentifier(rawValue: "comn/type")
  /// Its format.
  public static let commonIdentifierFormat = AVMetadataIdentifier(rawValue: "comn/format")
  /// A name that is its own.
  public static let commonIdentifierIdentifier = AVMetadataIdentifier(rawValue: "comn/identifier")
  /// What it was made from.
  public static let commonIdentifierSource = AVMetadataIdentifier(rawValue: "comn/source")
  /// Its language.
  public static let commonIdentifierLanguage = AVMetadataIdentifier(rawValue: "comn/language")
  /// What it is related to.
  public static let commonIdentifierRelation = AVMetadataIdentifier(rawValue: "comn/relation")
  /// Where it was made.
  public static let commonIdentifierLocation = AVMetadataIdentifier(rawValue: "comn/location")
  /// Who has rights in it.
  public static let commonIdentifierCopyrights = AVMetadataIdentifier(rawValue: "comn/copyrights")
  /// The album.
  public static let commonIdentifierAlbumName = AVMetadataIdentifier(rawValue: "comn/albumName")
  /// Who wrote it.
  public static let commonIdentifierAuthor = AVMetadataIdentifier(rawValue: "comn/author")
  /// The artist.
  public static let commonIdentifierArtist = AVMetadataIdentifier(rawValue: "comn/artist")
  /// A picture.
  public static let commonIdentifierArtwork = AVMetadataIdentifier(rawValue: "comn/artwork")
  /// Who made the device it was made with.
  public static let commonIdentifierMake = AVMetadataIdentifier(rawValue: "comn/make")
  /// The device it was made with.
  public static let commonIdentifierModel = AVMetadataIdentifier(rawValue: "comn/model")
  /// The program it was made with.
  public static let commonIdentifierSoftware = AVMetadataIdentifier(rawValue: "comn/software")
}
