import AudioCore
import Foundation
import TestSupport
import Testing

@testable import MP3Decoding

extension MP3DecodingTests {
  /// `setOutputFormat`: channels exactly, rates exactly in length.
  @Suite struct Conversion {
    private static let rates = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000]

    private func converted(
      _ name: String, to format: PCMFormat, from frame: Int64? = nil, chunk: Int = 4096
    ) throws -> [Float] {
      let decoder = try decoder(name)
      try decoder.setOutputFormat(format)
      if let frame { #expect(try decoder.seek(toFrame: frame) == frame) }
      return try samples(of: decoder, channels: format.channelCount, chunk: chunk)
    }

    @Test func monoBecomesStereoByDuplication() throws {
      let mono = try samples(of: decoder("cbr-44100-mono.mp3"))
      let stereo = try converted("cbr-44100-mono.mp3", to: PCMFormat(sampleRate: 44100, channelCount: 2))
      expectSame(stereo, mono.flatMap { [$0, $0] })
    }

    @Test func stereoBecomesMonoByTheMean() throws {
      let stereo = try samples(of: decoder("vbr-44100-stereo.mp3"))
      let mono = try converted("vbr-44100-stereo.mp3", to: PCMFormat(sampleRate: 44100, channelCount: 1))
      expectSame(mono, stride(from: 0, to: stereo.count, by: 2).map { (stereo[$0] + stereo[$0 + 1]) * 0.5 })
    }

    @Test(
      "n frames of rate a become n·b/a of rate b, rounded up",
      arguments: [
        "cbr-44100-stereo.mp3", "abr-48000-stereo.mp3", "mpeg2-22050-stereo.mp3", "mpeg25-8000-mono.mp3",
        "mpeg25-11025-mono.mp3",
      ], [8000, 11025, 22050, 32000, 44100, 48000, 96000, 44099])
    func lengths(name: String, rate: Int) throws {
      let source = try decoder(name)
      let count = try samples(of: source).count / source.format.channelCount
      let output = PCMFormat(sampleRate: rate, channelCount: 2)
      for start in [0, 1, 1000, count - 1, count] {
        let left = count - start
        let expected = (left * rate + source.format.sampleRate - 1) / source.format.sampleRate
        #expect(try converted(name, to: output, from: Int64(start)).count == expected * 2, "from \(start)")
      }
    }

    @Test("The size of the buffer makes no difference", arguments: [1, 3, 511, 20_000])
    func chunkSizes(chunk: Int) throws {
      let format = PCMFormat(sampleRate: 48000, channelCount: 2)
      let expected = try converted("mpeg2-22050-stereo.mp3", to: format)
      try expectSame(converted("mpeg2-22050-stereo.mp3", to: format, chunk: chunk), expected)
    }

    /// After a seek to a frame that lies on a frame of the output, too.
    @Test(
      "After a seek all is as in linear conversion but for rounding",
      arguments: [
        ("cbr-44100-stereo.mp3", 48000, 147), ("abr-48000-stereo.mp3", 44100, 160),
        ("mpeg2-22050-stereo.mp3", 44100, 1), ("mpeg25-8000-mono.mp3", 48000, 1),
        ("mpeg25-11025-mono.mp3", 44100, 1), ("crc-32000-stereo.mp3", 44100, 320),
        ("cbr-44100-stereo.mp3", 22050, 2), ("cbr-44100-stereo.mp3", 8000, 441),
      ])
    func seeks(name: String, rate: Int, unit: Int) throws {
      let source = try decoder(name)
      let sourceRate = source.format.sampleRate
      let count = try samples(of: source).count / source.format.channelCount
      let output = PCMFormat(sampleRate: rate, channelCount: 2)
      let linear = try converted(name, to: output)
      let decoder = try decoder(name)
      try decoder.setOutputFormat(output)
      var random = RandomSource(seed: 4)
      let few = [0, 1, 2, 5].map { $0 * unit }
      let many = (0..<20).map { _ in Int.random(in: 0..<(count / unit), using: &random) * unit }
      for target in few + many {
        #expect(try decoder.seek(toFrame: Int64(target)) == Int64(target))
        let read = try samples(of: decoder, channels: 2, limit: 2000)
        let start = target * rate / sourceRate * 2
        #expect(read.count == min(4000, linear.count - start))
        let difference = largestDifference(read[...], linear[start...])
        #expect(difference < (rate * 4 < sourceRate ? 5e-5 : 2e-6), "from \(target)")
      }
    }

    /// A sine in, a sine out: what is left beside the best fitting sine is noise and distortion.
    @Test("A 1 kHz sine keeps more than 90 dB", arguments: rates, [22050, 44100, 48000])
    func signalToNoise(from rate: Int, to wanted: Int) throws {
      guard rate != wanted else { return }
      let output = try convertSine(1000, from: rate, to: wanted, frames: rate)
      let fit = fitSine(output[(wanted / 10)..<(wanted * 9 / 10)], frequency: 1000 / Double(wanted))
      #expect(fit.signalToNoise > 90)
    }

    @Test("What the converter is late by is taken out: at most half a frame is left", arguments: rates, rates)
    func delay(from rate: Int, to wanted: Int) throws {
      guard rate != wanted else { return }
      let output = try convertSine(100, from: rate, to: wanted, frames: rate)
      let start = wanted / 10
      let fit = fitSine(output[start..<(wanted * 9 / 10)], frequency: 100 / Double(wanted))
      let phase = 2 * Double.pi * 100 * Double(start) / Double(wanted)
      let late = remainder(phase - fit.phase, 2 * .pi) / (2 * .pi * 100)
      #expect(abs(late) * Double(wanted) < 0.55, "\(late * Double(wanted)) frames")
    }

    @Test("The end is not lost: the last frames of a sine are as loud as the ones before")
    func end() throws {
      // 1000 Hz for a whole number of periods; the last period of the output must be there.
      let output = try convertSine(1000, from: 44100, to: 48000, frames: 44100)
      try #require(output.count == 48000)
      let last = output.suffix(48).map(abs).max() ?? 0
      #expect(last > 0.45)
    }

    @Test("Several formats in a file: converted, the timeline goes on, and no frame is lost")
    func severalFormats() throws {
      let first = try Fixture.bytes("cbr-44100-stereo.mp3")
      let second = try Fixture.bytes("layer2-48000-stereo.mp2")
      let third = try Fixture.bytes("mpeg25-8000-mono.mp3")
      let file = first + second + third
      let decoder = try decoder(file)
      #expect(decoder.format == PCMFormat(sampleRate: 44100, channelCount: 2))
      let all = try samples(of: decoder)
      // Decoded in another format's wake, a layer II file is what it is alone; a layer III file, too.
      let secondAlone = try convertAlone("layer2-48000-stereo.mp2")
      let thirdAlone = try convertAlone("mpeg25-8000-mono.mp3")
      #expect(secondAlone.count / 2 == (57_600 * 147 + 159) / 160)
      #expect(all.count == 88_200 * 2 + secondAlone.count + thirdAlone.count)
      #expect(decoder.frameCount == .exact(Int64(all.count / 2)))
      try expectSame(Array(all[..<(88_200 * 2)]), samples(of: MP3DecodingTests.Conversion.fresh(first)))
      let middle = all[(88_200 * 2)..<(88_200 * 2 + secondAlone.count)]
      #expect(largestDifference(middle, secondAlone[...]) < 2e-6)
      #expect(largestDifference(all.suffix(thirdAlone.count), thirdAlone[...]) < 2e-6)

      // A seek into a converted stretch.
      let target = 88_200 + 147 * 100
      #expect(try decoder.seek(toFrame: Int64(target)) == Int64(target))
      let read = try samples(of: decoder, channels: 2)
      #expect(read.count == all.count - target * 2)
      #expect(largestDifference(read[...], all[(target * 2)...]) < 2e-6)
    }

    private static func fresh(_ bytes: [UInt8]) throws -> any AudioDecoder { try decoder(bytes) }

    private func convertAlone(_ name: String) throws -> [Float] {
      try converted(name, to: PCMFormat(sampleRate: 44100, channelCount: 2))
    }

    @Test("A seek before setOutputFormat is a seek, too")
    func seekFirst() throws {
      let format = PCMFormat(sampleRate: 48000, channelCount: 2)
      let expected = try converted("cbr-44100-stereo.mp3", to: format, from: 14_700)
      let decoder = try decoder("cbr-44100-stereo.mp3")
      try decoder.setOutputFormat(PCMFormat(sampleRate: 22050, channelCount: 1))
      _ = try decoder.seek(toFrame: 14_700)
      try decoder.setOutputFormat(format)
      let read = try samples(of: decoder, channels: 2)
      #expect(read.count == expected.count)
      #expect(largestDifference(read[...], expected[...]) < 2e-6)
    }

    @Test func impossibleFormats() throws {
      let decoder = try decoder("id3v1.mp3")
      for format in [
        PCMFormat(sampleRate: 0, channelCount: 2), PCMFormat(sampleRate: 44100, channelCount: 0),
        PCMFormat(sampleRate: 44100, channelCount: 3), PCMFormat(sampleRate: 1_000_000, channelCount: 2),
      ] {
        #expect(decodingError { try decoder.setOutputFormat(format) }?.scope == .engine)
      }
    }

    // MARK: - Sines

    private func convertSine(_ frequency: Double, from rate: Int, to wanted: Int, frames: Int) throws
      -> [Float]
    {
      let converter = try RateConverter(
        from: PCMFormat(sampleRate: rate, channelCount: 1), to: PCMFormat(sampleRate: wanted, channelCount: 1)
      )
      let input = (0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
      var output = [Float](repeating: 0, count: frames * wanted / rate + 100)
      var written = 0
      func drain() {
        while converter.hasOutput {
          written += output.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { converter.take(into: $0 + written, capacity: 100) } ?? 0
          }
        }
      }
      input.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        var fed = 0
        while fed < frames {
          fed += converter.feed(base + fed, count: min(1152, frames - fed))
          drain()
        }
      }
      while converter.flush() { drain() }
      return Array(output[..<written])
    }

    private func fitSine(
      _ samples: ArraySlice<Float>, frequency: Double
    ) -> (phase: Double, signalToNoise: Double) {
      let w = 2 * Double.pi * frequency
      var (cc, ss, cs, yc, ys) = (0.0, 0.0, 0.0, 0.0, 0.0)
      for (index, sample) in samples.enumerated() {
        let (c, s, y) = (cos(w * Double(index)), sin(w * Double(index)), Double(sample))
        cc += c * c
        ss += s * s
        cs += c * s
        yc += y * c
        ys += y * s
      }
      let determinant = cc * ss - cs * cs
      let a = (yc * ss - ys * cs) / determinant
      let b = (ys * cc - yc * cs) / determinant
      var (signal, noise) = (0.0, 0.0)
      for (index, sample) in samples.enumerated() {
        let fitted = a * cos(w * Double(index)) + b * sin(w * Double(index))
        signal += fitted * fitted
        noise += (Double(sample) - fitted) * (Double(sample) - fitted)
      }
      return (atan2(a, b), 10 * log10(signal / noise))
    }
  }
}
