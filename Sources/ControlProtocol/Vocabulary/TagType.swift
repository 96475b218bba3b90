/// The tags a song can have, in the order in which `tagtypes` names them.
package enum TagType: String, Hashable, Sendable, CaseIterable {
  case artist = "Artist"
  case artistSort = "ArtistSort"
  case album = "Album"
  case albumSort = "AlbumSort"
  case albumArtist = "AlbumArtist"
  case albumArtistSort = "AlbumArtistSort"
  case title = "Title"
  case track = "Track"
  case name = "Name"
  case genre = "Genre"
  case date = "Date"
  case originalDate = "OriginalDate"
  case composer = "Composer"
  case composerSort = "ComposerSort"
  case performer = "Performer"
  case conductor = "Conductor"
  case work = "Work"
  case movement = "Movement"
  case movementNumber = "MovementNumber"
  case ensemble = "Ensemble"
  case location = "Location"
  case grouping = "Grouping"
  case comment = "Comment"
  case disc = "Disc"
  case label = "Label"
  case musicBrainzArtistID = "MUSICBRAINZ_ARTISTID"
  case musicBrainzAlbumID = "MUSICBRAINZ_ALBUMID"
  case musicBrainzAlbumArtistID = "MUSICBRAINZ_ALBUMARTISTID"
  case musicBrainzTrackID = "MUSICBRAINZ_TRACKID"
  case musicBrainzReleaseTrackID = "MUSICBRAINZ_RELEASETRACKID"
  case musicBrainzWorkID = "MUSICBRAINZ_WORKID"

  /// Its place in the order, from 0: its bit in a set.
  package var index: Int { Self.indices[self] ?? 0 }

  private static let indices = Dictionary(uniqueKeysWithValues: zip(allCases, allCases.indices))

  /// The tag with this name, in capitals or small letters; `nil` if there is none.
  package init?(name: Argument) {
    let wanted = name.bytes.map(\.lowercased)
    guard let found = Self.allCases.first(where: { $0.rawValue.utf8.map(\.lowercased) == wanted }) else {
      return nil
    }
    self = found
  }
}

/// One tag of a song.
package struct SongTag: Hashable, Sendable {
  /// Which one.
  package let type: TagType
  /// What it says.
  package var value: Argument

  /// A tag.
  package init(_ type: TagType, _ value: Argument) {
    self.type = type
    self.value = value
  }
}

/// A set of tags: which ones a client wants to see.
package struct TagSet: OptionSet, Hashable, Sendable {
  /// One bit for each.
  package let rawValue: UInt32

  /// The set with these bits.
  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The set of one tag.
  package init(_ tag: TagType) { rawValue = 1 << UInt32(tag.index) }

  /// Every tag.
  package static let all = TagSet(rawValue: (1 << UInt32(TagType.allCases.count)) - 1)

  /// What a client sees until it says otherwise: all but `Comment`, as mpd's default has it.
  package static let standard = TagSet.all.subtracting(TagSet(.comment))

  /// Whether the tag with this place in the order is one of them.
  package func contains(index: Int) -> Bool { rawValue >> UInt32(index) & 1 == 1 }

  /// The tags in the order of `tagtypes`.
  package var tags: [TagType] {
    TagType.allCases.filter { contains(TagSet($0)) }
  }
}
