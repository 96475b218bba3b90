import AudioCore
import AudioOutput
import Clocks
import MediaTime
import PlaybackEngine
import TestSupport
import Testing

@testable import RemoteMedia

@Suite("Sound from a slow server", .timeLimit(.minutes(10)))
struct StallTests {
  @Test(
    "0.8 times the bit rate: stalled each time, the place stands, every step once, and the file's samples")
  func tooSlow() throws {
    let stage = RemoteStage()
    let bytes = try Songs.lame(["-b", "128"], seconds: 30)
    stage.network["/a"] = .init(bytes: bytes, rate: 12_800, piece: 500)
    stage.observe()
    stage.add(try stage.medium("/a"))
    stage.engine.setRate(1)
    var stood = 0
    var last = -1.0
    var isWaiting = false
    while stage.engine.currentItem != nil, stage.clock.now.seconds < 120 {
      stage.advance(0.1)
      let place = stage.engine.currentTime?.seconds ?? 0
      if isWaiting, stage.engine.timeControl == .waiting(.toMinimizeStalls) {
        #expect(place == last || place == 0)
        stood += 1
      }
      isWaiting = stage.engine.timeControl == .waiting(.toMinimizeStalls)
      last = place
    }
    expectSame(stage.heard, try Songs.samples(bytes))
    let steps = stage.heardSteps
    let isWhole = zip(steps, 0...).allSatisfy { $0 == $1 }
    #expect(isWhole && steps.count == 3_000)
    let stalls = stage.told.filter { $0 == .stalled }.count
    #expect(stalls == stage.told.filter { $0 == .playing }.count - 1)
    #expect(stalls >= 2 && stalls <= 4 && stood > 5)
    #expect(stage.device.recording.runs.count == stalls + 1)
    #expect(stage.network.requests.count == 1)
  }

  @Test("1.2 times the bit rate: begins with some 8 KiB and never stands")
  func fastEnough() throws {
    let stage = RemoteStage()
    let bytes = try Songs.lame(["-b", "128"], seconds: 20)
    stage.network["/a"] = .init(bytes: bytes, rate: 19_200, piece: 500)
    stage.add(try stage.medium("/a"))
    stage.engine.setRate(1)
    while stage.heard.isEmpty, stage.clock.now.seconds < 10 { stage.advance(0.005) }
    // The first answer takes 0.05 s.
    #expect((stage.clock.now.seconds - 0.05) * 19_200 < 10_240)
    stage.playOut()
    expectSame(stage.heard, try Songs.samples(bytes))
    #expect(!stage.told.contains(.stalled))
  }

  @Test("a cover of 1 MB at 200 KB/s: it is left out, and sound begins within 0.3 s")
  func cover() throws {
    let stage = RemoteStage()
    let song = try Songs.lame(["-b", "128"], seconds: 5)
    let bytes = Songs.withCover(of: 1 << 20, song)
    stage.network["/a"] = .init(bytes: bytes, rate: 200_000)
    stage.add(try stage.medium("/a"))
    stage.engine.setRate(1)
    while stage.heard.isEmpty, stage.clock.now.seconds < 10 { stage.advance(0.005) }
    #expect(stage.clock.now.seconds < 0.3)
    // Its beginning, which tells how long it is, and the first sound.
    #expect(stage.network.sent("/a") < 50_000)
    #expect(stage.network.requests.map(\.from) == [0, bytes.count - song.count])
    stage.playOut()
    expectSame(stage.heard, try Songs.samples(song))
    #expect(stage.network.requests.count == 2)
  }

  @Test("of a tag 64 KiB are read through; where more of it is to come it is left out", arguments: [0, 1])
  func tags(excess: Int) throws {
    let stage = RemoteStage()
    let song = try Songs.lame(["-b", "128"], seconds: 5)
    // The first piece of 1,000 bytes tells how long it is.
    let bytes = Songs.withCover(of: 65_536 + 1_000 - 20 + excess, song)
    stage.network["/a"] = .init(bytes: bytes, rate: 200_000)
    stage.add(try stage.medium("/a"))
    stage.engine.setRate(1)
    stage.playOut()
    expectSame(stage.heard, try Songs.samples(song))
    #expect(stage.network.requests.count == 1 + excess)
  }
}
