import AudioCore
import Clocks
import MP3Decoding
import TestSupport
import Testing

@testable import RemoteMedia

@Suite("Seeks beyond what was fetched", .timeLimit(.minutes(10)))
struct FarSeekTests {
  struct Song: CustomTestStringConvertible, Sendable {
    var name: String
    var options: [String]
    var rate = 44_100
    /// Whether a place is certain without reading up to it.
    var isConstant = false
    var hasInfo = true
    /// How far the place may be off otherwise, as a part of the length.
    var tolerance = 0.01
    var testDescription: String { name }

    static let all = [
      Song(name: "CBR", options: ["-b", "128"], isConstant: true),
      Song(name: "CBR without Info frame", options: ["-b", "128", "-t"], isConstant: true),
      Song(name: "CBR, MPEG 2", options: ["-b", "64"], rate: 22_050, isConstant: true),
      Song(name: "VBR", options: ["-V", "2"]),
      Song(name: "VBR, MPEG 2", options: ["-V", "2"], rate: 24_000),
      // Nothing but a mean says where its places are.
      Song(name: "VBR without Info frame", options: ["-V", "2", "-t"], hasInfo: false, tolerance: 0.4),
    ]
  }

  /// A decoder of what a server has, which is asked until it need not wait.
  private struct Player {
    let stage = RemoteStage()
    let medium: RemoteMedium
    let decoder: any AudioDecoder

    /// Reading ahead takes 20 KB/s, so that the places of seeks are not there.
    init(_ bytes: [UInt8], hasRanges: Bool = true) throws {
      stage.network["/a"] = .init(bytes: bytes, hasRanges: hasRanges, rate: 100_000)
      medium = try stage.medium("/a")
      let opening = medium.open {}
      var opened: (any AudioDecoder)?
      while opened == nil {
        stage.advance(0.01)
        opened = try opening.proceed()
      }
      decoder = try #require(opened)
      try decoder.setOutputFormat(PCMFormat(sampleRate: decoder.format.sampleRate, channelCount: 2))
    }

    func seek(_ frame: Int64, isExact: Bool = false) throws -> Int64 {
      let end = stage.clock.now.advanced(bySeconds: 120)
      while stage.clock.now < end {
        if let reached = try decoder.seek(toFrame: frame, isExact: isExact) { return reached }
        stage.advance(0.01)
      }
      throw DecodingError(reason: .unreadable, message: "the seek does not end")
    }

    func read(_ count: Int) throws -> [Float] {
      var samples: [Float] = []
      var buffer = [Float](repeating: 0, count: 2_048)
      while samples.count < count * 2 {
        let wanted = min(buffer.count, count * 2 - samples.count)
        let read = try buffer.withUnsafeMutableBufferPointer {
          try decoder.read(into: UnsafeMutableBufferPointer(rebasing: $0[..<wanted]))
        }
        switch read {
        case .frames(let frames): samples += buffer[..<(frames * 2)]
        case .end: return samples
        case .waiting: stage.advance(0.01)
        }
      }
      return samples
    }
  }

  /// Where `piece` is in `samples` (both of two channels), if it is within `tolerance` frames of `frame`.
  private func find(_ piece: [Float], in samples: [Float], near frame: Int, tolerance: Int) -> Int? {
    let count = samples.count / 2
    func fits(_ start: Int) -> Bool {
      guard start >= 0, start * 2 + piece.count <= samples.count else { return false }
      // First without a closure: that is 100 times as fast.
      guard abs(piece[0] - samples[start * 2]) < 2e-7 else { return false }
      return piece.indices.allSatisfy { abs(piece[$0] - samples[start * 2 + $0]) < 2e-7 }
    }
    for distance in 0...tolerance {
      if frame + distance < count, fits(frame + distance) { return frame + distance }
      if fits(frame - distance) { return frame - distance }
    }
    return nil
  }

  @Test(
    "25 random seeks: exact where the bit rate is constant, else near to the place that is told",
    arguments: Song.all)
  func random(_ song: Song) throws {
    let bytes = try Songs.lame(song.options, rate: song.rate, seconds: 180)
    let linear = try Songs.samples(bytes)
    let length = linear.count / 2
    var random = RandomSource(seed: 5)
    var jumps = 0
    for _ in 0..<5 {
      let player = try Player(bytes)
      for _ in 0..<5 {
        let target = Int.random(in: 0..<(length - 4_000), using: &random)
        let before = player.stage.network.requests.count
        let isFirst = before == 1
        let reached = Int(try player.seek(Int64(target)))
        let requests = player.stage.network.requests.count - before
        let piece = try player.read(3_000)
        // Where what is missing was fetched up to what is there, reading ahead goes on behind that. And where nothing but
        // a mean says where places are, what is found at the first place may say that it is another one.
        let isGuess = !song.hasInfo && !song.isConstant
        #expect(requests <= (isFirst && !isGuess ? 1 : 2), "\(requests) requests for \(target)")
        jumps += requests
        // Without Info frame the length is estimated, too.
        if song.hasInfo || song.isConstant { #expect(reached == target) } else { #expect(reached <= target) }
        if song.isConstant {
          let isSame = piece == Array(linear[(target * 2)..<(target * 2 + piece.count)])
          #expect(isSame, "not the samples at \(target)")
        } else {
          let found = find(
            Array(piece.suffix(2_000)), in: linear, near: reached + 2_000,
            tolerance: Int(Double(length) * song.tolerance))
          #expect(found != nil, "not the samples near \(target)")
        }
      }
    }
    #expect(jumps > 5)
  }

  @Test("with nothing tolerated the headers in between are fetched, and it is exact", arguments: Song.all)
  func exact(_ song: Song) throws {
    let bytes = try Songs.lame(song.options, rate: song.rate, seconds: 180)
    let linear = try Songs.samples(bytes)
    let length = linear.count / 2
    let player = try Player(bytes)
    for part in [0.7, 0.3, 0.9] {
      let target = Int(Double(length) * part)
      #expect(try player.seek(Int64(target), isExact: true) == Int64(target))
      let piece = try player.read(3_000)
      let isSame = piece == Array(linear[(target * 2)..<(target * 2 + piece.count)])
      #expect(isSame, "not the samples at \(target)")
    }
    if !song.isConstant { #expect(player.stage.network.requests.count == 1) }
    // An estimated place is not taken for an exact one.
    let other = try Player(bytes)
    let target = Int64(Double(length) * 0.8)
    _ = try other.seek(target)
    #expect(try other.seek(target + 1_000, isExact: true) == target + 1_000)
    let piece = try other.read(1_000)
    let start = Int(target + 1_000) * 2
    let isSame = piece == Array(linear[start..<start + piece.count])
    #expect(isSame)
  }

  @Test(
    "a seek into what is there makes no request and is exact; one just ahead of it waits for what is running")
  func near() throws {
    let bytes = try Songs.lame(["-V", "2"], seconds: 180)
    let linear = try Songs.samples(bytes)
    let player = try Player(bytes)
    player.stage.advance(10)
    let there = player.decoder.supply.seconds
    #expect(there > 20 && there < 120)
    for seconds in [there - 2, 1, there + 3] {
      let target = Int(seconds * 44_100)
      #expect(try player.seek(Int64(target)) == Int64(target))
      let piece = try player.read(2_000)
      let isSame = piece == Array(linear[(target * 2)..<(target * 2 + piece.count)])
      #expect(isSame, "not the samples at \(seconds)")
    }
    #expect(player.stage.network.requests.count == 1)
  }

  @Test("behind a jump it plays to the end; back at the beginning all is as it was")
  func toTheEnd() throws {
    for song in Song.all.filter(\.isConstant) {
      let bytes = try Songs.lame(song.options, rate: song.rate, seconds: 180)
      let linear = try Songs.samples(bytes)
      let player = try Player(bytes)
      let target = linear.count / 2 * 3 / 4
      #expect(try player.seek(Int64(target)) == Int64(target))
      try expectSame(player.read(.max / 4), Array(linear[(target * 2)...]))
      #expect(player.decoder.frameCount == .exact(Int64(linear.count / 2)))
      #expect(try player.seek(0) == 0)
      try expectSame(player.read(.max / 4), linear)
    }
  }

  @Test("the parts that are there, as times")
  func extent() throws {
    for song in Song.all.prefix(1) + Song.all[3...3] {
      let bytes = try Songs.lame(song.options, seconds: 180)
      let player = try Player(bytes)
      player.stage.advance(4)
      var extent = try #require(player.decoder.extent)
      try #require(extent.loaded.count == 1)
      #expect(extent.isSeekable && extent.loaded[0].lowerBound == 0)
      let part = extent.loaded[0].upperBound / 180
      #expect(abs(part - 400_000 / Double(bytes.count)) < 0.02)
      _ = try player.seek(150 * 44_100)
      player.stage.advance(1)
      extent = try #require(player.decoder.extent)
      try #require(extent.loaded.count == 2)
      #expect(abs(extent.loaded[1].lowerBound - 150) < 2)
      player.stage.advance(60)
      extent = try #require(player.decoder.extent)
      #expect(extent.loaded.last?.upperBound == 180)
      _ = try player.seek(0)
      player.stage.advance(60)
      extent = try #require(player.decoder.extent)
      #expect(extent.loaded == [0..<180])
    }
  }
}
