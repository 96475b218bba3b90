import Clocks
import Foundation
import Testing

@testable import NowPlaying

/// What goes over the bus, as values.
@Suite struct MPRISStateTests {
  private static let second: Int64 = 1_000_000_000

  private func state(
    _ info: [String: Any]? = [:], _ kinds: CommandOffer.Kinds = [], status: MPRISState.Status = .playing,
    position: Double = 0, rate: Double = 1, duration: Double? = nil
  ) -> MPRISState {
    var state = MPRISState()
    state.info = info.map { NowPlayingInfo($0) }
    state.itemNumber = 1
    state.status = status
    state.offer.kinds = kinds
    state.line = PlaybackLine(
      position: position, moment: HostTime(nanoseconds: 0), rate: rate, duration: duration)
    return state
  }

  private func decide(
    _ state: MPRISState, _ member: String, _ arguments: BusValue..., after seconds: Int64 = 0
  ) -> MPRISDecision {
    state.decide(
      BusMessage(path: MPRISState.path, interface: MPRISState.player, member: member, arguments: arguments),
      at: HostTime(nanoseconds: seconds * Self.second))
  }

  private func set(_ state: MPRISState, _ property: String, _ value: BusValue) -> MPRISDecision {
    state.decide(
      BusMessage(
        path: MPRISState.path, interface: MPRISState.properties, member: "Set",
        arguments: [.string(MPRISState.player), .string(property), .variant(value)]),
      at: HostTime(nanoseconds: 0))
  }

  private func isRefused(_ decision: MPRISDecision) -> Bool {
    guard case .failure(let error) = decision else { return false }
    return error.name == "org.freedesktop.DBus.Error.NotSupported"
  }

  @Test func metadata() {
    var state = state([
      MPMediaItemPropertyTitle: "Ground in D", MPMediaItemPropertyArtist: "Purcell",
      MPMediaItemPropertyAlbumTitle: "Grounds", MPMediaItemPropertyAlbumArtist: "Orchestra",
      MPMediaItemPropertyComposer: "Henry Purcell", MPMediaItemPropertyGenre: "Baroque",
      MPMediaItemPropertyPlaybackDuration: 181.5, MPMediaItemPropertyAlbumTrackNumber: NSNumber(value: 3),
      MPMediaItemPropertyDiscNumber: UInt8(1), MPMediaItemPropertyRating: Float(4),
      MPMediaItemPropertyPlayCount: 12, MPMediaItemPropertyBeatsPerMinute: 96,
      MPMediaItemPropertyComments: "slow", MPMediaItemPropertyLyrics: "none",
      MPMediaItemPropertyReleaseDate: Date(timeIntervalSince1970: 0),
      MPNowPlayingInfoPropertyAssetURL: URL(fileURLWithPath: "/m/a b.mp3"),
    ])
    state.artworkURL = "file:///a.png"
    #expect(
      state.metadata == [
        "mpris:trackid": .objectPath("/org/continuo/item/1"), "mpris:length": .int64(181_500_000),
        "mpris:artUrl": .string("file:///a.png"), "xesam:title": .string("Ground in D"),
        "xesam:artist": .strings(["Purcell"]), "xesam:album": .string("Grounds"),
        "xesam:albumArtist": .strings(["Orchestra"]), "xesam:composer": .strings(["Henry Purcell"]),
        "xesam:genre": .strings(["Baroque"]), "xesam:trackNumber": .int32(3), "xesam:discNumber": .int32(1),
        "xesam:userRating": .double(0.8), "xesam:useCount": .int32(12), "xesam:audioBPM": .int32(96),
        "xesam:comment": .strings(["slow"]), "xesam:asText": .string("none"),
        "xesam:contentCreated": .string("1970-01-01T00:00:00Z"),
        "xesam:url": .string("file:///m/a%20b.mp3"),
      ])
  }

  @Test func whatIsNotThereOrMakesNoSenseIsLeftOut() {
    let nonsense: [[String: Any]] = [
      [:], [MPMediaItemPropertyTitle: ""], [MPMediaItemPropertyTitle: 3],
      [MPMediaItemPropertyPlaybackDuration: Double.nan], [MPMediaItemPropertyPlaybackDuration: -1],
      [MPMediaItemPropertyPlaybackDuration: Double.infinity], [MPMediaItemPropertyPlaybackDuration: "3"],
      [MPMediaItemPropertyAlbumTrackNumber: -1], [MPMediaItemPropertyAlbumTrackNumber: 1e300],
      [MPMediaItemPropertyAlbumTrackNumber: Int.max],
      [MPMediaItemPropertyPlaybackDuration: 100, MPNowPlayingInfoPropertyIsLiveStream: true],
    ]
    for info in nonsense {
      #expect(state(info).metadata == ["mpris:trackid": .objectPath("/org/continuo/item/1")], "\(info)")
    }
    #expect(
      state(nil).metadata == ["mpris:trackid": .objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack")])
    #expect(
      state([MPMediaItemPropertyPlaybackDuration: 1e300]).metadata["mpris:length"]
        == .int64(1_000_000_000_000_000_000))
    // The podcast stands for the album.
    #expect(state([MPMediaItemPropertyPodcastTitle: "P"]).metadata["xesam:album"] == .string("P"))
  }

  @Test func status() {
    let plain = NowPlayingInfo([:])
    let paused = NowPlayingInfo([MPNowPlayingInfoPropertyPlaybackRate: 0])
    #expect(MPRISState.status(.unknown, nil) == .stopped)
    #expect(MPRISState.status(.unknown, plain) == .playing)
    #expect(MPRISState.status(.unknown, paused) == .paused)
    #expect(MPRISState.status(.playing, paused) == .playing)
    #expect(MPRISState.status(.paused, plain) == .paused)
    #expect(MPRISState.status(.interrupted, plain) == .paused)
    #expect(MPRISState.status(.stopped, plain) == .stopped)
  }

  @Test func propertiesOfAnOffer() {
    let nothing = state().playerProperties
    for name in ["CanPlay", "CanPause", "CanGoNext", "CanGoPrevious", "CanSeek"] {
      #expect(nothing[name] == .bool(false))
    }
    #expect(nothing["LoopStatus"] == nil)
    #expect(nothing["Shuffle"] == nil)
    var all = state(
      [MPNowPlayingInfoPropertyPlaybackRate: 1.5], [.toggle, .skipForward, .repeatMode, .shuffleMode])
    all.offer.rates = [0.5, 1, 2]
    all.offer.repeatType = .all
    all.offer.shuffleType = .collections
    let properties = all.playerProperties
    #expect(properties["CanPlay"] == .bool(true))
    #expect(properties["CanPause"] == .bool(true))
    #expect(properties["CanGoNext"] == .bool(true))
    #expect(properties["CanGoPrevious"] == .bool(false))
    #expect(properties["CanSeek"] == .bool(true))
    #expect(properties["LoopStatus"] == .string("Playlist"))
    #expect(properties["Shuffle"] == .bool(true))
    #expect(properties["Rate"] == .double(1.5))
    #expect(properties["MinimumRate"] == .double(0.5))
    #expect(properties["MaximumRate"] == .double(2))
    // While paused MPRIS has the rate at which it will play.
    let paused = state([
      MPNowPlayingInfoPropertyPlaybackRate: 0, MPNowPlayingInfoPropertyDefaultPlaybackRate: 1.25,
    ])
    #expect(paused.playerProperties["Rate"] == .double(1.25))
  }

  @Test func volumeAndMediaAreOfferedByTheJukebox() {
    var state = state([:], .volume)
    state.offer.volume = 0.4
    #expect(state.playerProperties["Volume"] == .double(0.4))
    #expect(set(state, "Volume", .double(0.25)) == .action(.volume, 0.25))
    #expect(set(state, "Volume", .double(-3)) == .action(.volume, 0))
    #expect(set(state, "Volume", .double(7)) == .action(.volume, 1))
    for volume in [BusValue.double(.nan), .double(.infinity), .int32(1)] {
      guard case .failure(let error) = set(state, "Volume", volume) else {
        Issue.record("\(volume)"); continue
      }
      #expect(error.name == "org.freedesktop.DBus.Error.InvalidArgs")
    }
    #expect(isRefused(set(self.state(), "Volume", .double(1))))
    #expect(isRefused(decide(state, "OpenUri", .string("file:///a.mp3"))))
    state.offer.schemes = ["file"]
    #expect(decide(state, "OpenUri", .string("file:///a.mp3")) == .open("file:///a.mp3"))
    #expect(state.applicationProperties["SupportedUriSchemes"] == .strings(["file"]))
  }

  @Test func positionIsComputed() {
    let now = HostTime(nanoseconds: 10 * Self.second)
    #expect(state(position: 5).position(at: now) == .int64(15_000_000))
    #expect(state(position: 5, rate: 2).position(at: now) == .int64(25_000_000))
    #expect(state(position: 5, rate: 0).position(at: now) == .int64(5_000_000))
    #expect(state(position: 5, duration: 12).position(at: now) == .int64(12_000_000))
    #expect(state(position: 5, rate: -1).position(at: now) == .int64(0))
  }

  @Test func transport() {
    let both = state(nil, [.play, .pause])
    #expect(decide(both, "Play") == .action(.play))
    #expect(decide(both, "Pause") == .action(.pause))
    #expect(decide(both, "PlayPause") == .action(.pause))
    #expect(decide(state(nil, [.play, .pause], status: .paused), "PlayPause") == .action(.play))
    let toggle = state(nil, [.toggle])
    #expect(decide(toggle, "PlayPause") == .action(.toggle))
    #expect(decide(toggle, "Pause") == .action(.toggle))
    #expect(decide(toggle, "Play") == .values([]))
    #expect(decide(state(nil, [.toggle], status: .paused), "Pause") == .values([]))
    #expect(decide(state(nil, [.toggle], status: .paused), "Play") == .action(.toggle))
    #expect(decide(state(nil, [.stop]), "Stop") == .action(.stop))
    #expect(decide(state(nil, [.next]), "Next") == .action(.next))
    #expect(decide(state(nil, [.previous]), "Previous") == .action(.previous))
    #expect(decide(state(nil, [.skipForward]), "Next") == .action(.skipForward, 10))
    #expect(decide(state(nil, [.skipBackward, .previous]), "Previous") == .action(.previous))
    for method in ["Play", "Pause", "PlayPause", "Stop", "Next", "Previous"] {
      #expect(isRefused(decide(state(), method)), "\(method)")
    }
  }

  @Test func seeking() {
    let position = state([:], [.position, .next], position: 20, duration: 60)
    #expect(decide(position, "Seek", .int64(5_000_000), after: 10) == .action(.position, 35))
    #expect(decide(position, "Seek", .int64(-50_000_000)) == .action(.position, 0))
    #expect(decide(position, "Seek", .int64(50_000_000)) == .action(.next))
    #expect(decide(position, "Seek", .int64(.max)) == .action(.next))
    #expect(decide(position, "Seek", .int64(.min)) == .action(.position, 0))
    let last = state([:], [.position], position: 20, duration: 60)
    #expect(decide(last, "Seek", .int64(50_000_000)) == .action(.position, 60))
    let skips = state([:], [.skipForward, .skipBackward])
    #expect(decide(skips, "Seek", .int64(30_000_000)) == .action(.skipForward, 30))
    #expect(decide(skips, "Seek", .int64(-15_000_000)) == .action(.skipBackward, 15))
    #expect(isRefused(decide(state(), "Seek", .int64(1))))

    let path = BusValue.objectPath(position.trackPath)
    #expect(decide(position, "SetPosition", path, .int64(12_500_000)) == .action(.position, 12.5))
    #expect(decide(position, "SetPosition", path, .int64(61_000_000)) == .values([]))
    #expect(decide(position, "SetPosition", path, .int64(-1)) == .values([]))
    #expect(decide(position, "SetPosition", .objectPath("/another"), .int64(1)) == .values([]))
    #expect(isRefused(decide(skips, "SetPosition", path, .int64(1))))
  }

  @Test func properties() {
    let all = state([:], [.rate, .repeatMode, .shuffleMode, .pause])
    #expect(set(all, "Rate", .double(1.5)) == .action(.rate, 1.5))
    #expect(set(all, "Rate", .double(0)) == .action(.pause))
    #expect(
      set(all, "LoopStatus", .string("Track")) == .action(.repeatMode, Double(MPRepeatType.one.rawValue)))
    #expect(
      set(all, "LoopStatus", .string("None")) == .action(.repeatMode, Double(MPRepeatType.off.rawValue)))
    #expect(
      set(all, "LoopStatus", .string("Playlist")) == .action(.repeatMode, Double(MPRepeatType.all.rawValue)))
    #expect(set(all, "Shuffle", .bool(true)) == .action(.shuffleMode, Double(MPShuffleType.items.rawValue)))
    #expect(set(all, "Shuffle", .bool(false)) == .action(.shuffleMode, Double(MPShuffleType.off.rawValue)))
    for (name, value) in [
      ("Rate", .double(-1)), ("Rate", .double(.nan)), ("Rate", .string("fast")), ("LoopStatus", .string("?")),
      ("Shuffle", .int32(1)),
    ] as [(String, BusValue)] {
      guard case .failure(let error) = set(all, name, value) else {
        Issue.record("\(name) became \(value)")
        continue
      }
      #expect(error.name == "org.freedesktop.DBus.Error.InvalidArgs")
    }
    #expect(isRefused(set(all, "Volume", .double(0.5))))
    #expect(isRefused(set(state(), "Rate", .double(2))))
    #expect(isRefused(set(state(), "LoopStatus", .string("None"))))
  }

  @Test("Calls of other shapes are errors")
  func shapes() {
    for (interface, member, arguments) in [
      (MPRISState.player, "Seek", []), (MPRISState.player, "Seek", [.string("1")]),
      (MPRISState.player, "SetPosition", [.int64(1), .int64(1)]), (MPRISState.player, "Explode", []),
      (MPRISState.player, "Play", [.int32(1)]), (MPRISState.properties, "Get", [.string(MPRISState.player)]),
      (MPRISState.properties, "Get", [.string(MPRISState.player), .string("Secret")]),
      (MPRISState.properties, "GetAll", [.string("org.example")]), ("", "Play", []),
      ("org.example", "Play", []),
      (MPRISState.application, "Quit", []),
    ] as [(String, String, [BusValue])] {
      let decision = state([:], [.play, .position]).decide(
        BusMessage(path: MPRISState.path, interface: interface, member: member, arguments: arguments),
        at: HostTime(nanoseconds: 0))
      guard case .failure = decision else {
        Issue.record("\(interface) \(member) \(arguments): \(decision)")
        continue
      }
    }
    let elsewhere = BusMessage(path: "/", interface: MPRISState.player, member: "Play")
    guard case .failure = state(nil, [.play]).decide(elsewhere, at: HostTime(nanoseconds: 0)) else {
      Issue.record("another object")
      return
    }
  }

  @Test func changesAreTold() {
    let now = HostTime(nanoseconds: 10 * Self.second)
    func members(_ old: MPRISState, _ new: MPRISState) -> [String] {
      new.signals(since: old, at: now).map(\.member)
    }
    // Playback that goes on as it did is no news, to a tenth of a second.
    let old = state(position: 0, duration: 100)
    var new = old
    #expect(members(old, new) == [])
    new.line = PlaybackLine(position: 10.05, moment: now, rate: 1, duration: 100)
    #expect(members(old, new) == [])
    new.line.position = 50
    #expect(members(old, new) == ["Seeked"])
    // A pause is no seek.
    new = old
    new.status = .paused
    new.line = PlaybackLine(position: 10, moment: now, rate: 0, duration: 100)
    #expect(members(old, new) == ["PropertiesChanged"])
    // Another item begins at its beginning.
    new = old
    new.itemNumber = 2
    new.line = PlaybackLine(position: 0, moment: now, rate: 1, duration: 100)
    #expect(members(old, new) == ["PropertiesChanged"])
    new.line.position = 7
    #expect(members(old, new) == ["PropertiesChanged", "Seeked"])

    // Only what has changed, and what has gone.
    var offering = old
    offering.offer.kinds = [.shuffleMode, .play]
    #expect(
      old.signals(since: offering, at: now) == [
        BusMessage(
          path: MPRISState.path, interface: MPRISState.properties, member: "PropertiesChanged",
          arguments: [
            .string(MPRISState.player), .dictionary(["CanPlay": .bool(false)]), .strings(["Shuffle"]),
          ])
      ])
  }

  @Test("A live stream has no position, so that nobody can seek in it, whatever the application offers")
  func liveStreams() {
    let kinds: CommandOffer.Kinds = [.position, .skipForward, .skipBackward]
    for isLive in [false, true] {
      let state = state([MPNowPlayingInfoPropertyIsLiveStream: isLive], kinds)
      #expect(state.playerProperties["CanSeek"] == .bool(!isLive))
      #expect(isRefused(decide(state, "Seek", .int64(1_000_000))) == isLive)
      #expect(isRefused(decide(state, "SetPosition", .objectPath(state.trackPath), .int64(1))) == isLive)
    }
  }

  @Test func itemsAreToldFromEachOther() {
    let item: [String: Any] = [MPMediaItemPropertyTitle: "A", MPMediaItemPropertyArtist: "B"]
    func isSame(_ changes: [String: Any]) -> Bool {
      NowPlayingInfo(item.merging(changes) { $1 }).isSameItem(as: NowPlayingInfo(item))
    }
    #expect(isSame([:]))
    #expect(isSame([MPMediaItemPropertyPlaybackDuration: 3, MPNowPlayingInfoPropertyPlaybackRate: 0]))
    #expect(!isSame([MPMediaItemPropertyTitle: "C"]))
    #expect(!isSame([MPNowPlayingInfoPropertyPlaybackQueueIndex: 1]))
    #expect(!isSame([MPMediaItemPropertyPersistentID: UInt64(7)]))
    let numbers: [any Equatable] = [UInt64.max, UInt64.max - 1, NSNumber(value: UInt64.max - 2)]
    let large = numbers.map { NowPlayingInfo([MPMediaItemPropertyPersistentID: $0]) }
    #expect(!large[0].isSameItem(as: large[1]) && !large[1].isSameItem(as: large[2]))
    let forms: [any Equatable] = [7, UInt64(7), NSNumber(value: 7), 7.0]
    for form in forms {
      #expect(
        NowPlayingInfo([MPMediaItemPropertyPersistentID: form]).isSameItem(
          as: NowPlayingInfo([MPMediaItemPropertyPersistentID: 7])), "\(type(of: form))")
    }
    #expect(!NowPlayingInfo(item).isSameItem(as: nil))
  }

  @Test(
    arguments: [
      ("continuo", "continuo"), ("My Player 2", "My_Player_2"), ("7zip", "_7zip"), ("ü.x/y", "__x_y"),
      ("", "_"),
    ])
  func busNames(identity: String, name: String) {
    #expect(MPRISPublisher.nameElement(identity) == name)
  }

  @Test func pictureSizes() throws {
    let png = Data(
      [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 1, 0, 0, 0,
        0, 9,
      ])
    #expect(try #require(UIImage(data: png)).size == CGSize(width: 256, height: 9))
    let jpeg = Data(
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 11, 8, 0, 30, 0, 40, 3, 0, 0, 0, 0xFF, 0xD9])
    #expect(try #require(UIImage(data: jpeg)).size == CGSize(width: 40, height: 30))
    for count in 0..<png.count { #expect(UIImage(data: png.prefix(count)) == nil) }
    for count in 0..<18 { #expect(UIImage(data: jpeg.prefix(count)) == nil) }
    #expect(UIImage(data: Data("GIF89a".utf8)) == nil)
    #expect(UIImage(data: Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0])) == nil)
    #expect(UIImage(contentsOfFile: "/nowhere") == nil)
    let empty = UIImage()
    #expect(empty.size == .zero && empty.pngData() == nil && empty.jpegData(compressionQuality: 1) == nil)
    #expect(ArtworkFile().show(empty) == nil)
    #expect(UIImage(named: "nothing of that name") == nil)
  }
}
