package import Clocks
import Foundation

/// The complete state of an MPRIS player, as a value, and its properties in D-Bus form.
package struct MPRISState: Hashable, Sendable {
  /// The value of `PlaybackStatus`.
  package enum Status: String, Sendable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
  }

  /// The values of `LoopStatus`, in the order of `MPRepeatType`.
  static let loops = ["None", "Track", "Playlist"]

  var identity = ""
  package var info: NowPlayingInfo?
  /// The number of the current item, by which clients distinguish items.
  package var itemNumber = 0
  /// The URL of the artwork; nil for none. The publisher replaces it with the URL of the image's file, if any.
  package var artworkURL: String?
  package var status = Status.stopped
  package var line = PlaybackLine()
  package var offer = CommandOffer()

  package init() {}

  static func status(_ state: MPNowPlayingPlaybackState, _ info: NowPlayingInfo?) -> Status {
    switch state {
    case .playing: .playing
    case .paused, .interrupted: .paused
    case .stopped: .stopped
    case .unknown: info.map { $0.rate == 0 ? .paused : .playing } ?? .stopped
    }
  }

  var trackPath: String {
    info == nil ? "/org/mpris/MediaPlayer2/TrackList/NoTrack" : "/org/continuo/item/\(itemNumber)"
  }

  /// The value of `Rate`: the rate in `info` if positive, otherwise the default rate, because MPRIS indicates
  /// a pause by `PlaybackStatus` alone. 1 without `info`.
  private var rate: Double {
    guard let info else { return 1 }
    return info.rate > 0 ? info.rate : info.defaultRate
  }

  /// Whether the position can be changed. False in a live stream, even if the application offers such a command.
  var canSeek: Bool {
    info?.isLive != true && offer.has([.position, .skipForward, .skipBackward])
  }

  // MARK: Properties

  var applicationProperties: [String: BusValue] {
    [
      "Identity": .string(identity), "CanQuit": .bool(false), "CanRaise": .bool(false),
      "HasTrackList": .bool(false), "SupportedUriSchemes": .strings(offer.schemes),
      "SupportedMimeTypes": .strings(offer.mimeTypes),
    ]
  }

  /// The properties of `org.mpris.MediaPlayer2.Player` except `Position`, whose changes are not signalled.
  var playerProperties: [String: BusValue] {
    var properties: [String: BusValue] = [
      "PlaybackStatus": .string(status.rawValue), "Rate": .double(rate), "Metadata": .dictionary(metadata),
      "Volume": .double(offer.volume), "MinimumRate": .double(min(offer.rates.min() ?? 1, rate)),
      "MaximumRate": .double(max(offer.rates.max() ?? 1, rate)), "CanControl": .bool(true),
      "CanPlay": .bool(offer.has([.play, .toggle])), "CanPause": .bool(offer.has([.pause, .toggle])),
      "CanGoNext": .bool(offer.has([.next, .skipForward])),
      "CanGoPrevious": .bool(offer.has([.previous, .skipBackward])),
      "CanSeek": .bool(canSeek),
    ]
    // Optional properties, whose absence indicates that the mode cannot be set.
    if offer.has(.repeatMode) { properties["LoopStatus"] = .string(Self.loops[offer.repeatType.rawValue]) }
    if offer.has(.shuffleMode) { properties["Shuffle"] = .bool(offer.shuffleType != .off) }
    return properties
  }

  /// Returns `Position` at the given time, in microseconds.
  func position(at now: HostTime) -> BusValue { .int64(Self.microseconds(line.position(at: now))) }

  /// Returns seconds converted to microseconds, clamped to 0…10¹² s to avoid an overflow.
  static func microseconds(_ seconds: Double) -> Int64 { Int64((min(max(seconds, 0), 1e12) * 1e6).rounded()) }

  var metadata: [String: BusValue] {
    var values: [String: BusValue] = ["mpris:trackid": .objectPath(trackPath)]
    guard let info else { return values }
    func texts(_ texts: [String]) -> BusValue? { texts.isEmpty ? nil : .strings(texts) }
    func number(_ number: Int?) -> BusValue? { number.flatMap { Int32(exactly: $0) }.map { .int32($0) } }
    values["mpris:length"] = info.duration.map { .int64(Self.microseconds($0)) }
    values["mpris:artUrl"] = artworkURL.map { .string($0) }
    values["xesam:title"] = info.title.map { .string($0) }
    values["xesam:artist"] = texts(info.artists)
    values["xesam:album"] = info.album.map { .string($0) }
    values["xesam:albumArtist"] = texts(info.albumArtists)
    values["xesam:composer"] = texts(info.composers)
    values["xesam:genre"] = texts(info.genres)
    values["xesam:comment"] = texts(info.comments.map { [$0] } ?? [])
    values["xesam:asText"] = info.lyrics.map { .string($0) }
    values["xesam:url"] = info.url.map { .string($0) }
    values["xesam:trackNumber"] = number(info.trackNumber)
    values["xesam:discNumber"] = number(info.discNumber)
    values["xesam:useCount"] = number(info.playCount)
    values["xesam:audioBPM"] = number(info.beatsPerMinute)
    values["xesam:userRating"] = info.rating.map { .double($0 / 5) }
    values["xesam:contentCreated"] = info.releaseDate.map { .string($0.formatted(.iso8601)) }
    return values
  }

  // MARK: Changes

  /// The maximum difference, in seconds, between the position and the clients' estimate that requires no
  /// `Seeked` signal. Applications report positions with about this accuracy.
  static let seekTolerance = 0.1

  /// Returns the signals that update clients from `old` to this state.
  func signals(since old: MPRISState, at now: HostTime) -> [BusMessage] {
    let before = old.playerProperties
    let after = playerProperties
    let changed = after.filter { before[$0.key] != $0.value }
    let gone = before.keys.filter { after[$0] == nil }.sorted()
    var signals: [BusMessage] = []
    if !changed.isEmpty || !gone.isEmpty {
      signals.append(
        BusMessage(
          path: Self.path, interface: Self.properties, member: "PropertiesChanged",
          arguments: [.string(Self.player), .dictionary(changed), .strings(gone)]))
    }
    // Clients expect a new item to begin at 0, and the same item to continue at its rate.
    let expected = itemNumber == old.itemNumber ? old.line.position(at: now) : 0
    let place = line.position(at: now)
    if info != nil, abs(place - expected) > Self.seekTolerance {
      signals.append(
        BusMessage(
          path: Self.path, interface: Self.player, member: "Seeked",
          arguments: [.int64(Self.microseconds(place))]))
    }
    return signals
  }
}

/// A playback position at one moment and the rate from that moment on, which determine the position at any
/// time.
package struct PlaybackLine: Hashable, Sendable {
  /// The position at `moment`, in seconds from the beginning of the item.
  package var position = 0.0
  package var moment = HostTime(nanoseconds: 0)
  /// The playback rate; 0 while paused.
  package var rate = 0.0
  /// The duration of the item in seconds; nil if unknown.
  package var duration: Double?

  package init(
    position: Double = 0, moment: HostTime = HostTime(nanoseconds: 0), rate: Double = 0,
    duration: Double? = nil
  ) {
    self.position = position
    self.moment = moment
    self.rate = rate
    self.duration = duration
  }

  /// Returns the position at the given time, in seconds: at least 0 and, with a known `duration`, at most `duration`.
  func position(at now: HostTime) -> Double {
    let place = position + rate * now.seconds(since: moment)
    return max(0, min(place, duration ?? .infinity))
  }
}
