// The keys of `MPNowPlayingInfoCenter.nowPlayingInfo`, with Apple's names and values. A value that is "not
// published" is stored and returned, but has no counterpart on the session bus. Numbers may be `NSNumber` or
// any of Swift's number types.

// MARK: The item

/// The title: `String`.
public let MPMediaItemPropertyTitle = "title"
/// The artist: `String`.
public let MPMediaItemPropertyArtist = "artist"
/// The album's title: `String`.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
/// The artist of the whole album: `String`.
public let MPMediaItemPropertyAlbumArtist = "albumArtist"
/// The composer: `String`.
public let MPMediaItemPropertyComposer = "composer"
/// The genre: `String`.
public let MPMediaItemPropertyGenre = "genre"
/// The duration in seconds: a number.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
/// The artwork: `MPMediaItemArtwork`.
public let MPMediaItemPropertyArtwork = "artwork"
/// The number of the track on its album: a number from 1.
public let MPMediaItemPropertyAlbumTrackNumber = "albumTrackNumber"
/// The number of tracks on the album: a number. Not published.
public let MPMediaItemPropertyAlbumTrackCount = "albumTrackCount"
/// The number of the disc in its album: a number from 1.
public let MPMediaItemPropertyDiscNumber = "discNumber"
/// The number of discs in the album: a number. Not published.
public let MPMediaItemPropertyDiscCount = "discCount"
/// The application's numeric identifier of the item. Not published; a change marks a new item.
public let MPMediaItemPropertyPersistentID = "persistentID"
/// The kind of media: the raw value of an `MPMediaType`. Not published.
public let MPMediaItemPropertyMediaType = "mediaType"
/// The location of the media: `URL`.
public let MPMediaItemPropertyAssetURL = "assetURL"
/// The user's rating: a number of 0…5 stars.
public let MPMediaItemPropertyRating = "rating"
/// The number of times the item was played: a number.
public let MPMediaItemPropertyPlayCount = "playCount"
/// The number of times the item was skipped: a number. Not published.
public let MPMediaItemPropertySkipCount = "skipCount"
/// The lyrics: `String`.
public let MPMediaItemPropertyLyrics = "lyrics"
/// The comments: `String`.
public let MPMediaItemPropertyComments = "comments"
/// The release date: `Date`.
public let MPMediaItemPropertyReleaseDate = "releaseDate"
/// The tempo in beats per minute: a number.
public let MPMediaItemPropertyBeatsPerMinute = "beatsPerMinute"
/// The title of the podcast: `String`. Published as the album if the dictionary has no album title.
public let MPMediaItemPropertyPodcastTitle = "podcastTitle"
/// Whether the content is explicit: `Bool`. Not published.
public let MPMediaItemPropertyIsExplicit = "isExplicit"
/// The position at which the user stopped, in seconds: a number. Not published.
public let MPMediaItemPropertyBookmarkTime = "bookmarkTime"

// MARK: Playback

/// The playback position at the moment when the dictionary is set, in seconds: a number. From then on the
/// position is computed from the rate, so only a discontinuity such as a seek requires a new value.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"
/// The playback rate at the moment when the dictionary is set: a number; 0 while paused. The default is 1.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
/// The normal playback rate of the application: a number. The default is 1.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate = "MPNowPlayingInfoPropertyDefaultPlaybackRate"
/// The index of the item in the application's queue, from 0: a number. Not published; a change marks a new
/// item.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"
/// The number of items in the queue: a number. Not published.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"
/// The fraction of the item that was played, 0…1: a number. Not published.
public let MPNowPlayingInfoPropertyPlaybackProgress = "MPNowPlayingInfoPropertyPlaybackProgress"
/// The index of the chapter, from 0: a number. Not published.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"
/// The number of chapters in the item: a number. Not published.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"
/// Whether the item is a live stream: `Bool`. A live stream is published without a duration.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"
/// The kind of media: the raw value of an `MPNowPlayingInfoMediaType`. Not published.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"
/// The location of the media: `URL`. Takes precedence over `MPMediaItemPropertyAssetURL`.
public let MPNowPlayingInfoPropertyAssetURL = "MPNowPlayingInfoPropertyAssetURL"
/// The application's identifier of the item: `String`. Not published; a change marks a new item.
public let MPNowPlayingInfoPropertyExternalContentIdentifier =
  "MPNowPlayingInfoPropertyExternalContentIdentifier"
/// The application's identifier of the user: `String`. Not published.
public let MPNowPlayingInfoPropertyExternalUserProfileIdentifier =
  "MPNowPlayingInfoPropertyExternalUserProfileIdentifier"
/// The service that provides the item: `String`. Not published.
public let MPNowPlayingInfoPropertyServiceIdentifier = "MPNowPlayingInfoPropertyServiceIdentifier"
/// The application's identifier of the queue: `String`. Not published.
public let MPNowPlayingInfoCollectionIdentifier = "MPNowPlayingInfoCollectionIdentifier"
/// The date and time of the content at the current position: `Date`. Not published.
public let MPNowPlayingInfoPropertyCurrentPlaybackDate = "MPNowPlayingInfoPropertyCurrentPlaybackDate"
/// The start of the credits, in seconds: a number. Not published.
public let MPNowPlayingInfoPropertyCreditsStartTime = "MPNowPlayingInfoPropertyCreditsStartTime"
/// The time ranges of advertisements: an array of `NSValue`. Not published.
public let MPNowPlayingInfoPropertyAdTimeRanges = "MPNowPlayingInfoPropertyAdTimeRanges"
/// Whether suggestions should exclude the item: `Bool`. Without effect.
public let MPNowPlayingInfoPropertyExcludeFromSuggestions = "MPNowPlayingInfoPropertyExcludeFromSuggestions"
/// The available languages: `[MPNowPlayingInfoLanguageOptionGroup]`. Not published.
public let MPNowPlayingInfoPropertyAvailableLanguageOptions =
  "MPNowPlayingInfoPropertyAvailableLanguageOptions"
/// The selected languages: `[MPNowPlayingInfoLanguageOption]`. Not published.
public let MPNowPlayingInfoPropertyCurrentLanguageOptions = "MPNowPlayingInfoPropertyCurrentLanguageOptions"
