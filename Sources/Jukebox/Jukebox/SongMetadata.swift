package import ControlProtocol

/// A song's metadata in one block of bytes, which all copies share, since a queue has many songs.
package struct SongMetadata: Hashable, Sendable {
  /// The fields with their sizes in bytes: duration (8), modification time (8), sample rate (4), channels
  /// (1). For each tag, its type (1), the length of its value (1 to 5) and the value follow.
  private let bytes: [UInt8]

  private static let durationOffset = 0
  private static let modifiedOffset = 8
  private static let sampleRateOffset = 16
  private static let channelsOffset = 20
  private static let tagsOffset = 21
  /// The value of an unknown modification time.
  private static let noTime = Int64.min

  /// Creates metadata. A duration of NaN, and a rate or channel count of 0 or less, count as unknown. At most 255
  /// channels are stored.
  package init(
    duration: Double? = nil, modified: Int64? = nil, sampleRate: Int? = nil, channels: Int? = nil,
    tags: [SongTag] = []
  ) {
    let tagBytes = tags.reduce(0) { $0 + 1 + LengthCoding.size($1.value.bytes.count) + $1.value.bytes.count }
    bytes = Array(unsafeUninitializedCapacity: Self.tagsOffset + tagBytes) { buffer, count in
      let fields = UnsafeMutableRawBufferPointer(buffer)
      fields.storeBytes(of: (duration ?? .nan).bitPattern, toByteOffset: Self.durationOffset, as: UInt64.self)
      fields.storeBytes(of: modified ?? Self.noTime, toByteOffset: Self.modifiedOffset, as: Int64.self)
      fields.storeBytes(
        of: UInt32(clamping: sampleRate ?? 0), toByteOffset: Self.sampleRateOffset, as: UInt32.self)
      fields.storeBytes(of: UInt8(clamping: channels ?? 0), toByteOffset: Self.channelsOffset, as: UInt8.self)
      count = Self.tagsOffset
      for tag in tags {
        buffer[count] = UInt8(tag.type.index)
        count = LengthCoding.write(tag.value.bytes.count, to: buffer, at: count + 1)
        for byte in tag.value.bytes {
          buffer[count] = byte
          count += 1
        }
      }
    }
  }

  package var encoded: [UInt8] { bytes }

  /// Reads stored bytes; nil if they are invalid. Any bytes are allowed.
  package init?(encoded bytes: [UInt8]) {
    guard bytes.count >= Self.tagsOffset else { return nil }
    let span = bytes.span
    var next = Self.tagsOffset
    while next < span.count {
      guard Int(span[next]) < TagType.allCases.count else { return nil }
      next += 1
      guard let length = LengthCoding.readChecked(span, &next), length <= span.count - next else {
        return nil
      }
      next += length
    }
    self.bytes = bytes
  }

  /// The length of the whole file in seconds; nil if unknown.
  package var duration: Double? {
    let value = Double(bitPattern: load(Self.durationOffset))
    return value.isNaN ? nil : value
  }

  /// The modification time of the file, in seconds since 1970; nil if unknown.
  package var modified: Int64? {
    let value: Int64 = load(Self.modifiedOffset)
    return value == Self.noTime ? nil : value
  }

  /// The sample rate in hertz; nil if unknown.
  package var sampleRate: Int? {
    let value: UInt32 = load(Self.sampleRateOffset)
    return value == 0 ? nil : Int(value)
  }

  /// The number of channels; nil if unknown.
  package var channels: Int? {
    let value: UInt8 = load(Self.channelsOffset)
    return value == 0 ? nil : Int(value)
  }

  /// Copies of the tags, in the order in which they were given.
  package var tags: [SongTag] {
    var tags: [SongTag] = []
    forEachTag { type, value in
      tags.append(SongTag(type, Argument(value.withUnsafeBufferPointer { Array($0) })))
    }
    return tags
  }

  func replacingTags(by tags: [SongTag]) -> SongMetadata {
    SongMetadata(
      duration: duration, modified: modified, sampleRate: sampleRate, channels: channels, tags: tags)
  }

  /// Calls `body` with each tag whose type is in `wanted`, in the order of `tags`. The value is not copied.
  package func forEachTag(of wanted: TagSet = .all, _ body: (TagType, Span<UInt8>) -> Void) {
    let span = bytes.span
    var next = Self.tagsOffset
    while next < span.count {
      let index = Int(span[next])
      next += 1
      let length = LengthCoding.read(span, &next)
      if wanted.contains(index: index) {
        body(TagType.allCases[index], span.extracting(next..<next + length))
      }
      next += length
    }
  }

  private func load<Value: BitwiseCopyable>(_ offset: Int) -> Value {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
  }
}

/// Variable-length coding of lengths: seven bits in each byte, low bits first; the eighth bit marks that
/// another byte follows.
private enum LengthCoding {
  static func size(_ length: Int) -> Int {
    length < 1 << 7 ? 1 : (Int.bitWidth - length.leadingZeroBitCount + 6) / 7
  }

  /// Writes a length at `start` and returns the offset after it.
  static func write(_ length: Int, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
    var rest = length
    var offset = start
    while rest >= 1 << 7 {
      buffer[offset] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
      offset += 1
    }
    buffer[offset] = UInt8(rest)
    return offset + 1
  }

  /// Returns the length at `next` in untrusted bytes and moves `next` past it; nil if the length is invalid.
  static func readChecked(_ bytes: Span<UInt8>, _ next: inout Int) -> Int? {
    let end = bytes.indices.suffix(bytes.count - next).prefix(5).first { bytes[$0] < 0x80 }
    return end == nil ? nil : read(bytes, &next)
  }

  /// Returns the length at `next` and moves `next` past it.
  static func read(_ bytes: Span<UInt8>, _ next: inout Int) -> Int {
    var length = 0
    var shift = 0
    while true {
      let byte = bytes[next]
      next += 1
      length |= Int(byte & 0x7F) << shift
      if byte < 0x80 { return length }
      shift += 7
    }
  }
}
