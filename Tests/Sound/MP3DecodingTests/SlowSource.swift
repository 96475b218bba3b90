import AudioCore
import TestSupport
import Testing

@testable import MP3Decoding

/// Bytes that come little by little, from where they are wanted on, when the test says so.
final class SlowSource: ByteSource {
  let bytes: [UInt8]
  var size: Int64?
  var isSeekable = true
  /// The next piece fails.
  var fails = false
  /// Where reading was wanted from.
  private(set) var wishes: [Int64] = []
  /// What came: which bytes, and how many.
  private(set) var isThere: [Bool]
  private(set) var count = 0
  private var place = 0
  private var random: RandomSource
  private let largest: Int
  private var callback: (@Sendable () -> Void)?

  init(_ bytes: [UInt8], largest: Int = 65_536, seed: UInt64 = 1) {
    self.bytes = bytes
    self.largest = largest
    size = Int64(bytes.count)
    isThere = [Bool](repeating: false, count: bytes.count)
    random = RandomSource(seed: seed)
  }

  /// Another piece comes: 1 to `largest` bytes. What is there already does not come again.
  func receive() {
    var left = Int.random(in: 1...largest, using: &random)
    while place < bytes.count, isThere[place] { place += 1 }
    while left > 0, place < bytes.count, !isThere[place] {
      isThere[place] = true
      place += 1
      count += 1
      left -= 1
    }
    callback?()
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DecodingError) -> ByteRead {
    guard offset < Int64(bytes.count) else { return .end }
    let start = Int(offset)
    var end = start
    while end < bytes.count, end - start < buffer.count, isThere[end] { end += 1 }
    if end == start {
      if fails { throw DecodingError(reason: .unreadable, message: "lost") }
      return .notYet
    }
    bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    return .bytes(end - start)
  }

  func want(from offset: Int64) {
    wishes.append(offset)
    if isSeekable { place = Int(min(offset, Int64(bytes.count))) }
  }

  func whenBytesCome(_ callback: @escaping @Sendable () -> Void) { self.callback = callback }

  // MARK: Waiting for it

  /// Opens it, however long that takes.
  func open(options: OpeningOptions = OpeningOptions()) throws -> MP3Decoder {
    let opening = MP3Opening(source: self, options: options)
    while true {
      let before = count
      if let decoder = try opening.decode() { return decoder }
      receive()
      try #require(count > before, "waits, and nothing is missing")
    }
  }

  /// Goes to a frame, however long that takes.
  func seek(_ decoder: MP3Decoder, to frame: Int64) throws -> Int64 {
    while true {
      let before = count
      if let reached = try decoder.seek(toFrame: frame) { return reached }
      receive()
      try #require(count > before, "waits, and nothing is missing")
    }
  }

  /// Samples to the end, or `limit` frames of them, however long that takes.
  func samples(of decoder: MP3Decoder, limit: Int = .max) throws -> [Float] {
    let channels = decoder.format.channelCount
    var result: [Float] = []
    var buffer = [Float](repeating: .nan, count: 3000 * channels)
    while result.count / channels < limit {
      let wanted = min(Int.random(in: 1...3000, using: &random), limit - result.count / channels)
      let read = try buffer.withUnsafeMutableBufferPointer {
        try decoder.read(into: UnsafeMutableBufferPointer(rebasing: $0[..<(wanted * channels)]))
      }
      switch read {
      case .frames(let count): result.append(contentsOf: buffer[..<(count * channels)])
      case .end: return result
      case .waiting:
        let before = count
        receive()
        try #require(count > before, "waits, and nothing is missing")
      }
    }
    return result
  }
}
