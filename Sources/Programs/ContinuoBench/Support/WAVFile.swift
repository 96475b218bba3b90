import Foundation

/// A WAV file in memory, as a player rendered it.
struct WAVFile {
  var rate: Int
  var channels: Int
  /// The samples, interleaved by channel.
  var samples: [Float]

  var frameCount: Int { samples.count / channels }
  var seconds: Double { Double(frameCount) / Double(rate) }

  /// Reads a WAV file with 16-bit or float samples.
  init(reading path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T {
      data.withUnsafeBytes { T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self)) }
    }
    guard data.count > 44, data.prefix(4) == Data("RIFF".utf8) else {
      throw BenchError("\(path) is no WAV file")
    }
    var offset = 12
    var bits = 0
    (rate, channels, samples) = (0, 0, [])
    while offset + 8 <= data.count {
      let name = data[offset..<offset + 4]
      let size = min(Int(integer(UInt32.self, at: offset + 4)), data.count - offset - 8)
      let body = offset + 8
      if name == Data("fmt ".utf8), size >= 16 {
        channels = Int(integer(UInt16.self, at: body + 2))
        rate = Int(integer(UInt32.self, at: body + 4))
        bits = Int(integer(UInt16.self, at: body + 14))
      } else if name == Data("data".utf8) {
        samples = data.withUnsafeBytes { bytes in
          bits == 32
            ? (0..<size / 4).map { bytes.loadUnaligned(fromByteOffset: body + $0 * 4, as: Float.self) }
            : (0..<size / 2).map {
              Float(bytes.loadUnaligned(fromByteOffset: body + $0 * 2, as: Int16.self)) / 32_768
            }
        }
      }
      offset = body + size + size & 1
    }
    guard rate > 0, channels > 0, bits == 16 || bits == 32, !samples.isEmpty else {
      throw BenchError("\(path) holds no sound")
    }
  }
}
