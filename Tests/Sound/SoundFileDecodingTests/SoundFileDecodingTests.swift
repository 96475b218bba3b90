import AudioCore
import MP3Decoding
import TestSupport
import Testing

@testable import SoundFileDecoding

@Suite(.timeLimit(.minutes(10)))
struct SoundFileDecodingTests {
  private func decoder(_ bytes: [UInt8]) throws -> any AudioDecoder {
    try #require(try MediaOpening(audioIn: ScriptedSource(bytes)).proceed())
  }

  @Test func bytesThatArriveBetweenTwoQuestionsAreNotWaitedFor() throws {
    let source = ArrivingSource([UInt8](repeating: 0, count: 1000), isSeekable: false, largest: 1)
    source.afterSupply = { source.receive() }
    #expect(try source.has(100, from: 0))
    source.afterSupply = {}
    #expect(try !source.has(500, from: 0))
  }

  @Test("Lossless formats are decoded bit for bit", arguments: SoundFormat.lossless)
  func lossless(format: SoundFormat) throws {
    let sound = SoundMaker.sound(frames: 50_000, for: format)
    let bytes = try SoundMaker.bytes(sound, format)
    let decoder = try decoder(bytes)
    #expect(decoder.format == PCMFormat(sampleRate: 44_100, channelCount: 2))
    #expect(decoder.frameCount == .exact(50_000))
    #expect(decoder.bitRate > 0)
    try expectSame(samples(of: decoder), sound)
    #expect(decoder.damage == 0)
  }

  @Test("The frames after a seek are those of linear decoding", arguments: SoundFormat.all)
  func seeks(format: SoundFormat) throws {
    let rate = format == .opus ? 48_000 : 44_100
    let bytes = try SoundMaker.bytes(SoundMaker.sound(frames: 300_000, for: format), format, rate: rate)
    let linear = try samples(of: decoder(bytes))
    #expect(linear.count == 600_000)
    let decoder = try decoder(bytes)
    var random = RandomSource(seed: 3)
    for _ in 0..<200 {
      let target = random.below(linear.count / 2)
      #expect(try decoder.seek(toFrame: Int64(target)) == Int64(target))
      let found = try samples(of: decoder, channels: 2, limit: 1000)
      let isSame = same(found, linear[(2 * target)...].prefix(2000))
      #expect(isSame, "\(target)")
    }
    #expect(try decoder.seek(toFrame: 400_000) == 300_000)
    #expect(try samples(of: decoder).isEmpty)
  }

  @Test("The bit rate after a seek is that of the frames read since")
  func bitRateAfterASeek() throws {
    let silence = [Float](repeating: 0, count: 2 * 441_000)
    let decoder = try decoder(SoundMaker.bytes(silence + SoundMaker.sound(frames: 220_500), .flac16))
    _ = try samples(of: decoder, channels: 2, limit: 100_000)
    #expect(decoder.takeBitRate() < 100_000)
    _ = try decoder.seek(toFrame: 441_000)
    _ = try samples(of: decoder, channels: 2, limit: 100_000)
    #expect(decoder.takeBitRate() > 700_000)
  }

  @Test(
    "Bytes that arrive piece by piece give the same samples", arguments: SoundFormat.all, [true, false])
  func arriving(format: SoundFormat, isSeekable: Bool) throws {
    let rate = format == .opus ? 48_000 : 44_100
    let frames = format.bits == nil ? 600_000 : 200_000
    let bytes = try SoundMaker.bytes(SoundMaker.sound(frames: frames, for: format), format, rate: rate)
    let linear = try samples(of: decoder(bytes))
    for seed in Rounds.seeds(3) {
      let source = ArrivingSource(bytes, isSeekable: isSeekable, seed: seed)
      let decoder = try source.open()
      if !isSeekable, format.name != "caf alac" { #expect(!source.isComplete, "plays from the front") }
      try expectSame(source.samples(of: decoder), linear)
      #expect(decoder.frameCount == .exact(Int64(frames)))
    }
    let source = ArrivingSource(bytes, isSeekable: isSeekable, seed: 9)
    let decoder = try source.open()
    var random = RandomSource(seed: 4)
    for _ in 0..<20 {
      let target = random.below(frames)
      let reached = try source.wait { try decoder.seek(toFrame: Int64(target)) }
      #expect(reached == Int64(target))
      let found = try source.samples(of: decoder, limit: 500)
      let isSame = same(found, linear[(2 * target)...].prefix(1000))
      #expect(isSame, "\(target)")
    }
  }

  @Test("A file of unknown size plays to its end", arguments: SoundFormat.all)
  func unknownSize(format: SoundFormat) throws {
    let rate = format == .opus ? 48_000 : 44_100
    let bytes = try SoundMaker.bytes(SoundMaker.sound(frames: 100_000, for: format), format, rate: rate)
    let source = ArrivingSource(bytes, isSeekable: false)
    source.size = nil
    let decoder = try source.open()
    try expectSame(source.samples(of: decoder), samples(of: self.decoder(bytes)))
  }

  @Test("A header that follows the sound is waited for, however little a server without ranges sends ahead")
  func headerAtTheEnd() throws {
    let sound = SoundMaker.sound(frames: 100_000)
    let whole = try SoundMaker.bytes(sound, .aiff16)
    // The chunks after "FORM", the size and "AIFF", each with its length in four bytes.
    var (chunks, place): ([ArraySlice<UInt8>], Int) = ([], 12)
    while place + 8 <= whole.count {
      let size = whole[place + 4..<place + 8].reduce(0) { $0 << 8 | Int($1) }
      chunks.append(whole[place..<min(whole.count, place + 8 + size + size % 2)])
      place += 8 + size + size % 2
    }
    let isHeader = { (chunk: ArraySlice<UInt8>) in chunk.starts(with: "COMM".utf8) }
    let bytes = whole[..<12] + (chunks.filter { !isHeader($0) } + chunks.filter(isHeader)).joined()
    #expect(bytes.count == whole.count)
    let source = ArrivingSource(Array(bytes), isSeekable: false)
    source.readAhead = 65_536
    let decoder = try source.open()
    #expect(decoder.frameCount == .exact(100_000))
    try expectSame(source.samples(of: decoder), sound)
  }

  @Test("A source of 8 EiB does no harm", arguments: [SoundFormat.flac16, .vorbis])
  func absurdSize(format: SoundFormat) throws {
    let bytes = try SoundMaker.bytes(SoundMaker.sound(frames: 100_000, for: format), format, rate: 44_100)
    let source = ArrivingSource(bytes, isSeekable: false)
    source.size = .max
    let decoder = try source.open()
    #expect(decoder.bitRate > 0 && decoder.bitRate <= 1_000_000_000_000)
    _ = try source.samples(of: decoder, limit: 90_000)
    #expect(decoder.frameCount.value ?? 0 > 0)
  }

  @Test("An album cut into files has the samples of the whole")
  func album() throws {
    let sound = SoundMaker.sound(frames: 100_000)
    var joined: [Float] = []
    for part in [0..<33_333, 33_333..<70_001, 70_001..<100_000] {
      let samples = Array(sound[2 * part.lowerBound..<2 * part.upperBound])
      joined += try TestSupport.samples(of: decoder(SoundMaker.bytes(samples, .flac16)))
    }
    expectSame(joined, sound)
  }

  @Test(
    "A conversion has the exact length",
    arguments: [(96_000, 1, 44_100, 2), (44_100, 2, 48_000, 2), (8_000, 2, 44_100, 1)])
  func conversion(rate: Int, channels: Int, to outputRate: Int, outputChannels: Int) throws {
    let bytes = try SoundMaker.bytes(
      SoundMaker.sound(frames: 30_001, channels: channels), .flac16, rate: rate, channels: channels)
    let decoder = try decoder(bytes)
    try decoder.setOutputFormat(PCMFormat(sampleRate: outputRate, channelCount: outputChannels))
    let all = try samples(of: decoder, channels: outputChannels)
    #expect(all.count / outputChannels == (30_001 * outputRate + rate - 1) / rate)
    #expect(try decoder.seek(toFrame: 20_000) == 20_000)
    let rest = try samples(of: decoder, channels: outputChannels)
    #expect(rest.count / outputChannels == (10_001 * outputRate + rate - 1) / rate)
  }

  @Test("A format set while a seek waits for bytes keeps the seek's target")
  func conversionDuringASeek() throws {
    let bytes = try SoundMaker.bytes(SoundMaker.sound(frames: 200_000), .flac16)
    let source = ArrivingSource(bytes, isSeekable: true)
    let decoder = try source.open()
    try decoder.setOutputFormat(PCMFormat(sampleRate: 48_000, channelCount: 2))
    #expect(try decoder.seek(toFrame: 150_000) == nil)
    try decoder.setOutputFormat(PCMFormat(sampleRate: 88_200, channelCount: 2))
    #expect(try source.samples(of: decoder).count / 2 == 100_000)
  }

  @Test("Six channels are mixed to two without clipping")
  func mixed() throws {
    let frames = 2000
    var sound = [Float](repeating: 0, count: frames * 6)
    for frame in 0..<frames {
      // Left, right, centre, low frequency, rear left, rear right.
      sound[frame * 6 + 0] = 0.5
      sound[frame * 6 + 3] = 0.9
      sound[frame * 6 + 5] = 0.25
    }
    let decoder = try decoder(SoundMaker.bytes(sound, .wav16, channels: 6))
    #expect(decoder.format.channelCount == 2)
    let found = try samples(of: decoder)
    let whole: Float = 1 + 2 * Float(0.5).squareRoot()
    #expect(found.count == 2 * frames)
    #expect(abs(found[0] - 0.5 / whole) < 1e-4)
    #expect(abs(found[1] - 0.25 * Float(0.5).squareRoot() / whole) < 1e-4)
  }

  @Test("A truncated file plays to the cut", arguments: [SoundFormat.flac16, .vorbis, .wav16])
  func truncated(format: SoundFormat) throws {
    let bytes = try SoundMaker.bytes(SoundMaker.sound(frames: 100_000), format)
    let linear = try samples(of: decoder(bytes))
    let decoder = try decoder(Array(bytes.prefix(bytes.count / 2)))
    let found = try samples(of: decoder)
    #expect(found.count > linear.count / 3 && found.count < linear.count)
    // The last block may be incomplete.
    let sure = max(0, found.count - 20_000)
    #expect(same(found[..<sure], linear[..<sure]))
    #expect(decoder.frameCount == .exact(Int64(found.count / 2)))
  }

  @Test("A damaged FLAC frame is silent, and all others are at their positions", arguments: [false, true])
  func damagedFrame(isArriving: Bool) throws {
    let sound = SoundMaker.sound(frames: 100_000)
    let whole = try SoundMaker.bytes(sound, .flac16)
    for round in 0..<20 {
      var bytes = whole
      bytes[bytes.count / 2 + round * 997] ^= 0x10
      let source = ArrivingSource(bytes, isSeekable: true)
      while !isArriving, !source.isComplete { source.receive() }
      let decoder = try source.open()
      let found = try source.samples(of: decoder, size: 8192)
      #expect(decoder.frameCount == .exact(100_000), "round \(round)")
      try #require(found.count == 200_000, "round \(round)")
      let differing = zip(found, sound).enumerated().filter { $1.0 != $1.1 }.map { $0.offset / 2 }
      let (first, last) = (differing.first ?? 0, differing.last ?? 0)
      #expect(last - first < 8192 && last < 90_000, "round \(round): \(first)...\(last)")
      #expect(decoder.damage > 0 && decoder.damage < 8192)
      // The damaged frame can also be the target of a seek.
      let middle = (first + last) / 2
      #expect(try source.wait { try decoder.seek(toFrame: Int64(middle)) } == Int64(middle))
      let rest = try source.samples(of: decoder)
      #expect(same(rest.suffix(20_000), sound.suffix(20_000)))
      #expect(rest.count == 200_000 - 2 * middle)
    }
  }

  @Test("A FLAC file with a damaged end has its length, and silence there", arguments: [true, false])
  func damagedEnd(isArriving: Bool) throws {
    let sound = SoundMaker.sound(frames: 100_000)
    var bytes = try SoundMaker.bytes(sound, .flac16)
    bytes[bytes.count - 300] ^= 0x10
    let source = ArrivingSource(bytes, isSeekable: true)
    while !isArriving, !source.isComplete { source.receive() }
    let decoder = try source.open()
    let found = try source.samples(of: decoder, size: 8192)
    #expect(decoder.frameCount == .exact(100_000) && found.count == 200_000)
    let differing = zip(found, sound).enumerated().filter { $1.0 != $1.1 }.map { $0.offset / 2 }
    #expect(try #require(differing.first) > 100_000 - 8192)
    #expect(decoder.damage > 0 && decoder.damage <= 6144 && found.suffix(100).allSatisfy { $0 == 0 })
    // A seek into the damage, too.
    #expect(try source.wait { try decoder.seek(toFrame: 99_999) } == 99_999)
    #expect(try source.samples(of: decoder).count == 2)
    // A seek of a decoder that has not met the damage, too.
    let fresh = try source.open()
    #expect(try source.wait { try fresh.seek(toFrame: 99_999) } == 99_999)
    #expect(try source.samples(of: fresh) == [0, 0])
    #expect(fresh.frameCount == .exact(100_000) && fresh.damage == 1)
    #expect(try source.wait { try fresh.seek(toFrame: 0) } == 0)
    #expect(same(try source.samples(of: fresh, size: 8192), found))
  }

  @Test(
    "A read error is thrown after the samples before it",
    arguments: [SoundFormat.flac16, .vorbis, .opus, .wav16])
  func readError(format: SoundFormat) throws {
    let bytes = try SoundMaker.bytes(
      SoundMaker.sound(frames: 100_000), format, rate: format == .opus ? 48_000 : 44_100)
    let source = ScriptedSource(bytes)
    let decoder = try #require(try MediaOpening(audioIn: source).proceed())
    source.failsFrom = Int64(bytes.count / 2)
    var count = 0
    let error = decodingError {
      var buffer = [Float](repeating: 0, count: 2000)
      while case .frames(let read) = try buffer.withUnsafeMutableBufferPointer({ try decoder.read(into: $0) })
      {
        count += read
      }
    }
    #expect(error?.reason == .unreadable)
    #expect(count > 10_000)
  }
}
