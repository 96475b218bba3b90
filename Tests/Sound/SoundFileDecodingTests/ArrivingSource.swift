import AudioCore
import TestSupport
import Testing

@testable import SoundFileDecoding

/// Bytes that arrive piece by piece, from the wanted offset on or, if the source is not seekable, from the front.
final class ArrivingSource: ByteSource {
  let bytes: [UInt8]
  var size: Int64?
  let isSeekable: Bool
  private(set) var ranges: [Range<Int>] = []
  private(set) var wishes: [Int64] = []
  /// The most bytes that come after the wanted offset.
  var readAhead = 1 << 40
  private var wanted = 0
  private var place = 0
  private var random: RandomSource
  /// Called after each answer of `supply`: bytes may arrive between two calls.
  var afterSupply: () -> Void = {}
  private let largest: Int

  init(_ bytes: [UInt8], isSeekable: Bool, largest: Int = 20_000, seed: UInt64 = 1) {
    self.bytes = bytes
    self.isSeekable = isSeekable
    self.largest = largest
    size = Int64(bytes.count)
    random = RandomSource(seed: seed)
  }

  var isComplete: Bool { ranges == [0..<bytes.count] }

  /// Adds the next piece; after the end, those that are missing.
  func receive() {
    if place >= bytes.count || isComplete {
      place = ranges.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0
    }
    if let range = ranges.first(where: { $0.contains(place) }) { place = range.upperBound }
    let end = min(bytes.count, wanted + readAhead, place + Int.random(in: 1...largest, using: &random))
    let new = place..<max(place, end)
    place = new.upperBound
    var merged: [Range<Int>] = []
    for range in (ranges + [new]).filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, last.upperBound >= range.lowerBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    ranges = merged
  }

  private func end(from offset: Int) -> Int { ranges.first { $0.contains(offset) }?.upperBound ?? offset }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DecodingError) -> ByteRead {
    guard offset < Int64(bytes.count) else { return .end }
    let end = end(from: Int(offset))
    guard end > Int(offset) else { return .notYet }
    let part = bytes[Int(offset)..<end].prefix(buffer.count)
    buffer.copyBytes(from: part)
    return .bytes(part.count)
  }

  func supply(from offset: Int64) -> ByteSupply {
    defer { afterSupply() }
    let end = end(from: Int(clamping: offset))
    return ByteSupply(
      byteCount: Int64(end) - offset, isComplete: end >= bytes.count, bytesPerSecond: nil,
      isFull: self.end(from: wanted) - wanted >= readAhead)
  }

  var stored: [Range<Int64>]? { ranges.map { Int64($0.lowerBound)..<Int64($0.upperBound) } }

  func want(from offset: Int64) {
    wishes.append(offset)
    wanted = Int(clamping: offset)
    if isSeekable { place = Int(clamping: offset) }
  }

  func whenBytesCome(_ callback: @escaping @Sendable () -> Void) {}

  // MARK: Waiting

  /// Calls `body` until it returns a value. A piece arrives after each nil.
  func wait<Value>(for body: () throws -> Value?) throws -> Value {
    for _ in 0..<100_000 {
      if let value = try body() { return value }
      try #require(!isComplete, "waits, and nothing is missing")
      receive()
    }
    throw DecodingError(reason: .decodeFailed, message: "no end of waiting")
  }

  func open(_ options: OpeningOptions = OpeningOptions()) throws -> any AudioDecoder {
    let opening = MediaOpening(audioIn: self, options: options)
    return try wait { try opening.proceed() }
  }

  /// Reads up to `limit` frames, in blocks of `size` samples.
  func samples(
    of decoder: any AudioDecoder, channels: Int = 2, limit: Int = .max, size: Int = 3000
  ) throws -> [Float] {
    var result: [Float] = []
    while result.count < limit.multipliedReportingOverflow(by: channels).partialValue || limit == .max {
      var buffer = [Float](
        repeating: 0, count: min(size, limit == .max ? size : limit * channels - result.count))
      let read = try wait { () -> DecoderRead? in
        let read = try buffer.withUnsafeMutableBufferPointer { try decoder.read(into: $0) }
        return read == .waiting ? nil : read
      }
      guard case .frames(let count) = read else { break }
      result += buffer[..<(count * channels)]
    }
    return result
  }
}
