import ControlProtocol
import Glibc
import Jukebox

/// The values of some tags in many songs, one row for each combination. All rows share one block of memory, since an
/// answer may need tens of thousands. In a row, two zero bytes follow each value; a zero byte within a value is stored
/// as 0, 1.
struct ValueRows {
  private let types: [TagType]
  /// For each type, the tag followed by its substitutes. The first one that a song has counts.
  private let candidates: [[TagSet]]
  private var bytes: [UInt8] = []
  private var rows: [Range<Int>] = []

  init(of types: [TagType]) {
    self.types = types
    candidates = types.map { type in ([type] + type.substitutes).map { TagSet($0) } }
  }

  /// Adds the values of these tags in the metadata of a song, or of several songs that share it.
  mutating func add(_ metadata: SongMetadata) {
    let start = bytes.count
    for sets in candidates {
      guard append(metadata, sets) else {
        bytes.removeSubrange(start...)
        return addAll(metadata)
      }
    }
    close(start)
  }

  /// Appends the only value of a tag, or an empty value if the song has none. Returns false if there are
  /// several.
  private mutating func append(_ metadata: SongMetadata, _ sets: [TagSet]) -> Bool {
    var count = 0
    for set in sets where count == 0 {
      metadata.forEachTag(of: set) { _, value in
        count += 1
        if count == 1 { value.withUnsafeBufferPointer { append($0) } }
      }
    }
    if count == 0 { append([]) }
    return count <= 1
  }

  /// Adds each combination of the values of all tags.
  private mutating func addAll(_ metadata: SongMetadata) {
    for values in metadata.combinations(of: types) {
      let start = bytes.count
      for value in values { append(value) }
      close(start)
    }
  }

  private mutating func append(_ value: some Collection<UInt8>) {
    if value.contains(0) {
      for byte in value { bytes += byte == 0 ? [0, 1] : [byte] }
    } else {
      bytes += value
    }
    bytes.append(0)
    bytes.append(0)
  }

  /// Ends a row, and drops it if it equals the previous one, which is common among songs of the same folder.
  private mutating func close(_ start: Int) {
    let row = start..<bytes.count
    if let last = rows.last, last.count == row.count, bytes[last] == bytes[row] {
      bytes.removeSubrange(row)
    } else {
      rows.append(row)
    }
  }

  /// Calls `body` with each distinct row, in byte order. Arrays for all rows at once would take too much memory.
  consuming func forEachSorted(_ body: ([[UInt8]]) -> Void) {
    bytes.withUnsafeBytes { bytes in
      /// Returns a number below, at or above zero, like memcmp.
      func compare(_ first: Range<Int>, _ second: Range<Int>) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let order = memcmp(base + first.lowerBound, base + second.lowerBound, min(first.count, second.count))
        return order == 0 ? first.count - second.count : Int(order)
      }
      var before: Range<Int>?
      for row in rows.sorted(by: { compare($0, $1) < 0 }) {
        if let before, compare(before, row) == 0 { continue }
        before = row
        body(Self.values(in: UnsafeRawBufferPointer(rebasing: bytes[row]), count: types.count))
      }
    }
  }

  private static func values(in row: UnsafeRawBufferPointer, count: Int) -> [[UInt8]] {
    var values: [[UInt8]] = []
    values.reserveCapacity(count)
    var rest = row[...]
    while let zero = rest.firstIndex(of: 0) {
      var value = Array(rest[..<zero])
      rest = rest[zero...].dropFirst()
      while rest.first == 1 {
        let next = rest.dropFirst().prefix { $0 != 0 }
        value += [0] + next
        rest = rest[next.endIndex...].dropFirst()
      }
      rest = rest.dropFirst()
      values.append(value)
    }
    return values
  }
}

extension SongMetadata {
  /// Returns the first value of this tag, or of its first substitute that the song has; empty if there is
  /// none.
  func first(_ type: TagType) -> [UInt8] { values(of: type).first ?? [] }

  /// Returns the values of this tag, or of its first substitute that the song has; one empty value if there
  /// is none.
  func values(of type: TagType) -> [[UInt8]] {
    for candidate in [type] + type.substitutes {
      var values: [[UInt8]] = []
      forEachTag(of: TagSet(candidate)) { _, value in
        values.append(value.withUnsafeBufferPointer { Array($0) })
      }
      if !values.isEmpty { return values }
    }
    return [[]]
  }

  /// Returns each combination of the values of these tags.
  fileprivate func combinations(of types: [TagType]) -> [[[UInt8]]] {
    types.reduce([[]]) { heads, type in
      let values = values(of: type)
      return heads.flatMap { head in values.map { head + [$0] } }
    }
  }
}
