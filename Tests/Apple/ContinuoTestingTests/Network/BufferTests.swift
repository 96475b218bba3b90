import Continuo
import ContinuoTesting
import Foundation
import Synchronization
import Testing

/// What items say of what was fetched, and of what went wrong.
@MainActor
@Suite("What items tell of the network", .timeLimit(.minutes(10)))
struct BufferTests {
  private static let url = "https://radio.test/a.mp3"

  private func play(_ url: URL) -> (AVQueuePlayer, AVPlayerItem) {
    let item = AVPlayerItem(url: url)
    let player = AVQueuePlayer(items: [item])
    try? AVAudioSession.sharedInstance().setCategory(.playback)
    player.play()
    return (player, item)
  }

  private func seconds(_ ranges: [NSValue]) -> [ClosedRange<Double>] {
    ranges.map { $0.timeRangeValue.start.seconds...$0.timeRangeValue.end.seconds }
  }

  @Test("what is loaded grows at most four times a second, ends as the whole, and all of it can be gone to")
  func ranges() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60), at: Self.url)
      device.network.link = .init(bytesPerSecond: 32_000, latency: .milliseconds(80))
      await device.launch()
      let (player, item) = self.play(song.url)
      #expect(item.loadedTimeRanges.isEmpty && item.seekableTimeRanges.isEmpty)
      let log = Mutex<[(at: Duration, end: Double)]>([])
      let observation = item.observe(\.loadedTimeRanges) { item, _ in
        MainActor.assumeIsolated {
          let end = item.loadedTimeRanges.last?.timeRangeValue.end.seconds ?? 0
          log.withLock { $0.append((device.now, end)) }
        }
      }
      await device.advance(by: .seconds(10))
      // Twice the bit rate, and the first answer takes two latencies.
      let loaded = self.seconds(item.loadedTimeRanges)
      #expect(loaded.count == 1 && loaded[0].lowerBound == 0 && abs(loaded[0].upperBound - 19.6) < 0.6)
      #expect(
        self.seconds(item.seekableTimeRanges).map(\.upperBound).first.map { abs($0 - 60) < 0.1 } == true)
      #expect(item.isPlaybackLikelyToKeepUp && !item.isPlaybackBufferEmpty && !item.isPlaybackBufferFull)
      await device.advance(by: .seconds(25))
      #expect(item.loadedTimeRanges.map(\.timeRangeValue.duration.seconds) == [60])
      let told = log.withLock { $0 }
      // The last one may come sooner: then all is there.
      let gaps = zip(told, told.dropFirst()).map { $1.at - $0.at }
      #expect(gaps.dropFirst().dropLast().allSatisfy { $0 >= .milliseconds(249) }, "\(gaps)")
      #expect(told.count > 50)
      // Into what is there, without a request.
      item.seek(to: CMTime(value: 50, timescale: 1), completionHandler: nil)
      await device.advance(by: .seconds(1))
      #expect(abs(player.currentTime().seconds - 51) < 0.2)
      #expect(device.network.requests.count == 1)
      withExtendedLifetime((player, observation)) {}
    }
  }

  @Test("a seek leaves a hole: two ranges, with one request more")
  func holes() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(600), at: Self.url)
      device.network.link = .init(bytesPerSecond: 32_000, latency: .milliseconds(80))
      await device.launch()
      let (player, item) = self.play(song.url)
      await device.advance(by: .seconds(10))
      item.seek(to: CMTime(value: 60, timescale: 1), completionHandler: nil)
      await device.advance(by: .seconds(10))
      let ranges = self.seconds(item.loadedTimeRanges)
      #expect(ranges.count == 2)
      #expect(ranges.last.map { abs($0.lowerBound - 60) < 1 && $0.contains(70) } == true, "\(ranges)")
      #expect(device.network.requests.count == 2)
      withExtendedLifetime(player) {}
    }
  }

  @Test(
    "preferredForwardBufferDuration: so many seconds ahead, then the buffer is full", arguments: [1.0, 5, 30])
  func forwardBuffer(_ wanted: Double) async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(600), at: Self.url)
      device.network.link = .init(bytesPerSecond: 160_000, latency: .milliseconds(80))
      await device.launch()
      let item = AVPlayerItem(url: song.url)
      item.preferredForwardBufferDuration = wanted
      let player = AVQueuePlayer(items: [item])
      try? AVAudioSession.sharedInstance().setCategory(.playback)
      player.play()
      var most = 0.0
      var wasFull = false
      for _ in 0..<100 {
        await device.advance(by: .milliseconds(200))
        let end = item.loadedTimeRanges.last?.timeRangeValue.end.seconds ?? 0
        most = max(most, end - player.currentTime().seconds)
        wasFull = wasFull || item.isPlaybackBufferFull
      }
      // At least two seconds, and what was on its way. The decoder is ahead of what is heard too.
      #expect((max(2, wanted) * 0.75...max(2, wanted) + 3).contains(most), "\(most)")
      #expect(wasFull && device.heard.silences.isEmpty && device.network.requests.count == 1)
    }
  }

  @Test("running dry is told: the buffer is empty, unlikely to keep up, and says when that is over")
  func empty() async {
    await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60), at: Self.url)
      device.network.link = .init(bytesPerSecond: 20_000, latency: .milliseconds(80))
      await device.launch()
      let (player, item) = self.play(song.url)
      let log = Mutex<[String]>([])
      let observations = [
        item.observe(\.isPlaybackBufferEmpty) { item, _ in
          log.withLock { $0.append("empty \(item.isPlaybackBufferEmpty)") }
        },
        item.observe(\.isPlaybackLikelyToKeepUp) { item, _ in
          log.withLock { $0.append("likely \(item.isPlaybackLikelyToKeepUp)") }
        },
      ]
      await device.advance(by: .seconds(10))
      #expect(!item.isPlaybackBufferEmpty && item.isPlaybackLikelyToKeepUp)
      log.withLock { $0 = [] }
      device.network.goOffline(for: .seconds(20))
      await device.advance(by: .seconds(15))
      #expect(item.isPlaybackBufferEmpty && !item.isPlaybackLikelyToKeepUp)
      #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
      #expect(player.reasonForWaitingToPlay == .toMinimizeStalls)
      await device.advance(by: .seconds(15))
      let told = log.withLock { $0 }
      #expect(told.contains("empty true") && told.contains("empty false") && told.last == "likely true")
      #expect(!item.isPlaybackBufferEmpty && player.timeControlStatus == .playing)
      withExtendedLifetime(observations) {}
    }
  }

  @Test(
    "the access log counts what was asked and what came; the error log names what went wrong; both as text")
  func logs() async throws {
    try await withTestDevice(modes: [.audio]) { device in
      let song = device.song("song", duration: .seconds(60), at: "\(Self.url)?token=1")
      device.network.link = .init(bytesPerSecond: 40_000, latency: .milliseconds(80))
      device.network.host("radio.test").closes(after: [200_000])
      await device.launch()
      let (player, item) = self.play(song.url)
      #expect(item.accessLog() == nil && item.errorLog() == nil)
      let log = Mutex<[String]>([])
      let observers = [
        (AVPlayerItem.newAccessLogEntryNotification, "access"),
        (AVPlayerItem.newErrorLogEntryNotification, "error"),
      ].map { name, word in
        NotificationCenter.default.addObserver(forName: name, object: item, queue: nil) { _ in
          log.withLock { $0.append(word) }
        }
      }
      await device.advance(by: .seconds(40))
      #expect(log.withLock { $0 } == ["access", "error", "error"])
      let access = try #require(item.accessLog()?.events.last)
      #expect(item.accessLog()?.events.count == 1 && access.playbackType == "FILE")
      #expect(access.numberOfMediaRequests == 2 && access.numberOfStalls == 0)
      #expect(access.numberOfBytesTransferred >= 960_000 && access.numberOfBytesTransferred < 970_000)
      #expect(abs(access.observedBitrate - 320_000) < 10_000 && abs(access.durationWatched - 39.7) < 0.5)
      #expect(access.startupTime > 0.15 && access.startupTime < 1 && access.uri == "\(Self.url)?token=1")
      // A test device has no disk.
      #expect(item.errorLog()?.events.map(\.errorStatusCode) == [0, NSURLErrorNetworkConnectionLost])
      let error = try #require(item.errorLog()?.events.last)
      #expect(
        error.errorStatusCode == NSURLErrorNetworkConnectionLost && error.errorDomain == NSURLErrorDomain)
      #expect(error.playbackSessionID == access.playbackSessionID)

      let text = try #require(
        item.accessLog()?.extendedLogData().flatMap { String(data: $0, encoding: .utf8) })
      #expect(item.accessLog()?.extendedLogDataStringEncoding == String.Encoding.utf8.rawValue)
      let lines = text.split(separator: "\n")
      let fields = try #require(lines.first { $0.hasPrefix("#Fields: ") }).split(separator: " ").dropFirst()
      let values = try #require(lines.last).split(separator: " ")
      #expect(lines.first == "#Version: 1.0" && fields.count == values.count)
      let entry = Dictionary(uniqueKeysWithValues: zip(fields, values))
      #expect(entry["uri"] == "\(Self.url)?token=1" && entry["s-playback-type"] == "FILE")
      #expect(entry["bytes"] == "\(access.numberOfBytesTransferred)" && entry["c-stalls"] == "0")
      let failures = try #require(
        item.errorLog()?.extendedLogData().flatMap { String(data: $0, encoding: .utf8) })
      #expect(failures.contains(" -1005 NSURLErrorDomain \""), "\(failures)")
      for observer in observers { NotificationCenter.default.removeObserver(observer) }
      withExtendedLifetime(player) {}
    }
  }

  @Test("an item is watched until another one is current, or its player is gone")
  func watched() async {
    await withTestDevice(modes: [.audio]) { device in
      let items = ["a", "b", "c"].map { name in
        AVPlayerItem(
          url: device.song(name, duration: .seconds(10), at: "https://radio.test/\(name).mp3").url)
      }
      func watched(_ item: AVPlayerItem) -> Double { item.accessLog()?.events.last?.durationWatched ?? -1 }
      await device.launch()
      var player: AVQueuePlayer? = AVQueuePlayer(items: items)
      try? AVAudioSession.sharedInstance().setCategory(.playback)
      player?.play()
      await device.advance(by: .seconds(25))
      #expect(items.map(watched).prefix(2).allSatisfy { abs($0 - 10) < 0.6 }, "\(items.map(watched))")
      let last = watched(items[2])
      #expect(last > 3 && player?.currentItem === items[2])
      player = nil
      await device.advance(by: .seconds(60))
      #expect(items.map(watched).prefix(2).allSatisfy { abs($0 - 10) < 0.6 }, "\(items.map(watched))")
      #expect(watched(items[2]) == last)
    }
  }
}
