import Clocks
import ControlProtocol
import Dispatch
import Jukebox
import Synchronization
import TestSupport
import Testing

@testable import MusicFiles

/// What files say about themselves.
@Suite(.timeLimit(.minutes(10))) struct TagReaderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Silence, with these frames of an ID3v2.3 tag before it.
  private func song(_ frames: KeyValuePairs<String, String>) -> [UInt8] {
    var content: [UInt8] = []
    for (name, text) in frames {
      content += Array(name.utf8) + [0, 0, 0, UInt8(text.utf8.count + 1), 0, 0, 0] + Array(text.utf8)
    }
    let tag =
      Array("ID3".utf8) + [3, 0, 0, 0, 0, UInt8(content.count >> 7), UInt8(content.count & 127)] + content
    // MPEG 1, layer III, 128 kbit/s, 44.1 kHz.
    let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
    return tag + Array(repeatElement(frame, count: 20).joined())
  }

  private func metadata(_ name: String) -> SongMetadata { SongMetadata(path: Array(folder.file(name).utf8)) }

  @Test func tagsAreReadInMPDsOrder() throws {
    try folder.write(
      "a.mp3", song(["TIT2": "Title", "TALB": "Album", "TPE1": "Artist", "TRCK": "3/9", "TCON": "Jazz"]))
    let read = metadata("a.mp3")
    #expect(
      read.tags == [
        SongTag(.artist, "Artist"), SongTag(.title, "Title"), SongTag(.album, "Album"), SongTag(.track, "3"),
        SongTag(.genre, "Jazz"),
      ])
    #expect(read.sampleRate == 44100 && read.channels == 2 && read.duration != nil && read.modified != nil)
  }

  @Test func whatCannotBeReadSaysNothing() throws {
    try folder.write("text.mp3", "no music")
    #expect(metadata("text.mp3").tags.isEmpty && metadata("text.mp3").modified != nil)
    #expect(metadata("missing.mp3") == SongMetadata())
    #expect(metadata(".").tags.isEmpty)
  }

  @Test func songsThatAreNoLongerWantedAreNotRead() throws {
    try folder.write("a.mp3", song(["TIT2": "Title"]))
    let locator = SongLocator(path: Array(folder.file("a.mp3").utf8))
    let seen = Mutex<[UInt32]>([])
    let done = DispatchSemaphore(value: 0)
    let reader = TagReader(clock: SystemClock.shared, isWanted: { $0.rawValue > 1 }) { batch in
      seen.withLock { $0 += batch.map(\.id.rawValue) }
      done.signal()
    }
    reader.read([(SongID(rawValue: 1), locator), (SongID(rawValue: 2), locator)])
    #expect(done.wait(timeout: .now() + 120) == .success)
    #expect(seen.withLock { $0 } == [2])
  }

  /// Songs that come while others are read are read behind them, each once.
  @Test func songsAreReadInOrder() throws {
    let count = 2500
    try folder.write("a.mp3", song(["TIT2": "Title"]))
    let path = Array(folder.file("a.mp3").utf8)
    let seen = Mutex<[UInt32]>([])
    let done = DispatchSemaphore(value: 0)
    let reader = TagReader(clock: SystemClock.shared) { batch in
      #expect(batch.allSatisfy { $0.metadata.tags == [SongTag(.title, "Title")] })
      let isLast = seen.withLock { seen in
        seen += batch.map(\.id.rawValue)
        return seen.count >= count
      }
      if isLast { done.signal() }
    }
    reader.read([])
    for start in stride(from: 0, to: count, by: 500) {
      reader.read((start..<start + 500).map { (SongID(rawValue: UInt32($0)), SongLocator(path: path)) })
    }
    #expect(done.wait(timeout: .now() + 120) == .success)
    #expect(seen.withLock { $0 } == (0..<UInt32(count)).map { $0 })
  }
}
