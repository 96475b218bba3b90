import Foundation

/// A WAV file in memory: what a player rendered, or the tone for paplay.
struct WAVFile {
  var rate: Int
  var channels: Int
  /// Interleaved.
  var samples: [Float]

  var frameCount: Int { samples.count / channels }
  var seconds: Double { Double(frameCount) / Double(rate) }

  /// Reads 16-bit and float files.
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

  /// Writes two seconds of a 16-bit stereo tone that is loud from its first frame.
  static func writeTone(to path: String) throws {
    let frames = 88_200
    var data = Data("RIFF".utf8)
    func append(_ value: UInt32) { withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) } }
    func append(_ value: UInt16) { withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) } }
    append(UInt32(36 + frames * 4))
    data.append(Data("WAVEfmt ".utf8))
    append(UInt32(16))
    append(UInt16(1))
    append(UInt16(2))
    append(UInt32(44_100))
    append(UInt32(44_100 * 4))
    append(UInt16(4))
    append(UInt16(16))
    data.append(Data("data".utf8))
    append(UInt32(frames * 4))
    for frame in 0..<frames {
      let value = UInt16(bitPattern: Int16(8_000 * cos(Double(frame) * 2 * .pi * 441 / 44_100)))
      append(value)
      append(value)
    }
    try data.write(to: URL(fileURLWithPath: path))
  }
}
