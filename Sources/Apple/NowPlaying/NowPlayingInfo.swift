import Foundation

/// The application's item metadata, from the dictionary of `MPNowPlayingInfoCenter`. Values of a wrong type,
/// numbers that are not finite and empty texts count as missing.
struct NowPlayingInfo: Hashable, Sendable {
  var title, artist, album, albumArtist, composer, genre, comments, lyrics, url: String?
  /// The duration in seconds, positive.
  var duration: Double?
  var trackNumber, discNumber, playCount, beatsPerMinute: Int?
  /// The rating, 0…5.
  var rating: Double?
  var releaseDate: Date?
  /// The elapsed time in seconds, not negative.
  var elapsed: Double?
  /// The playback rate; 0 while paused.
  var rate = 1.0
  /// The rate while playing, positive.
  var defaultRate = 1.0
  /// The application's identifiers, which distinguish items with equal texts.
  private var marks: [String?] = []

  init(_ values: [String: Any]) {
    func text(_ key: String) -> String? { (values[key] as? String).flatMap { $0.isEmpty ? nil : $0 } }
    func number(_ key: String) -> Double? { values[key].flatMap(Self.number) }
    func count(_ key: String) -> Int? { number(key).flatMap { $0 >= 0 ? Int(exactly: $0.rounded()) : nil } }
    title = text(MPMediaItemPropertyTitle)
    artist = text(MPMediaItemPropertyArtist)
    album = text(MPMediaItemPropertyAlbumTitle) ?? text(MPMediaItemPropertyPodcastTitle)
    albumArtist = text(MPMediaItemPropertyAlbumArtist)
    composer = text(MPMediaItemPropertyComposer)
    genre = text(MPMediaItemPropertyGenre)
    comments = text(MPMediaItemPropertyComments)
    lyrics = text(MPMediaItemPropertyLyrics)
    url =
      [MPNowPlayingInfoPropertyAssetURL, MPMediaItemPropertyAssetURL].lazy.compactMap { values[$0] as? URL }
      .first?.absoluteString
    let isLive = number(MPNowPlayingInfoPropertyIsLiveStream) == 1
    duration = number(MPMediaItemPropertyPlaybackDuration).flatMap { $0 > 0 && !isLive ? $0 : nil }
    trackNumber = count(MPMediaItemPropertyAlbumTrackNumber)
    discNumber = count(MPMediaItemPropertyDiscNumber)
    playCount = count(MPMediaItemPropertyPlayCount)
    beatsPerMinute = count(MPMediaItemPropertyBeatsPerMinute)
    rating = number(MPMediaItemPropertyRating).map { min(max($0, 0), 5) }
    releaseDate = values[MPMediaItemPropertyReleaseDate] as? Date
    elapsed = number(MPNowPlayingInfoPropertyElapsedPlaybackTime).map { max($0, 0) }
    rate = number(MPNowPlayingInfoPropertyPlaybackRate) ?? 1
    defaultRate = number(MPNowPlayingInfoPropertyDefaultPlaybackRate).flatMap { $0 > 0 ? $0 : nil } ?? 1
    marks = [
      text(MPNowPlayingInfoPropertyExternalContentIdentifier),
      number(MPMediaItemPropertyPersistentID)?.description,
      number(MPNowPlayingInfoPropertyPlaybackQueueIndex)?.description,
    ]
  }

  /// Returns whether `other` describes the same item. The duration is ignored: it often becomes known later.
  func isSameItem(as other: NowPlayingInfo?) -> Bool {
    guard let other else { return false }
    return [title, artist, album, url] == [other.title, other.artist, other.album, other.url]
      && marks == other.marks
  }

  /// Converts a number of any type; nil if it is not finite. A Boolean true is 1.
  private static func number(_ value: Any) -> Double? {
    let number: Double
    switch value {
    case let value as NSNumber: number = value.doubleValue
    case let value as Bool: number = value ? 1 : 0
    case let value as any BinaryInteger: number = Double(value)
    case let value as any BinaryFloatingPoint: number = Double(value)
    default: return nil
    }
    return number.isFinite ? number : nil
  }
}
