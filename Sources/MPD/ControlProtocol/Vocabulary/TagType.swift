/// The types of tags, in the order of the `tagtypes` reply.
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

  /// The index in the order of the cases, from 0, which is also the bit in a set.
  package var index: Int { Self.indices[self] ?? 0 }

  private static let indices = Dictionary(uniqueKeysWithValues: zip(allCases, allCases.indices))

  /// Creates the type with this name, ignoring case; nil if it does not exist.
  package init?(name: Argument) {
    let wanted = name.bytes.map(\.lowercased)
    guard let found = Self.allCases.first(where: { $0.rawValue.utf8.map(\.lowercased) == wanted }) else {
      return nil
    }
    self = found
  }
}

package struct SongTag: Hashable, Sendable {
  package let type: TagType
  package var value: Argument

  package init(_ type: TagType, _ value: Argument) {
    self.type = type
    self.value = value
  }
}

/// A set of tag types, such as those that a client wants to see.
package struct TagSet: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package init(_ tag: TagType) { rawValue = 1 << UInt32(tag.index) }

  package static let all = TagSet(rawValue: (1 << UInt32(TagType.allCases.count)) - 1)

  /// The types that a client gets by default: all but `Comment`, as in mpd.
  package static let standard = TagSet.all.subtracting(TagSet(.comment))

  package func contains(index: Int) -> Bool { rawValue >> UInt32(index) & 1 == 1 }

  /// The types in the order of the `tagtypes` reply.
  package var tags: [TagType] { TagType.allCases.filter { contains(TagSet($0)) } }
}
