import Continuo
import ContinuoTesting
import Foundation
import Testing

/// Stations and long queues: what must not change over hours.
@MainActor
@Suite("Hours of the network in virtual time")
struct LongRunTests {
  private static let url = "http://radio.test/live"

  /// How many hours of a station are heard. More by hand: CONTINUO_HOURS=24.
  private static let hours = variable("CONTINUO_HOURS") ?? 1
  /// How many songs are played. More by hand: CONTINUO_SONGS=10000.
  private static let songs = variable("CONTINUO_SONGS") ?? 2_000

  private static func variable(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  /// What this process holds.
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

  @Test("hours of a station that closes every ten minutes: memory, descriptors and threads stay as they are")
  func day() async throws {
    try await withTestDevice(modes: [.audio], recordsSound: false) { device in
      let url = device.station("radio", at: Self.url, bitRate: 16_000, sampleRate: 8_000)
      device.network.host("radio.test").closes(every: .seconds(600))
      await device.launch()
      let player = AVPlayer(url: url)
      player.play()
      await device.advance(by: .seconds(1_200))
      let before = try Holdings()
      await device.advance(by: .seconds(Self.hours * 3_600 - 1_200))
      let after = try Holdings()
      #expect(after.isFlat(since: before), "\(before) \(after)")
      #expect(player.timeControlStatus == .playing)
      #expect(player.currentTime().seconds > Double(Self.hours) * 3_600 - 2)
    }
  }

  @Test("thousands of songs one after the other: memory, descriptors and threads stay as they are")
  func songs() async throws {
    try await withTestDevice(modes: [.audio], recordsSound: false) { device in
      let songs = (0..<100).map {
        device.song(
          "\($0)", duration: .seconds(1), at: "https://h\($0).test/a.mp3", bitRate: 16_000, sampleRate: 8_000)
      }
      await device.launch()
      let player = AVQueuePlayer()
      player.play()
      var before: Holdings?
      for round in 0..<Self.songs / 100 {
        for song in songs { player.insert(AVPlayerItem(url: song.url), after: nil) }
        await device.advance(by: .seconds(101))
        #expect(player.items().isEmpty, "round \(round)")
        if round == 9 { before = try Holdings() }
      }
      let after = try Holdings()
      #expect(try after.isFlat(since: #require(before)), "\(String(describing: before)) \(after)")
      #expect(device.network.requests.count == Self.songs / 100 * 100 && device.network.connectionCount == 0)
    }
  }
}
