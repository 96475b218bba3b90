import Foundation
import Glibc

/// The framing of messages on a stream: the length in four bytes, least significant first, and the message as
/// JSON.
struct MessageFrames {
  enum Problem: Error {
    /// The stream has ended, or cannot be read.
    case ended
    /// The stream has an invalid message, and is useless from there on.
    case invalid
  }

  /// The maximum length of a message in bytes: far more than the record of one task usually has.
  static let limit = 64 << 20
  private static let decoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }()
  private static let encoder = {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }()

  private var bytes: [UInt8] = []

  mutating func append(_ news: some Sequence<UInt8>) { bytes += news }

  /// Removes and returns the next complete message; nil if none is complete.
  mutating func next<Message: Decodable>(_: Message.Type) throws(Problem) -> Message? {
    guard bytes.count >= 4 else { return nil }
    let count = (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
    guard count <= Self.limit else { throw .invalid }
    guard bytes.count >= 4 + count else { return nil }
    defer { bytes.removeFirst(4 + count) }
    do { return try Self.decoder.decode(Message.self, from: Data(bytes[4..<4 + count])) } catch {
      throw .invalid
    }
  }

  /// Receives and returns the next message; nil after the socket's timeout.
  mutating func next<Message: Decodable>(_: Message.Type, from descriptor: Int32) throws(Problem) -> Message?
  {
    while true {
      if let message = try next(Message.self) { return message }
      guard try receive(from: descriptor) != nil else { return nil }
    }
  }

  /// Receives bytes, and returns their number; nil after the socket's timeout, or if MSG_DONTWAIT finds none.
  mutating func receive(from descriptor: Int32, flags: Int32 = 0) throws(Problem) -> Int? {
    while true {
      let count = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16_384) { buffer in
        let count = recv(descriptor, buffer.baseAddress, buffer.count, flags)
        if count > 0 { append(buffer[..<count]) }
        return count
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return nil }
      guard count > 0 else { throw .ended }
      return count
    }
  }

  /// Returns the frame of a message; nil if the message cannot be encoded or is too long.
  static func frame(_ message: some Encodable, limit: Int = Self.limit) -> [UInt8]? {
    guard let data = try? encoder.encode(message), data.count <= limit else { return nil }
    return (0..<4).map { UInt8(truncatingIfNeeded: data.count >> (8 * $0)) } + Array(data)
  }
}
