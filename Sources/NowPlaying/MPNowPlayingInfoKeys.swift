// The keys of `MPNowPlayingInfoCenter.nowPlayingInfo`, with Apple's names and values. "Not shown" means that it is kept
// and given back, and has no counterpart on the session bus. Numbers may be `NSNumber` or any of Swift's types.

// MARK: The item

/// The title: `String`.
public let MPMediaItemPropertyTitle = "title"
/// The artist: `String`.
public let MPMediaItemPropertyArtist = "artist"
/// The album's title: `String`.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
/// The artist of the album as a whole: `String`.
public let MPMediaItemPropertyAlbumArtist = "albumArtist"
/// The composer: `String`.
public let MPMediaItemPropertyComposer = "composer"
/// The genre: `String`.
public let MPMediaItemPropertyGenre = "genre"
/// The length in seconds: a number.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
/// The picture: `MPMediaItemArtwork`.
public let MPMediaItemPropertyArtwork = "artwork"
/// Which track of the album it is: a number from 1 on.
public let MPMediaItemPropertyAlbumTrackNumber = "albumTrackNumber"
/// How many tracks the album has: a number. Not shown.
public let MPMediaItemPropertyAlbumTrackCount = "albumTrackCount"
/// Which disc of the album it is on: a number from 1 on.
public let MPMediaItemPropertyDiscNumber = "discNumber"
/// How many discs the album has: a number. Not shown.
public let MPMediaItemPropertyDiscCount = "discCount"
/// The application's own number of the item. Not shown; another one is another item.
public let MPMediaItemPropertyPersistentID = "persistentID"
/// The kind of media: the raw value of an `MPMediaType`. Not shown.
public let MPMediaItemPropertyMediaType = "mediaType"
/// Where the media is: `URL`.
public let MPMediaItemPropertyAssetURL = "assetURL"
/// The user's rating: a number of 0…5 stars.
public let MPMediaItemPropertyRating = "rating"
/// How often it was played: a number.
public let MPMediaItemPropertyPlayCount = "playCount"
/// How often it was skipped: a number. Not shown.
public let MPMediaItemPropertySkipCount = "skipCount"
/// The words of a song: `String`.
public let MPMediaItemPropertyLyrics = "lyrics"
/// Remarks: `String`.
public let MPMediaItemPropertyComments = "comments"
/// When it was published: `Date`.
public let MPMediaItemPropertyReleaseDate = "releaseDate"
/// The tempo: a number.
public let MPMediaItemPropertyBeatsPerMinute = "beatsPerMinute"
/// The podcast that it is an episode of: `String`. Shown as the album if there is none.
public let MPMediaItemPropertyPodcastTitle = "podcastTitle"
/// Whether it is for adults only: `Bool`. Not shown.
public let MPMediaItemPropertyIsExplicit = "isExplicit"
/// Where the user stopped, in seconds: a number. Not shown.
public let MPMediaItemPropertyBookmarkTime = "bookmarkTime"

// MARK: Its playback

/// The time that is heard at the moment when the dictionary is set, in seconds: a number. From then on it is
/// computed with the rate; setting it anew is needed only when it changes in another way.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"
/// The rate of playback at the moment when the dictionary is set: a number; 0 while paused. 1 if it is not
/// there.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
/// The rate at which the application plays when it plays: a number. 1 if it is not there.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate = "MPNowPlayingInfoPropertyDefaultPlaybackRate"
/// The item's place in the application's queue, from 0: a number. Not shown; another one is another item.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"
/// How many items the queue has: a number. Not shown.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"
/// Which part of the item was played, 0…1: a number. Not shown.
public let MPNowPlayingInfoPropertyPlaybackProgress = "MPNowPlayingInfoPropertyPlaybackProgress"
/// The number of the chapter, from 0: a number. Not shown.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"
/// How many chapters the item has: a number. Not shown.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"
/// Whether it is a live stream: `Bool`. It has no length then, and no place to seek to.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"
/// The kind of media: the raw value of an `MPNowPlayingInfoMediaType`. Not shown.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"
/// Where the media is: `URL`. Goes before `MPMediaItemPropertyAssetURL`.
public let MPNowPlayingInfoPropertyAssetURL = "MPNowPlayingInfoPropertyAssetURL"
/// The application's own name of the item: `String`. Not shown; another one is another item.
public let MPNowPlayingInfoPropertyExternalContentIdentifier =
  "MPNowPlayingInfoPropertyExternalContentIdentifier"
/// The application's own name of the user: `String`. Not shown.
public let MPNowPlayingInfoPropertyExternalUserProfileIdentifier =
  "MPNowPlayingInfoPropertyExternalUserProfileIdentifier"
/// The service that the item comes from: `String`. Not shown.
public let MPNowPlayingInfoPropertyServiceIdentifier = "MPNowPlayingInfoPropertyServiceIdentifier"
/// The application's own name of the queue: `String`. Not shown.
public let MPNowPlayingInfoCollectionIdentifier = "MPNowPlayingInfoCollectionIdentifier"
/// The time of day that is heard: `Date`. Not shown.
public let MPNowPlayingInfoPropertyCurrentPlaybackDate = "MPNowPlayingInfoPropertyCurrentPlaybackDate"
/// When the credits begin, in seconds: a number. Not shown.
public let MPNowPlayingInfoPropertyCreditsStartTime = "MPNowPlayingInfoPropertyCreditsStartTime"
/// When there is advertising: an array of `NSValue`. Not shown.
public let MPNowPlayingInfoPropertyAdTimeRanges = "MPNowPlayingInfoPropertyAdTimeRanges"
/// Whether the item is to be left out of suggestions: `Bool`. Without effect.
public let MPNowPlayingInfoPropertyExcludeFromSuggestions = "MPNowPlayingInfoPropertyExcludeFromSuggestions"
/// The languages to choose from: `[MPNowPlayingInfoLanguageOptionGroup]`. Not shown.
public let MPNowPlayingInfoPropertyAvailableLanguageOptions =
  "MPNowPlayingInfoPropertyAvailableLanguageOptions"
/// The languages that were chosen: `[MPNowPlayingInfoLanguageOption]`. Not shown.
public let MPNowPlayingInfoPropertyCurrentLanguageOptions =
  "MPNowPlayingInfoPropertyCurrentLanguageOptions"
