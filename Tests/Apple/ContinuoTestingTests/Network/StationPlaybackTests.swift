import Continuo
import ContinuoTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// Players of a station.
@MainActor
@Suite("Playing a station in virtual time", .timeLimit(.minutes(10)))
struct StationPlaybackTests {
  private static let url = "http://radio.test/"

  private func play(_ url: URL) -> AVQueuePlayer {
    let player = AVQueuePlayer(items: [AVPlayerItem(url: url)])
    try? AVAudioSession.sharedInstance().setCategory(.playback)
    player.play()
    return player
  }

  /// Takes what outputs get.
  private final class Listener: NSObject, AVPlayerItemMetadataOutputPushDelegate {
    var titles: [(title: String, time: CMTime, at: CMTime)] = []
    weak var item: AVPlayerItem?

    func metadataOutput(
      _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
      from track: AVPlayerItemTrack?
    ) {
      for group in groups {
        for data in group.items {
          #expect(data.identifier == .icyMetadataStreamTitle && data.keySpace == .icy)
          #expect(data.key as? String == "StreamTitle" && data.commonKey == .commonKeyTitle)
          #expect(data.time == group.timeRange.start)
          titles.append((data.stringValue ?? "-", data.time, item?.currentTime() ?? .invalid))
        }
      }
    }
  }

  @Test("a piece has 65,536 bytes at most, so that a station is heard whatever the size of a link's pieces")
  func largePieces() async {
    await withTestDevice(modes: [.audio]) { device in
      let url = device.station("Lab", at: Self.url)
      // A day of the station.
      device.network.link.pieces = 1...1_000_000_000
      await device.launch()
      let player = self.play(url)
      await device.advance(by: .seconds(60))
      #expect(player.currentTime().seconds > 30)
    }
  }

  @Test("titles are told at the time of the item from which on they hold, when that is heard")
  func titles() async {
    await withTestDevice(modes: [.audio]) { device in
      let url = device.station(
        "Lab", at: Self.url, titles: [.seconds(-30): "before", .seconds(12): "one", .seconds(20): "two"])
      await device.launch()
      let player = self.play(url)
      let item = player.currentItem
      let (all, some) = (Listener(), Listener())
      all.item = item
      for (listener, identifiers) in [(all, nil), (some, ["icy/StreamUrl"])] as [(Listener, [String]?)] {
        let output = AVPlayerItemMetadataOutput(identifiers: identifiers)
        output.setDelegate(listener, queue: nil)
        item?.add(output)
      }
      let observed = Mutex<[String?]>([])
      let observation = item?.observe(\.timedMetadata) { item, _ in
        observed.withLock { $0.append(item.timedMetadata?.first?.stringValue) }
      }
      await device.advance(by: .seconds(40))
      #expect(all.titles.map(\.title) == ["before", "one", "two"] && some.titles.isEmpty)
      #expect(observed.withLock { $0 } == ["before", "one", "two"])
      for told in all.titles { #expect(abs(told.at.seconds - told.time.seconds) < 0.05) }
      // Two titles that were sent 8 s apart are 8 s apart, to an interval of metadata (half a second).
      #expect(abs(all.titles[2].time.seconds - all.titles[1].time.seconds - 8) < 0.6)
      #expect(item?.duration.isIndefinite == true && item?.seekableTimeRanges.isEmpty == true)
      #expect(await item?.seek(to: CMTime(value: 1, timescale: 1)) == false)
      withExtendedLifetime(observation) {}
    }
  }

  @Test("a station that closes every 30 s plays for a quarter of an hour")
  func aQuarter() async {
    await withTestDevice(modes: [.audio]) { device in
      let url = device.station("Lab", at: Self.url, bitRate: 16_000, sampleRate: 8_000)
      device.network.host("radio.test").closes(every: .seconds(30))
      await device.launch()
      let player = self.play(url)
      await device.advance(by: .seconds(900))
      #expect(player.timeControlStatus == .playing && player.currentItem?.duration.isIndefinite == true)
      #expect((28...31).contains(device.network.requests.count))
      // The next connection is there before what the last one brought was heard.
      #expect(player.currentTime().seconds > 898 && device.heard.silences.isEmpty)
    }
  }

  @Test("paused, or suspended, for 9 s and for 5 minutes", arguments: [false, true])
  func pauses(_ isSuspension: Bool) async {
    await withTestDevice(modes: isSuspension ? [] : [.audio]) { device in
      let url = device.station("Lab", at: Self.url)
      await device.launch()
      let player = self.play(url)
      func pause(_ duration: Duration) async {
        if isSuspension { await device.pressHomeButton() } else { player.pause() }
        await device.advance(by: duration)
        if isSuspension { await device.foreground() } else { player.play() }
      }
      await device.advance(by: .seconds(10))
      await pause(.seconds(9))
      await device.advance(by: .seconds(10))
      #expect(device.heard.passages.count == 1 && device.network.requests.count == 1)
      await pause(.seconds(300))
      await device.advance(by: .seconds(10))
      #expect(device.network.requests.count == 2)
      let passages = device.heard.passages
      #expect(passages.count == 2)
      guard passages.count == 2 else { return }
      // At the live edge, but for what the station sends at once.
      let gap = passages[1].frames.lowerBound - passages[0].frames.upperBound
      #expect(gap > 44_100 * 270)
      #expect(abs(player.currentTime().seconds - 30) < 1.5)
    }
  }

  @Test("an interruption of nine seconds loses nothing; behind one of five minutes the live edge is heard")
  func interruptions() async {
    await withTestDevice(modes: [.audio]) { device in
      let url = device.station("Lab", at: Self.url)
      await device.launch()
      let player = self.play(url)
      await device.advance(by: .seconds(10))
      for duration in [Duration.seconds(9), .seconds(300)] {
        await device.beginInterruption()
        await device.advance(by: duration)
        #expect(player.rate == 0)
        await device.endInterruption(shouldResume: true)
        player.play()
        await device.advance(by: .seconds(10))
        #expect(player.timeControlStatus == .playing)
      }
      #expect(device.network.requests.count == 2)
      let passages = device.heard.passages
      #expect(passages.count == 2)
      guard passages.count == 2 else { return }
      #expect(passages[1].frames.lowerBound - passages[0].frames.upperBound > 44_100 * 270)
    }
  }

  @Test("what a station is called is the asset's title")
  func name() async throws {
    try await withTestDevice(modes: [.audio]) { device in
      let url = device.station("Lab", at: Self.url)
      await device.launch()
      let player = self.play(url)
      let asset = try #require(player.currentItem?.asset)
      await device.advance(by: .seconds(5))
      // Known from the player, without another connection.
      let metadata = try await asset.load(.commonMetadata)
      #expect(metadata.first { $0.commonKey == .commonKeyTitle }?.stringValue == "Lab")
      #expect(device.network.requests.count == 1)
    }
  }
}
