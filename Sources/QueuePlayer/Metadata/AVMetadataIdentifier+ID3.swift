// The frames of ID3 tags, by the names of version 2.3 and 2.4. Those of version 2.2 and ID3v1 have the same identifiers.

extension AVMetadataKey {
  /// A picture.
  public static let id3MetadataKeyAttachedPicture = AVMetadataKey(rawValue: "APIC")
  /// Remarks.
  public static let id3MetadataKeyComments = AVMetadataKey(rawValue: "COMM")
  /// Words.
  public static let id3MetadataKeyUnsynchronizedLyric = AVMetadataKey(rawValue: "USLT")
  /// Words with times.
  public static let id3MetadataKeySynchronizedLyric = AVMetadataKey(rawValue: "SYLT")
  /// The tagging program's own text; `info` names it.
  public static let id3MetadataKeyUserText = AVMetadataKey(rawValue: "TXXX")
  /// An address; `info` names it.
  public static let id3MetadataKeyUserURL = AVMetadataKey(rawValue: "WXXX")
  /// The title.
  public static let id3MetadataKeyTitleDescription = AVMetadataKey(rawValue: "TIT2")
  /// What it belongs to.
  public static let id3MetadataKeyContentGroupDescription = AVMetadataKey(rawValue: "TIT1")
  /// The subtitle.
  public static let id3MetadataKeySubTitle = AVMetadataKey(rawValue: "TIT3")
  /// The artist.
  public static let id3MetadataKeyLeadPerformer = AVMetadataKey(rawValue: "TPE1")
  /// The orchestra, or the artist of the album as a whole.
  public static let id3MetadataKeyBand = AVMetadataKey(rawValue: "TPE2")
  /// The conductor.
  public static let id3MetadataKeyConductor = AVMetadataKey(rawValue: "TPE3")
  /// Who arranged it.
  public static let id3MetadataKeyModifiedBy = AVMetadataKey(rawValue: "TPE4")
  /// The album.
  public static let id3MetadataKeyAlbumTitle = AVMetadataKey(rawValue: "TALB")
  /// Which track it is: "3" or "3/12".
  public static let id3MetadataKeyTrackNumber = AVMetadataKey(rawValue: "TRCK")
  /// Which disc it is on: "1" or "1/2".
  public static let id3MetadataKeyPartOfASet = AVMetadataKey(rawValue: "TPOS")
  /// The disc's title.
  public static let id3MetadataKeySetSubtitle = AVMetadataKey(rawValue: "TSST")
  /// The genre, by name.
  public static let id3MetadataKeyContentType = AVMetadataKey(rawValue: "TCON")
  /// The composer.
  public static let id3MetadataKeyComposer = AVMetadataKey(rawValue: "TCOM")
  /// Who wrote the words.
  public static let id3MetadataKeyLyricist = AVMetadataKey(rawValue: "TEXT")
  /// Who has rights in it.
  public static let id3MetadataKeyCopyright = AVMetadataKey(rawValue: "TCOP")
  /// Who published it.
  public static let id3MetadataKeyPublisher = AVMetadataKey(rawValue: "TPUB")
  /// When it was recorded: a year, or a date by ISO 8601 (ID3v2.4).
  public static let id3MetadataKeyRecordingTime = AVMetadataKey(rawValue: "TDRC")
  /// When it was published (ID3v2.4).
  public static let id3MetadataKeyReleaseTime = AVMetadataKey(rawValue: "TDRL")
  /// When it was first published (ID3v2.4).
  public static let id3MetadataKeyOriginalReleaseTime = AVMetadataKey(rawValue: "TDOR")
  /// When it was encoded (ID3v2.4).
  public static let id3MetadataKeyEncodingTime = AVMetadataKey(rawValue: "TDEN")
  /// When the tag was written (ID3v2.4).
  public static let id3MetadataKeyTaggingTime = AVMetadataKey(rawValue: "TDTG")
  /// The year (ID3v2.3).
  public static let id3MetadataKeyYear = AVMetadataKey(rawValue: "TYER")
  /// Day and month as four digits (ID3v2.3).
  public static let id3MetadataKeyDate = AVMetadataKey(rawValue: "TDAT")
  /// Hour and minute as four digits (ID3v2.3).
  public static let id3MetadataKeyTime = AVMetadataKey(rawValue: "TIME")
  /// When it was recorded, as text (ID3v2.3).
  public static let id3MetadataKeyRecordingDates = AVMetadataKey(rawValue: "TRDA")
  /// The length in milliseconds.
  public static let id3MetadataKeyLength = AVMetadataKey(rawValue: "TLEN")
  /// The tempo.
  public static let id3MetadataKeyBeatsPerMinute = AVMetadataKey(rawValue: "TBPM")
  /// The key in which it begins.
  public static let id3MetadataKeyInitialKey = AVMetadataKey(rawValue: "TKEY")
  /// The languages of the words.
  public static let id3MetadataKeyLanguage = AVMetadataKey(rawValue: "TLAN")
  /// Who encoded it.
  public static let id3MetadataKeyEncodedBy = AVMetadataKey(rawValue: "TENC")
  /// The program that encoded it.
  public static let id3MetadataKeyEncodedWith = AVMetadataKey(rawValue: "TSSE")
  /// The kind of sound.
  public static let id3MetadataKeyFileType = AVMetadataKey(rawValue: "TFLT")
  /// What it was taken from.
  public static let id3MetadataKeyMediaType = AVMetadataKey(rawValue: "TMED")
  /// The mood.
  public static let id3MetadataKeyMood = AVMetadataKey(rawValue: "TMOO")
  /// Whose file it is.
  public static let id3MetadataKeyFileOwner = AVMetadataKey(rawValue: "TOWN")
  /// The first artist.
  public static let id3MetadataKeyOriginalArtist = AVMetadataKey(rawValue: "TOPE")
  /// The first album.
  public static let id3MetadataKeyOriginalAlbumTitle = AVMetadataKey(rawValue: "TOAL")
  /// Who wrote the first words.
  public static let id3MetadataKeyOriginalLyricist = AVMetadataKey(rawValue: "TOLY")
  /// The file's first name.
  public static let id3MetadataKeyOriginalFilename = AVMetadataKey(rawValue: "TOFN")
  /// The year of the first recording (ID3v2.3).
  public static let id3MetadataKeyOriginalReleaseYear = AVMetadataKey(rawValue: "TORY")
  /// The recording's ISRC.
  public static let id3MetadataKeyInternationalStandardRecordingCode = AVMetadataKey(rawValue: "TSRC")
  /// A radio station.
  public static let id3MetadataKeyInternetRadioStationName = AVMetadataKey(rawValue: "TRSN")
  /// Who runs the radio station.
  public static let id3MetadataKeyInternetRadioStationOwner = AVMetadataKey(rawValue: "TRSO")
  /// The album as it is sorted.
  public static let id3MetadataKeyAlbumSortOrder = AVMetadataKey(rawValue: "TSOA")
  /// The artist as it is sorted.
  public static let id3MetadataKeyPerformerSortOrder = AVMetadataKey(rawValue: "TSOP")
  /// The title as it is sorted.
  public static let id3MetadataKeyTitleSortOrder = AVMetadataKey(rawValue: "TSOT")
  /// The silence before it, in milliseconds.
  public static let id3MetadataKeyPlaylistDelay = AVMetadataKey(rawValue: "TDLY")
  /// A rating and a count of plays.
  public static let id3MetadataKeyPopularimeter = AVMetadataKey(rawValue: "POPM")
  /// How often it was played.
  public static let id3MetadataKeyPlayCounter = AVMetadataKey(rawValue: "PCNT")
  /// A program's own bytes.
  public static let id3MetadataKeyPrivate = AVMetadataKey(rawValue: "PRIV")
  /// A file.
  public static let id3MetadataKeyGeneralEncapsulatedObject = AVMetadataKey(rawValue: "GEOB")
  /// A name in a catalogue.
  public static let id3MetadataKeyUniqueFileIdentifier = AVMetadataKey(rawValue: "UFID")
  /// The table of contents of a CD.
  public static let id3MetadataKeyMusicCDIdentifier = AVMetadataKey(rawValue: "MCDI")
  /// The file's own page.
  public static let id3MetadataKeyOfficialAudioFileWebpage = AVMetadataKey(rawValue: "WOAF")
  /// The artist's own page.
  public static let id3MetadataKeyOfficialArtistWebpage = AVMetadataKey(rawValue: "WOAR")
  /// The page of its source.
  public static let id3MetadataKeyOfficialAudioSourceWebpage = AVMetadataKey(rawValue: "WOAS")
  /// The radio station's own page.
  public static let id3MetadataKeyOfficialInternetRadioStationHomepage = AVMetadataKey(rawValue: "WORS")
  /// The publisher's own page.
  public static let id3MetadataKeyOfficialPublisherWebpage = AVMetadataKey(rawValue: "WPUB")
  /// Where it is sold.
  public static let id3MetadataKeyCommercialInformation = AVMetadataKey(rawValue: "WCOM")
  /// The licence.
  public static let id3MetadataKeyCopyrightInformation = AVMetadataKey(rawValue: "WCOP")
  /// Where it is paid for.
  public static let id3MetadataKeyPayment = AVMetadataKey(rawValue: "WPAY")
}

extension AVMetadataIdentifier {
  /// A picture.
  public static let id3MetadataAttachedPicture = AVMetadataIdentifier(rawValue: "id3/APIC")
  /// Remarks.
  public static let id3MetadataComments = AVMetadataIdentifier(rawValue: "id3/COMM")
  /// Words.
  public static let id3MetadataUnsynchronizedLyric = AVMetadataIdentifier(rawValue: "id3/USLT")
  /// Words with times.
  public static let id3MetadataSynchronizedLyric = AVMetadataIdentifier(rawValue: "id3/SYLT")
  /// The tagging program's own text; `info` names it.
  public static let id3MetadataUserText = AVMetadataIdentifier(rawValue: "id3/TXXX")
  /// An address; `info` names it.
  public static let id3MetadataUserURL = AVMetadataIdentifier(rawValue: "id3/WXXX")
  /// The title.
  public static let id3MetadataTitleDescription = AVMetadataIdentifier(rawValue: "id3/TIT2")
  /// What it belongs to.
  public static let id3MetadataContentGroupDescription = AVMetadataIdentifier(rawValue: "id3/TIT1")
  /// The subtitle.
  public static let id3MetadataSubTitle = AVMetadataIdentifier(rawValue: "id3/TIT3")
  /// The artist.
  public static let id3MetadataLeadPerformer = AVMetadataIdentifier(rawValue: "id3/TPE1")
  /// The orchestra, or the artist of the album as a whole.
  public static let id3MetadataBand = AVMetadataIdentifier(rawValue: "id3/TPE2")
  /// The conductor.
  public static let id3MetadataConductor = AVMetadataIdentifier(rawValue: "id3/TPE3")
  /// Who arranged it.
  public static let id3MetadataModifiedBy = AVMetadataIdentifier(rawValue: "id3/TPE4")
  /// The album.
  public static let id3MetadataAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TALB")
  /// Which track it is: "3" or "3/12".
  public static let id3MetadataTrackNumber = AVMetadataIdentifier(rawValue: "id3/TRCK")
  /// Which disc it is on: "1" or "1/2".
  public static let id3MetadataPartOfASet = AVMetadataIdentifier(rawValue: "id3/TPOS")
  /// The disc's title.
  public static let id3MetadataSetSubtitle = AVMetadataIdentifier(rawValue: "id3/TSST")
  /// The genre, by name.
  public static let id3MetadataContentType = AVMetadataIdentifier(rawValue: "id3/TCON")
  /// The composer.
  public static let id3MetadataComposer = AVMetadataIdentifier(rawValue: "id3/TCOM")
  /// Who wrote the words.
  public static let id3MetadataLyricist = AVMetadataIdentifier(rawValue: "id3/TEXT")
  /// Who has rights in it.
  public static let id3MetadataCopyright = AVMetadataIdentifier(rawValue: "id3/TCOP")
  /// Who published it.
  public static let id3MetadataPublisher = AVMetadataIdentifier(rawValue: "id3/TPUB")
  /// When it was recorded: a year, or a date by ISO 8601 (ID3v2.4).
  public static let id3MetadataRecordingTime = AVMetadataIdentifier(rawValue: "id3/TDRC")
  /// When it was published (ID3v2.4).
  public static let id3MetadataReleaseTime = AVMetadataIdentifier(rawValue: "id3/TDRL")
  /// When it was first published (ID3v2.4).
  public static let id3MetadataOriginalReleaseTime = AVMetadataIdentifier(rawValue: "id3/TDOR")
  /// When it was encoded (ID3v2.4).
  public static let id3MetadataEncodingTime = AVMetadataIdentifier(rawValue: "id3/TDEN")
  /// When the tag was written (ID3v2.4).
  public static let id3MetadataTaggingTime = AVMetadataIdentifier(rawValue: "id3/TDTG")
  /// The year (ID3v2.3).
  public static let id3MetadataYear = AVMetadataIdentifier(rawValue: "id3/TYER")
  /// Day and month as four digits (ID3v2.3).
  public static let id3MetadataDate = AVMetadataIdentifier(rawValue: "id3/TDAT")
  /// Hour and minute as four digits (ID3v2.3).
  public static let id3MetadataTime = AVMetadataIdentifier(rawValue: "id3/TIME")
  /// When it was recorded, as text (ID3v2.3).
  public static let id3MetadataRecordingDates = AVMetadataIdentifier(rawValue: "id3/TRDA")
  /// The length in milliseconds.
  public static let id3MetadataLength = AVMetadataIdentifier(rawValue: "id3/TLEN")
  /// The tempo.
  public static let id3MetadataBeatsPerMinute = AVMetadataIdentifier(rawValue: "id3/TBPM")
  /// The key in which it begins.
  public static let id3MetadataInitialKey = AVMetadataIdentifier(rawValue: "id3/TKEY")
  /// The languages of the words.
  public static let id3MetadataLanguage = AVMetadataIdentifier(rawValue: "id3/TLAN")
  /// Who encoded it.
  public static let id3MetadataEncodedBy = AVMetadataIdentifier(rawValue: "id3/TENC")
  /// The program that encoded it.
  public static let id3MetadataEncodedWith = AVMetadataIdentifier(rawValue: "id3/TSSE")
  /// The kind of sound.
  public static let id3MetadataFileType = AVMetadataIdentifier(rawValue: "id3/TFLT")
  /// What it was taken from.
  public static let id3MetadataMediaType = AVMetadataIdentifier(rawValue: "id3/TMED")
  /// The mood.
  public static let id3MetadataMood = AVMetadataIdentifier(rawValue: "id3/TMOO")
  /// Whose file it is.
  public static let id3MetadataFileOwner = AVMetadataIdentifier(rawValue: "id3/TOWN")
  /// The first artist.
  public static let id3MetadataOriginalArtist = AVMetadataIdentifier(rawValue: "id3/TOPE")
  /// The first album.
  public static let id3MetadataOriginalAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TOAL")
  /// Who wrote the first words.
  public static let id3MetadataOriginalLyricist = AVMetadataIdentifier(rawValue: "id3/TOLY")
  /// The file's first name.
  public static let id3MetadataOriginalFilename = AVMetadataIdentifier(rawValue: "id3/TOFN")
  /// The year of the first recording (ID3v2.3).
  public static let id3MetadataOriginalReleaseYear = AVMetadataIdentifier(rawValue: "id3/TORY")
  /// The recording's ISRC.
  public static let id3MetadataInternationalStandardRecordingCode = AVMetadataIdentifier(rawValue: "id3/TSRC")
  /// A radio station.
  public static let id3MetadataInternetRadioStationName = AVMetadataIdentifier(rawValue: "id3/TRSN")
  /// Who runs the radio station.
  public static let id3MetadataInternetRadioStationOwner = AVMetadataIdentifier(rawValue: "id3/TRSO")
  /// The album as it is sorted.
  public static let id3MetadataAlbumSortOrder = AVMetadataIdentifier(rawValue: "id3/TSOA")
  /// The artist as it is sorted.
  public static let id3MetadataPerformerSortOrder = AVMetadataIdentifier(rawValue: "id3/TSOP")
  /// The title as it is sorted.
  public static let id3MetadataTitleSortOrder = AVMetadataIdentifier(rawValue: "id3/TSOT")
  /// The silence before it, in milliseconds.
  public static let id3MetadataPlaylistDelay = AVMetadataIdentifier(rawValue: "id3/TDLY")
  /// A rating and a count of plays.
  public static let id3MetadataPopularimeter = AVMetadataIdentifier(rawValue: "id3/POPM")
  /// How often it was played.
  public static let id3MetadataPlayCounter = AVMetadataIdentifier(rawValue: "id3/PCNT")
  /// A program's own bytes.
  public static let id3MetadataPrivate = AVMetadataIdentifier(rawValue: "id3/PRIV")
  /// A file.
  public static let id3MetadataGeneralEncapsulatedObject = AVMetadataIdentifier(rawValue: "id3/GEOB")
  /// A name in a catalogue.
  public static let id3MetadataUniqueFileIdentifier = AVMetadataIdentifier(rawValue: "id3/UFID")
  /// The table of contents of a CD.
  public static let id3MetadataMusicCDIdentifier = AVMetadataIdentifier(rawValue: "id3/MCDI")
  /// The file's own page.
  public static let id3MetadataOfficialAudioFileWebpage = AVMetadataIdentifier(rawValue: "id3/WOAF")
  /// The artist's own page.
  public static let id3MetadataOfficialArtistWebpage = AVMetadataIdentifier(rawValue: "id3/WOAR")
  /// The page of its source.
  public static let id3MetadataOfficialAudioSourceWebpage = AVMetadataIdentifier(rawValue: "id3/WOAS")
  /// The radio station's own page.
  public static let id3MetadataOfficialInternetRadioStationHomepage = AVMetadataIdentifier(
    rawValue: "id3/WORS")
  /// The publisher's own page.
  public static let id3MetadataOfficialPublisherWebpage = AVMetadataIdentifier(rawValue: "id3/WPUB")
  /// Where it is sold.
  public static let id3MetadataCommercialInformation = AVMetadataIdentifier(rawValue: "id3/WCOM")
  /// The licence.
  public static let id3MetadataCopyrightInformation = AVMetadataIdentifier(rawValue: "id3/WCOP")
  /// Where it is paid for.
  public static let id3MetadataPayment = AVMetadataIdentifier(rawValue: "id3/WPAY")
}
