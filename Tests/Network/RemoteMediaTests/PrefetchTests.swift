import AudioCore
import AudioOutput
import Clocks
import MediaTime
import PlaybackEngine
import TestSupport
import Testing

@testable import RemoteMedia

@Suite("The next item, opened before its turn", .timeLimit(.minutes(10)))
struct PrefetchTests {
  @Test("servers that take two seconds to answer: songs of five seconds follow each other without a gap")
  func seams() throws {
    let stage = RemoteStage()
    var expected: [Float] = []
    for (index, options) in [["-b", "128"], ["-V", "4"], ["-b", "64"]].enumerated() {
      let bytes = try Songs.lame(options, seconds: 5)
      stage.network["/\(index)"] = .init(bytes: bytes, wait: 2, rate: 100_000)
      stage.add(try stage.medium("/\(index)"))
      expected += try Songs.samples(bytes)
    }
    stage.engine.setRate(1)
    stage.playOut()
    expectSame(stage.heard, expected)
    #expect(stage.device.recording.runs.count == 1)
    #expect(!stage.told.contains(.stalled))
    #expect(stage.network.requests.map(\.path) == ["/0", "/1", "/2"])
  }

  @Test(
    "one item ahead, of which 256 KiB are fetched, when the current one is fetched or has 20 seconds left")
  func one() throws {
    let stage = RemoteStage()
    let song = try Songs.lame(["-b", "128"], seconds: 60)
    // Slower than it plays at the end, so that it is not fetched before.
    stage.network["/0"] = .init(bytes: song, rate: 17_000)
    stage.network["/1"] = .init(bytes: song, rate: 1e6)
    stage.network["/2"] = .init(bytes: song, rate: 1e6)
    for index in 0..<3 { stage.add(try stage.medium("/\(index)")) }
    stage.engine.setRate(1)
    stage.advance(39)
    #expect(stage.network.requests.count == 1)
    stage.advance(3)
    #expect(stage.network.requests.map(\.path) == ["/0", "/1"])
    stage.advance(10)
    #expect(stage.network.sent("/1") >= 256 << 10 && stage.network.sent("/1") < 300 << 10)
    #expect(stage.network.requests.count == 2)
    stage.playOut()
    #expect(stage.network.requests.map(\.path) == ["/0", "/1", "/2"])
    let samples = try Songs.samples(song)
    expectSame(stage.heard, samples + samples + samples)
    #expect(stage.device.recording.runs.count == 1)
  }

  @Test(
    "a file in front of it; a next item that the server does not have leaves, and the one behind it follows")
  func mixed() throws {
    let stage = RemoteStage()
    let song = try Songs.lame(["-b", "128"], seconds: 5)
    stage.network["/2"] = .init(bytes: song, wait: 2, rate: 100_000)
    stage.network["/missing"] = nil
    stage.add(LocalSong(song))
    let missing = stage.add(try stage.medium("/missing"))
    stage.add(try stage.medium("/2"))
    stage.add(LocalSong(song))
    stage.engine.setRate(1)
    stage.advance(0.5)
    #expect(stage.told.contains(.failed(missing)))
    stage.playOut()
    let samples = try Songs.samples(song)
    expectSame(stage.heard, samples + samples + samples)
    #expect(stage.device.recording.runs.count == 1)
  }

  @Test("while the application is suspended nothing is opened before its turn; taken out, it is let go")
  func suspension() throws {
    let stage = RemoteStage()
    let song = try Songs.lame(["-b", "128"], seconds: 60)
    stage.network["/0"] = .init(bytes: song, rate: 16_500)
    stage.network["/1"] = .init(bytes: song, rate: 1e6)
    stage.add(try stage.medium("/0"))
    stage.engine.setRate(1)
    stage.advance(5)
    stage.engine.suspend()
    let next = stage.add(try stage.medium("/1"))
    stage.advance(100)
    #expect(stage.network.requests.count == 1)
    stage.engine.resume()
    stage.advance(1)
    #expect(stage.network.requests.count == 2)
    #expect(stage.told.contains(.ready(next)))
    stage.engine.remove(next)
    stage.playOut()
    expectSame(stage.heard, try Songs.samples(song))
  }
}
