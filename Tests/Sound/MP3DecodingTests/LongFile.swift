import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MP3Decoding

/// A file of 20 seconds, made by LAME when a test needs it: longer than any run-up before a seek.
struct LongFile: CustomTestStringConvertible, Hashable, Sendable {
  var rate: Int
  var channels: Int
  /// LAME's options.
  var options: [String]

  var testDescription: String { "\(rate) Hz, \(channels) channels, \(options.joined(separator: " "))" }

  /// One of each version of MPEG and of each way to choose a bit rate.
  static let all =
    [
      LongFile(rate: 44_100, channels: 2, options: ["-b", "32", "-m", "j", "--resample", "44.1"]),
      LongFile(rate: 48_000, channels: 1, options: ["-V", "4"]),
    ] + lowRates

  /// MPEG 2 and 2.5, whose frames have 576 samples.
  static let lowRates = [
    LongFile(rate: 22_050, channels: 2, options: ["-b", "48"]),
    LongFile(rate: 22_050, channels: 2, options: ["-b", "16", "-t"]),
    LongFile(rate: 24_000, channels: 2, options: ["-V", "5"]),
    LongFile(rate: 16_000, channels: 1, options: ["--abr", "40", "-p"]),
    LongFile(rate: 11_025, channels: 1, options: ["-b", "16"]),
    LongFile(rate: 8_000, channels: 1, options: ["-b", "8"]),
  ]

  /// What was encoded in this process.
  private static let encoded = Mutex<[LongFile: [UInt8]]>([:])

  /// The encoded file.
  func bytes() throws -> [UInt8] {
    if let known = Self.encoded.withLock({ $0[self] }) { return known }
    let folder = try TemporaryFolder()
    let sound = try folder.write("sound", sound)
    let format = ["-r", "-s", "\(Double(rate) / 1000)", "-m", channels == 1 ? "m" : "j"]
    try runTool("lame", ["--quiet", "--noreplaygain"] + format + options + [sound, sound + ".mp3"])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: sound + ".mp3")))
    Self.encoded.withLock { $0[self] = bytes }
    return bytes
  }

  /// 16 bits: noise that swells and a tone that climbs, so that each granule differs and the bit reservoir is used.
  private var sound: [UInt8] {
    var random = RandomSource(seed: UInt64(rate))
    let count = rate * 20
    var sound = [UInt8]()
    sound.reserveCapacity(count * channels * 2)
    var phase = 0.0
    for frame in 0..<count {
      let seconds = Double(frame) / Double(rate)
      phase += (200 + 40 * seconds) / Double(rate)
      let tone = sin(2 * .pi * phase)
      let loudness = 0.5 + 0.5 * sin(2 * .pi * seconds * 0.7)
      let bits = random.next()
      for channel in 0..<channels {
        let noise = Double(Int16(truncatingIfNeeded: bits >> (16 * UInt64(channel)))) / 32768
        let value = Int16((tone * 0.4 + noise * 0.3 * loudness) * 32767)
        sound.append(UInt8(truncatingIfNeeded: value))
        sound.append(UInt8(truncatingIfNeeded: value >> 8))
      }
    }
    return sound
  }
}
