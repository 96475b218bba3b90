import AudioCore
import Clocks
import MP3Decoding
import TestSupport
import Testing
import Transfer

@testable import RemoteMedia

@Suite("What is there of a medium, and how fast more comes")
struct SupplyTests {
  private func time(_ seconds: Double) -> HostTime { HostTime(nanoseconds: 0).advanced(bySeconds: seconds) }

  @Test("a rate is known when 8 KiB came, and is that of the last five seconds in which bytes were wanted")
  func throughput() {
    var throughput = Throughput()
    throughput.setWanted(true, at: time(10))
    throughput.add(8_191, at: time(10.5))
    #expect(throughput.bytesPerSecond(at: time(10.5)) == nil)
    throughput.add(1, at: time(10.5))
    #expect(throughput.bytesPerSecond(at: time(10.5)) == 16_384)
    // What is not wanted does not count.
    throughput.setWanted(false, at: time(11))
    throughput.setWanted(true, at: time(100))
    #expect(throughput.bytesPerSecond(at: time(101)) == 4_096)
    for index in 1...100 { throughput.add(1_000, at: time(101 + Double(index) * 0.1)) }
    let rate = throughput.bytesPerSecond(at: time(111)) ?? 0
    #expect(abs(rate - 10_000) < 600)
    #expect(throughput.bytesPerSecond(at: time(120)) == 0)
    var sudden = Throughput()
    sudden.setWanted(true, at: time(0))
    sudden.add(16_384, at: time(0))
    #expect(sudden.bytesPerSecond(at: time(0)) ?? 0 > 1e6)
  }

  @Test("bytes without a gap, all to the end, the rate, and whether there is enough")
  func source() throws {
    let stage = RemoteStage(cache: MediaCache(folders: []))
    stage.network["/a"] = .init(bytes: [UInt8](repeating: 1, count: 6 << 20), rate: 100_000)
    let medium = try stage.medium("/a")
    let source = RemoteByteSource(medium.fetch)
    #expect(
      source.supply(from: 0)
        == ByteSupply(byteCount: 0, isComplete: false, bytesPerSecond: nil, isFull: false))
    stage.advance(10.05)
    var supply = source.supply(from: 1_000)
    #expect(abs(supply.byteCount - 999_000) < 2_000 && !supply.isComplete && !supply.isFull)
    #expect(abs((supply.bytesPerSecond ?? 0) - 100_000) < 6_000)
    // In memory 4 MiB are enough.
    stage.advance(60)
    supply = source.supply(from: 0)
    #expect(supply.isFull && !supply.isComplete && supply.byteCount >= 4 << 20)
    source.want(from: 5 << 20)
    stage.advance(30)
    supply = source.supply(from: 5 << 20)
    #expect(supply.isComplete && supply.byteCount == 1 << 20)
    #expect(source.supply(from: 6 << 20).isComplete)
  }

  @Test("a medium that was lost or changed has no more to wait for")
  func lost() throws {
    let stage = RemoteStage()
    let medium = try stage.medium("/missing")
    let source = RemoteByteSource(medium.fetch)
    stage.advance(5)
    #expect(source.supply(from: 0).isComplete)
  }

  @Test("what was fed and makes no frame is no sound")
  func partOfAFrame() throws {
    let stage = RemoteStage()
    let bytes = try Songs.fixture("cbr-44100-stereo.mp3")
    stage.network["/a"] = .init(bytes: bytes, rate: 1_000, piece: 100)
    let medium = try stage.medium("/a")
    let opening = medium.open {}
    var decoder: (any AudioDecoder)?
    while decoder == nil {
      stage.advance(0.1)
      decoder = try opening.proceed()
    }
    let opened = try #require(decoder)
    var buffer = [Float](repeating: 0, count: 8_192)
    func read() throws -> DecoderRead {
      try buffer.withUnsafeMutableBufferPointer { try opened.read(into: $0) }
    }
    while try read() != .waiting {}
    #expect(opened.supply.seconds == 0 && !opened.supply.isComplete)
    stage.advance(2)
    #expect(opened.supply.seconds > 0.05)
  }
}
