import Continuo
import ContinuoTesting
import Foundation
import TestSupport
import Testing

/// Stations and long queues: what must not change over hours.
@MainActor
@Suite("Hours of the network in virtual time")
struct LongRunTests {
  private static let url = "http://radio.test/live"

  /// How many minutes of a station are heard.
  private static let minutes = Rounds.count(30)
  /// How many songs are played.
  private static let songCount = Rounds.count(500)

  /// What this process holds: it says something in a process of its own only.
  private struct Holdings {
    let descriptors: Int
    let threads: Int
    let megabytes: Double

    init() throws {
      descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
      megabytes = (Double(pages) ?? 0) * 4_096 / 1e6
    }

    func isFlat(since before: Holdings) -> Bool {
      descriptors <= before.descriptors && threads <= before.threads + 4
        && megabytes <= before.megabytes + 25
    }
  }

  @Test("a station that was paused for five minutes goes on at its live edge")
  func pause() async throws {
    try await withTestDevice(modes: [.audio]) { device in
      let url = device.station("radio", at: Self.url, bitRate: 32_000, sampleRate: 8_000)
      await device.launch()
      let player = AVPlayer(url: url)
      player.play()
      await device.advance(by: .seconds(60))
      player.pause()
      await device.advance(by: .seconds(300))
      player.play()
      await device.advance(by: .seconds(60))
      // It was on the air for a minute when the device started, and sends four seconds of the past.
      let last = try #require(device.heard.passages.last)
      #expect(last.frames.lowerBound > (60 + 360 - 6) * 8_000)
    }
  }

  @Test("a station that closes every ten minutes: memory, descriptors and threads stay as they are")
  func day() async {
    await #expect(processExitsWith: .success) { @MainActor in try await LongRunTests.playStation() }
  }

  private static func playStation() async throws {
    try await withTestDevice(modes: [.audio], recordsSound: false) { device in
      let url = device.station("radio", at: Self.url, bitRate: 16_000, sampleRate: 8_000)
      device.network.host("radio.test").closes(every: .seconds(600))
      await device.launch()
      let player = AVPlayer(url: url)
      player.play()
      await device.advance(by: .seconds(1_200))
      let before = try Holdings()
      await device.advance(by: .seconds((Self.minutes - 20) * 60))
      let after = try Holdings()
      precondition(after.isFlat(since: before), "\(before) \(after)")
      precondition(player.timeControlStatus == .playing)
      precondition(player.currentTime().seconds > Double(Self.minutes) * 60 - 2)
    }
  }

  @Test("thousands of songs one after the other: memory, descriptors and threads stay as they are")
  func songs() async {
    await #expect(processExitsWith: .success) { @MainActor in try await LongRunTests.playSongs() }
  }

  private static func playSongs() async throws {
    try await withTestDevice(modes: [.audio], recordsSound: false) { device in
      let songs = (0..<100).map {
        device.song(
          "\($0)", duration: .seconds(1), at: "https://h\($0).test/a.mp3", bitRate: 16_000, sampleRate: 8_000)
      }
      await device.launch()
      let player = AVQueuePlayer()
      player.play()
      var before = try Holdings()
      let rounds = songCount / 100
      for round in 0..<rounds {
        for song in songs { player.insert(AVPlayerItem(url: song.url), after: nil) }
        await device.advance(by: .seconds(101))
        precondition(player.items().isEmpty, "round \(round)")
        if round == rounds / 2 - 1 { before = try Holdings() }
      }
      let after = try Holdings()
      precondition(after.isFlat(since: before), "\(before) \(after)")
      precondition(device.network.requests.count == rounds * 100 && device.network.connectionCount == 0)
    }
  }
}
