internal import ControlProtocol

/// Writes a record: a line with its kind and version, fields in little-endian order, and a checksum of all
/// preceding bytes.
struct RecordWriter {
  private(set) var bytes: [UInt8]

  init(kind: RecordKind, capacity: Int) {
    bytes = []
    bytes.reserveCapacity(capacity + kind.header.count + 4)
    bytes.append(contentsOf: kind.header)
  }

  mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write<Mode: CaseIterable & Equatable>(_ mode: Mode) {
    write(UInt8(Array(Mode.allCases).firstIndex(of: mode) ?? 0))
  }

  mutating func write(_ bytes: [UInt8]) { self.bytes.append(contentsOf: bytes) }

  consuming func finished() -> [UInt8] {
    write(CRC32.checksum(bytes))
    return bytes
  }
}

/// Reads records of `RecordWriter`. Throws a `SavedStateError` for a missing or invalid field and, unless created for a
/// damaged record, for a wrong header or checksum.
struct RecordReader {
  private let bytes: [UInt8]
  private var next: Int
  private let end: Int

  init(_ bytes: [UInt8], kind: RecordKind) throws(SavedStateError) {
    guard bytes.starts(with: kind.name) else { throw .foreign }
    guard (1...kind.version).contains(where: { bytes.starts(with: kind.header($0)) }) else {
      throw .unknownVersion
    }
    next = kind.header.count
    guard bytes.count >= next + 4 else { throw .damaged }
    end = bytes.count - 4
    self.bytes = bytes
    let sum = bytes[end...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard sum == CRC32.checksum(bytes[..<end]) else { throw .damaged }
  }

  /// Creates a reader for a damaged record, without checking its header and checksum.
  init(damaged bytes: [UInt8], kind: RecordKind) {
    self.bytes = bytes
    end = bytes.count
    next = min(kind.header.count, end)
  }

  var remaining: Int { end - next }

  mutating func read<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(SavedStateError)
    -> Number
  {
    let size = Number.bitWidth / 8
    guard remaining >= size else { throw .invalid }
    let number = bytes[next..<next + size].reversed().reduce(Number(0)) {
      $0 << 8 | Number(truncatingIfNeeded: $1)
    }
    next += size
    return number
  }

  mutating func read(count: Int) throws(SavedStateError) -> [UInt8] {
    guard remaining >= count else { throw .invalid }
    defer { next += count }
    return Array(bytes[next..<next + count])
  }

  mutating func skip(_ count: Int) { next += min(count, remaining) }

  mutating func readFlag() throws(SavedStateError) -> Bool {
    switch try read(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw .invalid
    }
  }

  mutating func readMode<Mode: CaseIterable>(_: Mode.Type = Mode.self) throws(SavedStateError) -> Mode {
    let number = Int(try read(UInt8.self))
    let modes = Array(Mode.allCases)
    guard modes.indices.contains(number) else { throw .invalid }
    return modes[number]
  }

  func finish() throws(SavedStateError) {
    guard remaining == 0 else { throw .invalid }
  }
}

/// A kind of record. Programs report `unknownVersion` for a later version than they know.
enum RecordKind: String {
  case queue = "continuo queue "
  case playback = "continuo playback "
  case positions = "continuo positions "

  var name: [UInt8] { Array(rawValue.utf8) }

  /// The version that is written. Earlier versions can be read too.
  var version: Int { self == .queue ? 2 : 1 }

  var header: [UInt8] { header(version) }

  func header(_ version: Int) -> [UInt8] { name + Array("\(version)\n".utf8) }
}

/// CRC-32 as in zlib and Ethernet (polynomial 0xEDB88320). Detects torn writes and bad disk blocks.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { remainder, _ in
      remainder & 1 == 1 ? remainder >> 1 ^ 0xedb8_8320 : remainder >> 1
    }
  }

  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    let table = table
    return ~bytes.reduce(UInt32.max) { remainder, byte in
      table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ remainder >> 8
    }
  }
}
