import AudioCore
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// Thousands of broken files: any outcome is right that is an outcome.
  @Suite struct Fuzz {
    /// Opens, reads tags, seeks, reads; returns what was read from the source.
    private func play(_ bytes: [UInt8], with random: inout RandomSource) -> Int {
      let source = ScriptedSource(bytes)
      if let metadata = try? MetadataReader.read(source) {
        #expect(metadata.format.sampleRate > 0)
      }
      guard let decoder = try? decoder(of: source) else { return source.bytesRead }
      #expect((8000...48000).contains(decoder.format.sampleRate))
      #expect((1...2).contains(decoder.format.channelCount))
      let format = [
        decoder.format, PCMFormat(sampleRate: 44100, channelCount: 2),
        PCMFormat(sampleRate: 48000, channelCount: 1),
      ][Int.random(in: 0..<3, using: &random)]
      do {
        if Bool.random(using: &random) { #expect(try decoder.measureLength()) }
        try decoder.setOutputFormat(format)
        for _ in 0..<3 {
          let length = decoder.frameCount.value ?? 1000
          #expect(length >= 0)
          let target = Int64.random(in: 0...max(length, 1), using: &random)
          let reached = try #require(try decoder.seek(toFrame: target))
          #expect((0...target).contains(reached))
          _ = try samples(of: decoder, channels: format.channelCount, limit: 3000)
        }
        _ = try decoder.seek(toFrame: 0)
        _ = try samples(of: decoder, channels: format.channelCount, limit: 20_000)
      } catch let error as DecodingError {
        #expect(error.scope == .item)
      } catch {
        Issue.record("\(error)")
      }
      #expect(decoder.damage >= 0)
      return source.bytesRead
    }

    private func mutate(_ bytes: inout [UInt8], with random: inout RandomSource) {
      guard !bytes.isEmpty else { return }
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2:
          bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...500, using: &random)))
        case 3:
          bytes.insert(
            contentsOf: (0..<Int.random(in: 1...300, using: &random)).map { _ in
              UInt8.random(in: 0...255, using: &random)
            }, at: place)
        case 4: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random) / 2)
        // Headers and tags where none were.
        case 5:
          let pieces: [[UInt8]] = [
            [0xFF, 0xFB, 0x90, 0x00], [0xFF, 0xF3, 0x40, 0xC0], [0xFF, 0xFB, 0x00, 0x00],
            [0xFF, 0xFF, 0x60, 0x00],
            Array("ID3".utf8) + [4, 0, 0xC0, 0, 0, 3, 1], Array("TAG".utf8), Array("Info".utf8),
          ]
          let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
          bytes.insert(contentsOf: piece, at: place)
        // The first frames, where the Info frame and tags are.
        default: bytes[place % min(bytes.count, 400)] = UInt8.random(in: 0...255, using: &random)
        }
        if bytes.isEmpty { return }
      }
    }

    @Test("Mutated files", arguments: 0..<8)
    func mutated(part: Int) throws {
      var random = RandomSource(seed: UInt64(1000 + part))
      let seeds = try Fixture.all.map { name in
        // The beginning is enough, and quick.
        Array(try Fixture.bytes(name).prefix(9000))
      }
      for round in 0..<250 {
        var bytes = seeds[(round + part) % seeds.count]
        if round % 5 == 0 { bytes += seeds[Int.random(in: 0..<seeds.count, using: &random)] }
        mutate(&bytes, with: &random)
        let read = play(bytes, with: &random)
        // Some passes over the file, and what searches take at most.
        #expect(read < 40 * bytes.count + (8 << 20))
      }
    }

    @Test("Random bytes full of headers")
    func random() throws {
      var random = RandomSource(seed: 31)
      for _ in 0..<200 {
        var bytes = (0..<Int.random(in: 1...4000, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        for _ in 0..<30 {
          let place = Int.random(in: 0..<bytes.count, using: &random)
          bytes.replaceSubrange(
            place..<min(place + 4, bytes.count),
            with: [0xFF, 0xF0 | UInt8.random(in: 2...15, using: &random), 0x90, 0x40])
        }
        _ = play(bytes, with: &random)
      }
    }

    @Test("Random frame bodies behind sound headers")
    func randomBodies() throws {
      var random = RandomSource(seed: 32)
      for header: [UInt8] in [
        [0xFF, 0xFB, 0x90, 0x44], [0xFF, 0xFD, 0x84, 0x04], [0xFF, 0xFF, 0x60, 0x00],
      ] {
        let size = header[1] == 0xFB ? 417 : header[1] == 0xFD ? 384 : 208
        for _ in 0..<30 {
          var bytes: [UInt8] = []
          for _ in 0..<20 {
            bytes += header
            for _ in 4..<size { bytes.append(UInt8.random(in: 0...255, using: &random)) }
          }
          _ = play(bytes, with: &random)
        }
      }
    }

    @Test("All lengths of a short file")
    func truncations() throws {
      var random = RandomSource(seed: 33)
      let bytes = try Fixture.bytes("id3v24-cover.mp3")
      for count in stride(from: 0, to: bytes.count, by: 13) {
        _ = play(Array(bytes.prefix(count)), with: &random)
      }
    }
  }
}
