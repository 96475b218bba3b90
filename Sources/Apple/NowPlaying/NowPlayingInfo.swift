import Foundation

/// The metadata of the current item.
package struct NowPlayingInfo: Hashable, Sendable {
  package var title, album, comments, lyrics, url: String?
  package var artists: [String] = []
  package var albumArtists: [String] = []
  package var composers: [String] = []
  package var genres: [String] = []
  /// The duration in seconds, positive; nil if unknown, and for a live stream.
  package var duration: Double?
  package var trackNumber, discNumber, playCount, beatsPerMinute: Int?
  /// The rating, 0…5.
  var rating: Double?
  var releaseDate: Date?
  /// The elapsed time in seconds, not negative; nil if the application does not state it.
  var elapsed: Double?
  /// The playback rate; 0 while paused.
  package var rate = 1.0
  /// The application's normal playback rate, positive.
  package var defaultRate = 1.0
  /// Whether the item is a live stream, which is not seekable.
  var isLive = false
  /// The application's identifiers, which distinguish items with equal texts.
  private var marks: [String?] = []

  package init() {}

  /// Reads the dictionary of `MPNowPlayingInfoCenter`. Values of a wrong type, numbers that are not finite and
  /// empty texts count as missing.
  init(_ values: [String: Any]) {
    func text(_ key: String) -> String? { (values[key] as? String).flatMap { $0.isEmpty ? nil : $0 } }
    func texts(_ key: String) -> [String] { text(key).map { [$0] } ?? [] }
    func number(_ key: String) -> Double? { values[key].flatMap(Self.number) }
    func count(_ key: String) -> Int? { number(key).flatMap { $0 >= 0 ? Int(exactly: $0.rounded()) : nil } }
    title = text(MPMediaItemPropertyTitle)
    artists = texts(MPMediaItemPropertyArtist)
    album = text(MPMediaItemPropertyAlbumTitle) ?? text(MPMediaItemPropertyPodcastTitle)
    albumArtists = texts(MPMediaItemPropertyAlbumArtist)
    composers = texts(MPMediaItemPropertyComposer)
    genres = texts(MPMediaItemPropertyGenre)
    comments = text(MPMediaItemPropertyComments)
    lyrics = text(MPMediaItemPropertyLyrics)
    url =
      [MPNowPlayingInfoPropertyAssetURL, MPMediaItemPropertyAssetURL].lazy.compactMap { values[$0] as? URL }
      .first?.absoluteString
    isLive = number(MPNowPlayingInfoPropertyIsLiveStream) == 1
    duration = number(MPMediaItemPropertyPlaybackDuration).flatMap { $0 > 0 ? $0 : nil }
    if isLive { duration = nil }
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
      values[MPMediaItemPropertyPersistentID].flatMap(Self.digits),
      values[MPNowPlayingInfoPropertyPlaybackQueueIndex].flatMap(Self.digits),
    ]
  }

  /// Returns whether `other` has the same title, artists, album, URL and identifiers. The duration is ignored, because it
  /// often becomes known later.
  func isSameItem(as other: NowPlayingInfo?) -> Bool {
    guard let other else { return false }
    return [title, album, url] == [other.title, other.album, other.url] && artists == other.artists
      && marks == other.marks
  }

  /// Returns a number of any type as a `Double`; nil if it is not finite, and for other values. True is 1,
  /// and false 0.
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

  /// Returns a number of any type as text; nil for other values. Exact also above 2^53, where `Double` rounds
  /// 64-bit integers such as persistent identifiers.
  private static func digits(_ value: Any) -> String? {
    number(value).map { abs($0) < 0x1p53 ? "\($0)" : "\(value)" }
  }
}
