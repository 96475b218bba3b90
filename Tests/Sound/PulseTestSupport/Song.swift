package import Foundation
import TestSupport

/// A piece of noise, so that no stretch of it is like another and no frame is silent.
package struct Song: Hashable, Sendable {
  /// Seconds.
  package var duration: Double
  /// Frames per second.
  package var rate: Int
  /// 1 or 2.
  package var channels: Int
  /// Kilobits per second.
  package var bitRate: Int
  /// Two songs of different seeds are different.
  package var seed: UInt64
  /// In place of noise a tone of that many hertz, which begins as a sine does.
  package var tone: Double?

  /// A second of noise, unless something else is said.
  package init(
    duration: Double = 1, rate: Int = 44100, channels: Int = 2, bitRate: Int = 128, seed: UInt64 = 1,
    tone: Double? = nil
  ) {
    self.duration = duration
    self.rate = rate
    self.channels = channels
    self.bitRate = bitRate
    self.seed = seed
    self.tone = tone
  }

  /// Frames: exactly as many come out of the decoder.
  package var frameCount: Int { Int((duration * Double(rate)).rounded()) }

  /// A name that says what it is.
  package var name: String { "song\(seed)-\(rate)-\(channels)-\(frameCount).mp3" }

  /// What was encoded in this process: most tests play the same few songs.
  private static let encoded = MadeOnce<Song, Data>()

  /// Encodes it with LAME into a folder and returns the file's path.
  package func write(into folder: String, name: String? = nil) async throws -> String {
    let path = "\(folder)/\(name ?? self.name)"
    try await Self.encoded.value(of: self, encoded).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func encoded() async throws -> Data {
    let folder = try TemporaryFolder()
    let (wave, path) = (folder.file("song.wav"), folder.file("song.mp3"))
    try waveFile.write(to: URL(fileURLWithPath: wave))
    let mode = channels == 1 ? ["-m", "m"] : []
    _ = try await output(
      of: [
        "lame", "--quiet", "-q", "9", "--noreplaygain", "-b", "\(bitRate)", "--resample",
        "\(Double(rate) / 1000)",
      ] + mode + [wave, path])
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// How high a tone's waves are, before encoding: LAME makes everything lower, by `encodingGain`.
  package static let amplitude = 1.0 / 3
  /// LAME 3.100 at constant bit rates, also with --scale 1 [measured].
  package static let encodingGain = 0.95

  /// 16 bits; noise of a third of full scale.
  private var samples: Data {
    var samples = [Int16](repeating: 0, count: frameCount * channels)
    samples.withUnsafeMutableBufferPointer { samples in
      var index = 0
      if let tone {
        while index < samples.count {
          let seconds = Double(index / channels) / Double(rate)
          samples[index] = Int16((Self.amplitude * 32768 * sin(2 * .pi * tone * seconds)).rounded())
          index += 1
        }
        return
      }
      var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
      while index < samples.count {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        samples[index] = Int16(truncatingIfNeeded: Int64(bitPattern: state) >> 48) / 3
        index += 1
      }
    }
    return samples.withUnsafeBytes { Data($0) }
  }

  /// As a WAV file.
  package var waveFile: Data {
    let samples = self.samples
    var file = Data("RIFF".utf8)
    func append(_ value: Int, bytes: Int) {
      withUnsafeBytes(of: UInt32(value)) { file.append(contentsOf: $0.prefix(bytes)) }
    }
    append(36 + samples.count, bytes: 4)
    file.append(Data("WAVEfmt ".utf8))
    append(16, bytes: 4)
    append(1, bytes: 2)
    append(channels, bytes: 2)
    append(rate, bytes: 4)
    append(rate * channels * 2, bytes: 4)
    append(channels * 2, bytes: 2)
    append(16, bytes: 2)
    file.append(Data("data".utf8))
    append(samples.count, bytes: 4)
    return file + samples
  }
}
