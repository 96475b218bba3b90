import Foundation

/// A message of an application to the phone that carries out its transfers.
enum TransferRequestMessage: Codable, Sendable {
  /// Open the service. The answer is `opened`.
  case open(TransferSettings)
  case call(TransferCall)
  /// Cancel a task. `handler`: the number for the answer `resumeData`; nil if none is needed.
  case cancel(TransferKey, handler: UInt64?)
}

/// A message of a phone to its application.
enum TransferNotice: Codable, Sendable {
  /// The records of all tasks; nil if the folder cannot be opened or another process has locked it.
  case opened([TaskRecord]?)
  case progressed(TaskRecord)
  case resumed(TaskRecord, offset: Int64)
  case ended(TaskRecord)
  case challenged(TaskRecord, failures: Int)
  case finishEvents(session: String)
  case resumeData(Data?, handler: UInt64)
}

/// The framing of messages on a stream: the length in four bytes, least significant first, and the message as
/// JSON.
struct MessageFrames {
  /// The maximum length of a message in bytes: the records of 10,000 tasks have about 10 MB.
  static let limit = 64 << 20

  private var bytes: [UInt8] = []

  mutating func append(_ news: ArraySlice<UInt8>) { bytes += news }

  /// Removes and returns the next complete message; nil if none is complete. Throws an error for an invalid
  /// one, after which the stream is useless.
  mutating func next<Message: Decodable>(_: Message.Type) throws -> Message? {
    guard bytes.count >= 4 else { return nil }
    let count = (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
    guard count <= Self.limit else { throw CocoaError(.coderInvalidValue) }
    guard bytes.count >= 4 + count else { return nil }
    defer { bytes.removeFirst(4 + count) }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(Message.self, from: Data(bytes[4..<4 + count]))
  }

  /// Returns the frame of a message; nil if the message is too long.
  static func frame(_ message: some Encodable) -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(message), data.count <= limit else { return nil }
    return (0..<4).map { UInt8(truncatingIfNeeded: data.count >> (8 * $0)) } + Array(data)
  }
}
