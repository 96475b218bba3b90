import Foundation
import HostTime
import SessionBus

/// All that an MPRIS player shows, as a value, and its properties as they go over the bus.
struct MPRISState: Hashable, Sendable {
  /// `PlaybackStatus`.
  enum Status: String, Sendable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
  }

  /// The program's name for a person.
  var identity = ""
  /// The item; nil: none.
  var info: NowPlayingInfo?
  /// Counts the items, from 1.
  var itemNumber = 0
  /// The picture's address.
  var artworkURL: String?
  var status = Status.stopped
  var line = PlaybackLine()
  var offer = CommandOffer()

  // MARK: Derived

  /// Which status an application has that says this.
  static func status(_ state: MPNowPlayingPlaybackState, _ info: NowPlayingInfo?) -> Status {
    switch state {
    case .playing: .playing
    case .paused, .interrupted: .paused
    case .stopped: .stopped
    case .unknown: info.map { $0.rate == 0 ? .paused : .playing } ?? .stopped
    }
  }

  /// The object path of the item.
  var trackPath: String {
    info == nil ? "/org/mpris/MediaPlayer2/TrackList/NoTrack" : "/org/continuo/item/\(itemNumber)"
  }

  var canPlay: Bool { offer.has([.play, .toggle]) }
  var canPause: Bool { offer.has([.pause, .toggle]) }
  var canGoNext: Bool { offer.has([.next, .skipForward]) }
  var canGoPrevious: Bool { offer.has([.previous, .skipBackward]) }
  var canSeek: Bool { offer.has([.position, .skipForward, .skipBackward]) }

  /// The rate as MPRIS has it: that of playing, also while paused.
  private var rate: Double {
    guard let info else { return 1 }
    return info.rate > 0 ? info.rate : info.defaultRate
  }

  // MARK: Properties

  /// Those of `org.mpris.MediaPlayer2`.
  var applicationProperties: [String: BusValue] {
    [
      "Identity": .string(identity), "CanQuit": .bool(false), "CanRaise": .bool(false),
      "HasTrackList": .bool(false), "SupportedUriSchemes": .strings([]), "SupportedMimeTypes": .strings([]),
    ]
  }

  /// Those of `org.mpris.MediaPlayer2.Player` but for `Position`, whose changes are not announced.
  var playerProperties: [String: BusValue] {
    var properties: [String: BusValue] = [
      "PlaybackStatus": .string(status.rawValue), "Rate": .double(rate), "Metadata": .dictionary(metadata),
      "Volume": .double(1), "MinimumRate": .double(min(offer.rates.min() ?? 1, rate)),
      "MaximumRate": .double(max(offer.rates.max() ?? 1, rate)), "CanControl": .bool(true),
      "CanPlay": .bool(canPlay), "CanPause": .bool(canPause), "CanGoNext": .bool(canGoNext),
      "CanGoPrevious": .bool(canGoPrevious), "CanSeek": .bool(canSeek),
    ]
    // These two are optional, so that a client sees whether they can be had.
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

  /// `Position` at a moment: microseconds.
  func position(at now: HostTime) -> BusValue { .int64(Self.microseconds(line.position(at: now))) }

  /// Microseconds that surely fit.
  static func microseconds(_ seconds: Double) -> Int64 { Int64((min(max(seconds, 0), 1e12) * 1e6).rounded()) }

  /// `Metadata`.
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
