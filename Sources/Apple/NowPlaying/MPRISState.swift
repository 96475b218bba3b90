import Foundation
import HostTime

/// The complete state of an MPRIS player, as a value, and its properties in D-Bus form.
struct MPRISState: Hashable, Sendable {
  /// The value of `PlaybackStatus`.
  enum Status: String, Sendable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
  }

  /// The program's name for users.
  var identity = ""
  /// The current item; nil if none.
  var info: NowPlayingInfo?
  /// The number of the current item, counted from 1.
  var itemNumber = 0
  /// The URL of the artwork.
  var artworkURL: String?
  var status = Status.stopped
  var line = PlaybackLine()
  var offer = CommandOffer()

  // MARK: Derived

  /// Returns the MPRIS status for the given playback state and item.
  static func status(_ state: MPNowPlayingPlaybackState, _ info: NowPlayingInfo?) -> Status {
    switch state {
    case .playing: .playing
    case .paused, .interrupted: .paused
    case .stopped: .stopped
    case .unknown: info.map { $0.rate == 0 ? .paused : .playing } ?? .stopped
    }
  }

  /// The object path of the current item.
  var trackPath: String {
    info == nil ? "/org/mpris/MediaPlayer2/TrackList/NoTrack" : "/org/continuo/item/\(itemNumber)"
  }

  var canPlay: Bool { offer.has([.play, .toggle]) }
  var canPause: Bool { offer.has([.pause, .toggle]) }
  var canGoNext: Bool { offer.has([.next, .skipForward]) }
  var canGoPrevious: Bool { offer.has([.previous, .skipBackward]) }
  var canSeek: Bool { offer.has([.position, .skipForward, .skipBackward]) }

  /// The rate in the sense of MPRIS: the rate while playing, also if paused.
  private var rate: Double {
    guard let info else { return 1 }
    return info.rate > 0 ? info.rate : info.defaultRate
  }

  // MARK: Properties

  /// The properties of `org.mpris.MediaPlayer2`.
  var applicationProperties: [String: BusValue] {
    [
      "Identity": .string(identity), "CanQuit": .bool(false), "CanRaise": .bool(false),
      "HasTrackList": .bool(false), "SupportedUriSchemes": .strings([]), "SupportedMimeTypes": .strings([]),
    ]
  }

  /// The properties of `org.mpris.MediaPlayer2.Player` except `Position`, whose changes are not signalled.
  var playerProperties: [String: BusValue] {
    var properties: [String: BusValue] = [
      "PlaybackStatus": .string(status.rawValue), "Rate": .double(rate), "Metadata": .dictionary(metadata),
      "Volume": .double(1), "MinimumRate": .double(min(offer.rates.min() ?? 1, rate)),
      "MaximumRate": .double(max(offer.rates.max() ?? 1, rate)), "CanControl": .bool(true),
      "CanPlay": .bool(canPlay), "CanPause": .bool(canPause), "CanGoNext": .bool(canGoNext),
      "CanGoPrevious": .bool(canGoPrevious), "CanSeek": .bool(canSeek),
    ]
    // Optional properties: their absence indicates that the mode cannot be set.
    if offer.has(.repeatMode) {
      let status =
        switch offer.repeatType {
        case .off: "None"
        case .one: "Track"
        case .all: "Playlist"
        }
      properties["LoopStatus"] = .string(status)
    }
    if offer.has(.shuffleMode) { properties["Shuffle"] = .bool(offer.shuffleType != .off) }
    return properties
  }

  /// Returns `Position` at the given time, in microseconds.
  func position(at now: HostTime) -> BusValue { .int64(Self.microseconds(line.position(at: now))) }

  /// Converts seconds to microseconds, clamped to 0…10¹² s to avoid an overflow.
  static func microseconds(_ seconds: Double) -> Int64 { Int64((min(max(seconds, 0), 1e12) * 1e6).rounded()) }

  /// The `Metadata` property.
  var metadata: [String: BusValue] {
    var values: [String: BusValue] = ["mpris:trackid": .objectPath(trackPath)]
    guard let info else { return values }
    func add(_ key: String, _ value: BusValue?) { if let value { values[key] = value } }
    func texts(_ text: String?) -> BusValue? { text.map { .strings([$0]) } }
    func number(_ number: Int?) -> BusValue? { number.flatMap { Int32(exactly: $0) }.map { .int32($0) } }
    add("mpris:length", info.duration.map { .int64(Self.microseconds($0)) })
    add("mpris:artUrl", artworkURL.map { .string($0) })
    add("xesam:title", info.title.map { .string($0) })
    add("xesam:artist", texts(info.artist))
    add("xesam:album", info.album.map { .string($0) })
    add("xesam:albumArtist", texts(info.albumArtist))
    add("xesam:composer", texts(info.composer))
    add("xesam:genre", texts(info.genre))
    add("xesam:comment", texts(info.comments))
    add("xesam:asText", info.lyrics.map { .string($0) })
    add("xesam:url", info.url.map { .string($0) })
    add("xesam:trackNumber", number(info.trackNumber))
    add("xesam:discNumber", number(info.discNumber))
    add("xesam:useCount", number(info.playCount))
    add("xesam:audioBPM", number(info.beatsPerMinute))
    add("xesam:userRating", info.rating.map { .double($0 / 5) })
    add("xesam:contentCreated", info.releaseDate.map { .string($0.formatted(.iso8601)) })
    return values
  }
}
