import Clocks

/// A test device's song as a sequence of frames, each with a header that identifies the song and the frame.
/// The bit rate is constant, so the byte offset of each frame is known.
struct MarkedStream: Hashable, Sendable {
  static let soundPerFrame: Int64 = 1_152
  /// The beginning of every header. No byte of a stream frame can begin an MPEG frame.
  static let magic = Array("continuo".utf8)
  static let headerLength = 8 + 2 + 4 + 3 + 3 + 6
  /// The length value that marks a stream without an end.
  private static let endless: Int64 = 1 << 42 - 1

  var song: Int
  /// The length in PCM frames; nil for a stream without an end.
  var length: Int64?
  var sampleRate: Int
  var bitRate: Int

  func start(of frame: Int64) -> Int64 { frame * Self.soundPerFrame * Int64(bitRate) / Int64(8 * sampleRate) }

  func frame(at offset: Int64) -> Int64 {
    var frame = offset * Int64(8 * sampleRate) / (Self.soundPerFrame * Int64(bitRate))
    while start(of: frame + 1) <= offset { frame += 1 }
    return frame
  }

  /// The total number of bytes. Valid only for a stream with an end.
  var byteCount: Int64 { start(of: ((length ?? 0) + Self.soundPerFrame - 1) / Self.soundPerFrame) }

  /// Returns a frame's bytes: the header and a repeated byte, which differs in the next frame.
  func bytes(of frame: Int64) -> [UInt8] {
    var bytes = Self.magic
    func add(_ number: Int64, _ bits: Int) {
      // Each byte holds seven bits.
      for shift in stride(from: bits - 7, through: 0, by: -7) {
        bytes.append(UInt8(number >> Int64(shift) & 0x7F))
      }
    }
    add(Int64(song), 14)
    add(frame, 28)
    add(Int64(sampleRate), 21)
    add(Int64(bitRate), 21)
    add(length ?? Self.endless, 42)
    let filler = UInt8(truncatingIfNeeded: frame &* 37 &+ Int64(song)) & 0x7F
    let count = Int(start(of: frame + 1) - start(of: frame))
    return bytes + [UInt8](repeating: filler, count: count - bytes.count)
  }

  /// Returns the content of a header; nil for other bytes.
  static func read(_ bytes: some Collection<UInt8>) -> (stream: MarkedStream, frame: Int64)? {
    guard bytes.count >= headerLength, bytes.starts(with: magic) else { return nil }
    var rest = bytes.dropFirst(magic.count)
    func take(_ bits: Int) -> Int64 {
      defer { rest = rest.dropFirst(bits / 7) }
      return rest.prefix(bits / 7).reduce(0) { $0 << 7 | Int64($1) }
    }
    let song = Int(take(14))
    let frame = take(28)
    let sampleRate = Int(take(21))
    let bitRate = Int(take(21))
    let length = take(42)
    guard song > 0, sampleRate > 0, bitRate > 0 else { return nil }
    return (
      MarkedStream(
        song: song, length: length == endless ? nil : length, sampleRate: sampleRate, bitRate: bitRate),
      frame
    )
  }

  func bytes(_ range: Range<Int64>) -> [UInt8] {
    var bytes: [UInt8] = []
    guard !range.isEmpty else { return bytes }
    bytes.reserveCapacity(range.count)
    for frame in frame(at: range.lowerBound)...frame(at: range.upperBound - 1) {
      let begin = start(of: frame)
      let all = self.bytes(of: frame)
      bytes += all[Int(max(0, range.lowerBound - begin))..<min(all.count, Int(range.upperBound - begin))]
    }
    return bytes
  }
}
