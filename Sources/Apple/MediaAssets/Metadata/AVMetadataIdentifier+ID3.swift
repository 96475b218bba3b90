// The frames of ID3 tags, under their identifiers in ID3v2.3 and ID3v2.4. The fields of ID3v2.2 and ID3v1
// tags are mapped to the same identifiers.

extension AVMetadataKey {
  /// An attached picture, for example the front cover.
  public static let id3MetadataKeyAttachedPicture = AVMetadataKey(rawValue: "APIC")
  /// A comment; `info` contains its description.
  public static let id3MetadataKeyComments = AVMetadataKey(rawValue: "COMM")
  /// The lyrics, without times.
  public static let id3MetadataKeyUnsynchronizedLyric = AVMetadataKey(rawValue: "USLT")
  /// The lyrics, with times.
  public static let id3MetadataKeySynchronizedLyric = AVMetadataKey(rawValue: "SYLT")
  /// A user-defined text; `info` contains its description.
  public static let id3MetadataKeyUserText = AVMetadataKey(rawValue: "TXXX")
  /// A user-defined URL; `info` contains its description.
  public static let id3MetadataKeyUserURL = AVMetadataKey(rawValue: "WXXX")
  /// The title of the track.
  public static let id3MetadataKeyTitleDescription = AVMetadataKey(rawValue: "TIT2")
  /// The group or category of the track.
  public static let id3MetadataKeyContentGroupDescription = AVMetadataKey(rawValue: "TIT1")
  /// The subtitle of the track.
  public static let id3MetadataKeySubTitle = AVMetadataKey(rawValue: "TIT3")
  /// The artist of the track.
  public static let id3MetadataKeyLeadPerformer = AVMetadataKey(rawValue: "TPE1")
  /// The orchestra, or the artist of the whole album.
  public static let id3MetadataKeyBand = AVMetadataKey(rawValue: "TPE2")
  /// The conductor of the performance.
  public static let id3MetadataKeyConductor = AVMetadataKey(rawValue: "TPE3")
  /// The remixer or arranger of the track.
  public static let id3MetadataKeyModifiedBy = AVMetadataKey(rawValue: "TPE4")
  /// The title of the album.
  public static let id3MetadataKeyAlbumTitle = AVMetadataKey(rawValue: "TALB")
  /// The number of the track in the album: "3" or "3/12".
  public static let id3MetadataKeyTrackNumber = AVMetadataKey(rawValue: "TRCK")
  /// The number of the disc in the set: "1" or "1/2".
  public static let id3MetadataKeyPartOfASet = AVMetadataKey(rawValue: "TPOS")
  /// The title of the disc.
  public static let id3MetadataKeySetSubtitle = AVMetadataKey(rawValue: "TSST")
  /// The name of the genre.
  public static let id3MetadataKeyContentType = AVMetadataKey(rawValue: "TCON")
  /// The composer of the track.
  public static let id3MetadataKeyComposer = AVMetadataKey(rawValue: "TCOM")
  /// The author of the lyrics.
  public static let id3MetadataKeyLyricist = AVMetadataKey(rawValue: "TEXT")
  /// The copyright notice.
  public static let id3MetadataKeyCopyright = AVMetadataKey(rawValue: "TCOP")
  /// The publisher of the track.
  public static let id3MetadataKeyPublisher = AVMetadataKey(rawValue: "TPUB")
  /// The date of the recording: a year, or a date by ISO 8601 (ID3v2.4).
  public static let id3MetadataKeyRecordingTime = AVMetadataKey(rawValue: "TDRC")
  /// The date of the release (ID3v2.4).
  public static let id3MetadataKeyReleaseTime = AVMetadataKey(rawValue: "TDRL")
  /// The date of the original release (ID3v2.4).
  public static let id3MetadataKeyOriginalReleaseTime = AVMetadataKey(rawValue: "TDOR")
  /// The date of the encoding (ID3v2.4).
  public static let id3MetadataKeyEncodingTime = AVMetadataKey(rawValue: "TDEN")
  /// The date on which the tag was written (ID3v2.4).
  public static let id3MetadataKeyTaggingTime = AVMetadataKey(rawValue: "TDTG")
  /// The year of the recording (ID3v2.3).
  public static let id3MetadataKeyYear = AVMetadataKey(rawValue: "TYER")
  /// The day and month of the recording, as four digits (ID3v2.3).
  public static let id3MetadataKeyDate = AVMetadataKey(rawValue: "TDAT")
  /// The hour and minute of the recording, as four digits (ID3v2.3).
  public static let id3MetadataKeyTime = AVMetadataKey(rawValue: "TIME")
  /// The dates of the recording, as text (ID3v2.3).
  public static let id3MetadataKeyRecordingDates = AVMetadataKey(rawValue: "TRDA")
  /// The duration of the track, in milliseconds.
  public static let id3MetadataKeyLength = AVMetadataKey(rawValue: "TLEN")
  /// The tempo, in beats per minute.
  public static let id3MetadataKeyBeatsPerMinute = AVMetadataKey(rawValue: "TBPM")
  /// The musical key at the beginning.
  public static let id3MetadataKeyInitialKey = AVMetadataKey(rawValue: "TKEY")
  /// The languages of the lyrics or speech.
  public static let id3MetadataKeyLanguage = AVMetadataKey(rawValue: "TLAN")
  /// The person or company that encoded the file.
  public static let id3MetadataKeyEncodedBy = AVMetadataKey(rawValue: "TENC")
  /// The program and settings that encoded the file.
  public static let id3MetadataKeyEncodedWith = AVMetadataKey(rawValue: "TSSE")
  /// The type of the audio data.
  public static let id3MetadataKeyFileType = AVMetadataKey(rawValue: "TFLT")
  /// The medium from which the audio was taken.
  public static let id3MetadataKeyMediaType = AVMetadataKey(rawValue: "TMED")
  /// The mood of the track.
  public static let id3MetadataKeyMood = AVMetadataKey(rawValue: "TMOO")
  /// The owner of the file.
  public static let id3MetadataKeyFileOwner = AVMetadataKey(rawValue: "TOWN")
  /// The artist of the original recording.
  public static let id3MetadataKeyOriginalArtist = AVMetadataKey(rawValue: "TOPE")
  /// The album of the original recording.
  public static let id3MetadataKeyOriginalAlbumTitle = AVMetadataKey(rawValue: "TOAL")
  /// The author of the original lyrics.
  public static let id3MetadataKeyOriginalLyricist = AVMetadataKey(rawValue: "TOLY")
  /// The original name of the file.
  public static let id3MetadataKeyOriginalFilename = AVMetadataKey(rawValue: "TOFN")
  /// The year of the original release (ID3v2.3).
  public static let id3MetadataKeyOriginalReleaseYear = AVMetadataKey(rawValue: "TORY")
  /// The International Standard Recording Code (ISRC) of the recording.
  public static let id3MetadataKeyInternationalStandardRecordingCode = AVMetadataKey(rawValue: "TSRC")
  /// The name of the internet radio station.
  public static let id3MetadataKeyInternetRadioStationName = AVMetadataKey(rawValue: "TRSN")
  /// The owner of the internet radio station.
  public static let id3MetadataKeyInternetRadioStationOwner = AVMetadataKey(rawValue: "TRSO")
  /// The form of the album's title used for sorting.
  public static let id3MetadataKeyAlbumSortOrder = AVMetadataKey(rawValue: "TSOA")
  /// The form of the artist's name used for sorting.
  public static let id3MetadataKeyPerformerSortOrder = AVMetadataKey(rawValue: "TSOP")
  /// The form of the track's title used for sorting.
  public static let id3MetadataKeyTitleSortOrder = AVMetadataKey(rawValue: "TSOT")
  /// The silence before the track in a playlist, in milliseconds.
  public static let id3MetadataKeyPlaylistDelay = AVMetadataKey(rawValue: "TDLY")
  /// A rating and a play count.
  public static let id3MetadataKeyPopularimeter = AVMetadataKey(rawValue: "POPM")
  /// The play count.
  public static let id3MetadataKeyPlayCounter = AVMetadataKey(rawValue: "PCNT")
  /// Private data of a program.
  public static let id3MetadataKeyPrivate = AVMetadataKey(rawValue: "PRIV")
  /// An embedded file.
  public static let id3MetadataKeyGeneralEncapsulatedObject = AVMetadataKey(rawValue: "GEOB")
  /// An identifier of the file in a database.
  public static let id3MetadataKeyUniqueFileIdentifier = AVMetadataKey(rawValue: "UFID")
  /// The table of contents of the CD.
  public static let id3MetadataKeyMusicCDIdentifier = AVMetadataKey(rawValue: "MCDI")
  /// The address of the file's official web page.
  public static let id3MetadataKeyOfficialAudioFileWebpage = AVMetadataKey(rawValue: "WOAF")
  /// The address of the artist's official web page.
  public static let id3MetadataKeyOfficialArtistWebpage = AVMetadataKey(rawValue: "WOAR")
  /// The address of the audio source's official web page.
  public static let id3MetadataKeyOfficialAudioSourceWebpage = AVMetadataKey(rawValue: "WOAS")
  /// The address of the radio station's home page.
  public static let id3MetadataKeyOfficialInternetRadioStationHomepage = AVMetadataKey(rawValue: "WORS")
  /// The address of the publisher's official web page.
  public static let id3MetadataKeyOfficialPublisherWebpage = AVMetadataKey(rawValue: "WPUB")
  /// The address of a web page with commercial information.
  public static let id3MetadataKeyCommercialInformation = AVMetadataKey(rawValue: "WCOM")
  /// The address of a web page with copyright information.
  public static let id3MetadataKeyCopyrightInformation = AVMetadataKey(rawValue: "WCOP")
  /// The address of a web page for payment.
  public static let id3MetadataKeyPayment = AVMetadataKey(rawValue: "WPAY")
}

extension AVMetadataIdentifier {
  /// An attached picture, for example the front cover.
  public static let id3MetadataAttachedPicture = AVMetadataIdentifier(rawValue: "id3/APIC")
  /// A comment; `info` contains its description.
  public static let id3MetadataComments = AVMetadataIdentifier(rawValue: "id3/COMM")
  /// The lyrics, without times.
  public static let id3MetadataUnsynchronizedLyric = AVMetadataIdentifier(rawValue: "id3/USLT")
  /// The lyrics, with times.
  public static let id3MetadataSynchronizedLyric = AVMetadataIdentifier(rawValue: "id3/SYLT")
  /// A user-defined text; `info` contains its description.
  public static let id3MetadataUserText = AVMetadataIdentifier(rawValue: "id3/TXXX")
  /// A user-defined URL; `info` contains its description.
  public static let id3MetadataUserURL = AVMetadataIdentifier(rawValue: "id3/WXXX")
  /// The title of the track.
  public static let id3MetadataTitleDescription = AVMetadataIdentifier(rawValue: "id3/TIT2")
  /// The group or category of the track.
  public static let id3MetadataContentGroupDescription = AVMetadataIdentifier(rawValue: "id3/TIT1")
  /// The subtitle of the track.
  public static let id3MetadataSubTitle = AVMetadataIdentifier(rawValue: "id3/TIT3")
  /// The artist of the track.
  public static let id3MetadataLeadPerformer = AVMetadataIdentifier(rawValue: "id3/TPE1")
  /// The orchestra, or the artist of the whole album.
  public static let id3MetadataBand = AVMetadataIdentifier(rawValue: "id3/TPE2")
  /// The conductor of the performance.
  public static let id3MetadataConductor = AVMetadataIdentifier(rawValue: "id3/TPE3")
  /// The remixer or arranger of the track.
  public static let id3MetadataModifiedBy = AVMetadataIdentifier(rawValue: "id3/TPE4")
  /// The title of the album.
  public static let id3MetadataAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TALB")
  /// The number of the track in the album: "3" or "3/12".
  public static let id3MetadataTrackNumber = AVMetadataIdentifier(rawValue: "id3/TRCK")
  /// The number of the disc in the set: "1" or "1/2".
  public static let id3MetadataPartOfASet = AVMetadataIdentifier(rawValue: "id3/TPOS")
  /// The title of the disc.
  public static let id3MetadataSetSubtitle = AVMetadataIdentifier(rawValue: "id3/TSST")
  /// The name of the genre.
  public static let id3MetadataContentType = AVMetadataIdentifier(rawValue: "id3/TCON")
  /// The composer of the track.
  public static let id3MetadataComposer = AVMetadataIdentifier(rawValue: "id3/TCOM")
  /// The author of the lyrics.
  public static let id3MetadataLyricist = AVMetadataIdentifier(rawValue: "id3/TEXT")
  /// The copyright notice.
  public static let id3MetadataCopyright = AVMetadataIdentifier(rawValue: "id3/TCOP")
  /// The publisher of the track.
  public static let id3MetadataPublisher = AVMetadataIdentifier(rawValue: "id3/TPUB")
  /// The date of the recording: a year, or a date by ISO 8601 (ID3v2.4).
  public static let id3MetadataRecordingTime = AVMetadataIdentifier(rawValue: "id3/TDRC")
  /// The date of the release (ID3v2.4).
  public static let id3MetadataReleaseTime = AVMetadataIdentifier(rawValue: "id3/TDRL")
  /// The date of the original release (ID3v2.4).
  public static let id3MetadataOriginalReleaseTime = AVMetadataIdentifier(rawValue: "id3/TDOR")
  /// The date of the encoding (ID3v2.4).
  public static let id3MetadataEncodingTime = AVMetadataIdentifier(rawValue: "id3/TDEN")
  /// The date on which the tag was written (ID3v2.4).
  public static let id3MetadataTaggingTime = AVMetadataIdentifier(rawValue: "id3/TDTG")
  /// The year of the recording (ID3v2.3).
  public static let id3MetadataYear = AVMetadataIdentifier(rawValue: "id3/TYER")
  /// The day and month of the recording, as four digits (ID3v2.3).
  public static let id3MetadataDate = AVMetadataIdentifier(rawValue: "id3/TDAT")
  /// The hour and minute of the recording, as four digits (ID3v2.3).
  public static let id3MetadataTime = AVMetadataIdentifier(rawValue: "id3/TIME")
  /// The dates of the recording, as text (ID3v2.3).
  public static let id3MetadataRecordingDates = AVMetadataIdentifier(rawValue: "id3/TRDA")
  /// The duration of the track, in milliseconds.
  public static let id3MetadataLength = AVMetadataIdentifier(rawValue: "id3/TLEN")
  /// The tempo, in beats per minute.
  public static let id3MetadataBeatsPerMinute = AVMetadataIdentifier(rawValue: "id3/TBPM")
  /// The musical key at the beginning.
  public static let id3MetadataInitialKey = AVMetadataIdentifier(rawValue: "id3/TKEY")
  /// The languages of the lyrics or speech.
  public static let id3MetadataLanguage = AVMetadataIdentifier(rawValue: "id3/TLAN")
  /// The person or company that encoded the file.
  public static let id3MetadataEncodedBy = AVMetadataIdentifier(rawValue: "id3/TENC")
  /// The program and settings that encoded the file.
  public static let id3MetadataEncodedWith = AVMetadataIdentifier(rawValue: "id3/TSSE")
  /// The type of the audio data.
  public static let id3MetadataFileType = AVMetadataIdentifier(rawValue: "id3/TFLT")
  /// The medium from which the audio was taken.
  public static let id3MetadataMediaType = AVMetadataIdentifier(rawValue: "id3/TMED")
  /// The mood of the track.
  public static let id3MetadataMood = AVMetadataIdentifier(rawValue: "id3/TMOO")
  /// The owner of the file.
  public static let id3MetadataFileOwner = AVMetadataIdentifier(rawValue: "id3/TOWN")
  /// The artist of the original recording.
  public static let id3MetadataOriginalArtist = AVMetadataIdentifier(rawValue: "id3/TOPE")
  /// The album of the original recording.
  public static let id3MetadataOriginalAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TOAL")
  /// The author of the original lyrics.
  public static let id3MetadataOriginalLyricist = AVMetadataIdentifier(rawValue: "id3/TOLY")
  /// The original name of the file.
  public static let id3MetadataOriginalFilename = AVMetadataIdentifier(rawValue: "id3/TOFN")
  /// The year of the original release (ID3v2.3).
  public static let id3MetadataOriginalReleaseYear = AVMetadataIdentifier(rawValue: "id3/TORY")
  /// The International Standard Recording Code (ISRC) of the recording.
  public static let id3MetadataInternationalStandardRecordingCode = AVMetadataIdentifier(rawValue: "id3/TSRC")
  /// The name of the internet radio station.
  public static let id3MetadataInternetRadioStationName = AVMetadataIdentifier(rawValue: "id3/TRSN")
  /// The owner of the internet radio station.
  public static let id3MetadataInternetRadioStationOwner = AVMetadataIdentifier(rawValue: "id3/TRSO")
  /// The form of the album's title used for sorting.
  public static let id3MetadataAlbumSortOrder = AVMetadataIdentifier(rawValue: "id3/TSOA")
  /// The form of the artist's name used for sorting.
  public static let id3MetadataPerformerSortOrder = AVMetadataIdentifier(rawValue: "id3/TSOP")
  /// The form of the track's title used for sorting.
  public static let id3MetadataTitleSortOrder = AVMetadataIdentifier(rawValue: "id3/TSOT")
  /// The silence before the track in a playlist, in milliseconds.
  public static let id3MetadataPlaylistDelay = AVMetadataIdentifier(rawValue: "id3/TDLY")
  /// A rating and a play count.
  public static let id3MetadataPopularimeter = AVMetadataIdentifier(rawValue: "id3/POPM")
  /// The play count.
  public static let id3MetadataPlayCounter = AVMetadataIdentifier(rawValue: "id3/PCNT")
  /// Private data of a program.
  public static let id3MetadataPrivate = AVMetadataIdentifier(rawValue: "id3/PRIV")
  /// An embedded file.
  public static let id3MetadataGeneralEncapsulatedObject = AVMetadataIdentifier(rawValue: "id3/GEOB")
  /// An identifier of the file in a database.
  public static let id3MetadataUniqueFileIdentifier = AVMetadataIdentifier(rawValue: "id3/UFID")
  /// The table of contents of the CD.
  public static let id3MetadataMusicCDIdentifier = AVMetadataIdentifier(rawValue: "id3/MCDI")
  /// The address of the file's official web page.
  public static let id3MetadataOfficialAudioFileWebpage = AVMetadataIdentifier(rawValue: "id3/WOAF")
  /// The address of the artist's official web page.
  public static let id3MetadataOfficialArtistWebpage = AVMetadataIdentifier(rawValue: "id3/WOAR")
  /// The address of the audio source's official web page.
  public static let id3MetadataOfficialAudioSourceWebpage = AVMetadataIdentifier(rawValue: "id3/WOAS")
  /// The address of the radio station's home page.
  public static let id3MetadataOfficialInternetRadioStationHomepage = AVMetadataIdentifier(
    rawValue: "id3/WORS")
  /// The address of the publisher's official web page.
  public static let id3MetadataOfficialPublisherWebpage = AVMetadataIdentifier(rawValue: "id3/WPUB")
  /// The address of a web page with commercial information.
  public static let id3MetadataCommercialInformation = AVMetadataIdentifier(rawValue: "id3/WCOM")
  /// The address of a web page with copyright information.
  public static let id3MetadataCopyrightInformation = AVMetadataIdentifier(rawValue: "id3/WCOP")
  /// The address of a web page for payment.
  public static let id3MetadataPayment = AVMetadataIdentifier(rawValue: "id3/WPAY")
}
