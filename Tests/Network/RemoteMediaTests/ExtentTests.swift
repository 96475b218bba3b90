import AudioCore
import Clocks
import MediaTime
import PlaybackEngine
import TestSupport
import Testing

@testable import RemoteMedia

@Suite("Which parts are there, and where can be gone to", .timeLimit(.minutes(10)))
struct ExtentTests {
  @Test("without ranges a seek beyond what is there is refused, and all goes on; into it, it goes")
  func withoutRanges() throws {
    let stage = RemoteStage()
    let bytes = try Songs.lame(["-b", "128"], seconds: 60)
    stage.network["/a"] = .init(bytes: bytes, hasRanges: false, rate: 32_000)
    stage.add(try stage.medium("/a"))
    stage.engine.setRate(1)
    stage.advance(5)
    stage.seek(40)
    stage.advance(0.1)
    #expect(stage.told.last == .seek(false))
    #expect(abs((stage.engine.currentTime?.seconds ?? 0) - 4.8) < 0.4)
    stage.seek(8)
    stage.advance(0.1)
    #expect(stage.told.contains(.seek(true)))
    stage.advance(30)
    stage.seek(1)
    stage.advance(0.1)
    stage.playOut()
    #expect(stage.network.requests.count == 1)
    let tail = Array(try Songs.samples(bytes).dropFirst(88_200))
    expectSame(Array(stage.heard.suffix(tail.count)), tail)
  }

  @Test("the parts are told as they come, at most four times a second, and all at the end")
  func told() throws {
    let stage = RemoteStage()
    let bytes = try Songs.lame(["-b", "128"], seconds: 60)
    stage.network["/a"] = .init(bytes: bytes, rate: 100_000)
    let id = stage.add(try stage.medium("/a"))
    for isPlaying in [false, true] {
      stage.engine.setRate(isPlaying ? 1 : 0)
      stage.advance(isPlaying ? 20 : 4)
      let told = stage.toldExtents.filter { $0.id == id }
      #expect(told.count > 5)
      #expect(zip(told, told.dropFirst()).allSatisfy { $1.at.seconds(since: $0.at) >= 0.249 })
    }
    #expect(stage.toldExtents.last?.extent == MediaExtent(loaded: [0..<60], isSeekable: true))
  }

  @Test("so many seconds are fetched ahead as are asked for, at least two")
  func readAhead() throws {
    let stage = RemoteStage()
    let bytes = try Songs.lame(["-b", "128"], seconds: 120)
    stage.network["/a"] = .init(bytes: bytes, rate: 1e6)
    let id = stage.add(try stage.medium("/a"))
    stage.engine.setReadAhead(.seconds(10), of: id)
    stage.advance(5)
    // The store takes what was on its way.
    #expect(stage.network.sent("/a") < 600_000)
    let first = stage.network.sent("/a")
    stage.engine.setReadAhead(.seconds(60), of: id)
    stage.advance(5)
    let second = stage.network.sent("/a")
    #expect(second > first && second >= 60 * 16_000 && second < 70 * 16_000)
    stage.engine.setReadAhead(.usual, of: id)
    stage.advance(5)
    #expect(stage.network.sent("/a") == bytes.count)
  }

  @Test("a seek beyond what is there plays on from there, with one request; nothing that was heard is lost")
  func seek() throws {
    let stage = RemoteStage()
    let bytes = try Songs.lame(["-b", "128"], seconds: 120)
    stage.network["/a"] = .init(bytes: bytes, rate: 32_000)
    stage.add(try stage.medium("/a"))
    stage.observe()
    stage.engine.setRate(1)
    stage.advance(5)
    stage.seek(100)
    stage.advance(2)
    #expect(stage.told.contains(.seek(true)))
    #expect(stage.network.requests.count == 2)
    stage.playOut()
    let samples = try Songs.samples(bytes)
    let tail = Array(samples.dropFirst(100 * 88_200))
    expectSame(Array(stage.heard.suffix(tail.count)), tail)
    #expect(stage.network.requests.count == 2)
    #expect(!stage.told.contains(.stalled))
  }
}
