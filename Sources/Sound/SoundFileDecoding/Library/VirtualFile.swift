import AudioCore
import Glibc

/// A `ByteSource` as the file that libsndfile reads by its callbacks. The library cannot wait for bytes,
/// because it treats a short read as the end of the file. After a read that lacked bytes, `missing` has their
/// offset, and all that the library returned since then is invalid.
final class VirtualFile {
  /// The length reported for a source of unknown size.
  private static let unknownLength: Int64 = 1 << 40
  /// The maximum length of `beginning`: two of FLAC's largest pictures.
  private static let beginningLimit: Int64 = 32 << 20

  let source: any ByteSource
  /// The offset in the source at which the file begins.
  let base: Int64
  /// The read position, in bytes of the file.
  private(set) var position: Int64 = 0
  /// The offset in the source of the first byte that a read lacked.
  private(set) var missing: Int64?
  /// The error of a failed read, after which all reads return 0.
  private(set) var failure: DecodingError?
  /// Whether reads of bytes after a gap find the end of the file, or `substitute`, instead of missing bytes.
  var skipsGaps = false
  /// The bytes that replace the file's last bytes while these are missing.
  var substitute: [UInt8] = []
  /// Whether `skipsGaps` has let a read find the end of the file or `substitute`.
  private(set) var hasSkipped = false
  /// The file's first bytes, for this opening and the next one, because a source with a memory limit may discard them
  /// for later bytes.
  private(set) var beginning: [UInt8]
  /// Whether bytes that are read next to `beginning` are added to it.
  var keepsBeginning = false

  init(_ source: any ByteSource, base: Int64, beginning: [UInt8]) {
    self.source = source
    self.base = base
    self.beginning = beginning
  }

  /// Returns the object in a callback's context.
  static func at(_ context: UnsafeMutableRawPointer?) -> VirtualFile? {
    context.map { Unmanaged<VirtualFile>.fromOpaque($0).takeUnretainedValue() }
  }

  var length: Int64 { source.size.map { max(0, $0 - base) } ?? Self.unknownLength }

  /// The end in the source of the bytes that are available from the file's first byte on.
  var end: Int64 {
    let kept = base + Int64(beginning.count)
    return kept + source.supply(from: kept).byteCount
  }

  /// The read position, in bytes of the source.
  var offset: Int64 { base + position }

  /// Requests the missing bytes at `gap`, or, if they arrive only in order, those before them.
  func fill(_ gap: Int64) { source.want(from: source.isSeekable ? gap : end) }

  func seek(_ offset: Int64, origin: Int32) -> Int64 {
    let start =
      switch origin {
      case SEEK_CUR: position
      case SEEK_END: length
      default: Int64(0)
      }
    let (sum, overflows) = start.addingReportingOverflow(offset)
    guard !overflows, sum >= 0 else { return -1 }
    position = sum
    return sum
  }

  func read(into bytes: UnsafeMutableRawPointer?, count: Int64) -> Int64 {
    guard let bytes, count > 0 else { return 0 }
    var filled: Int64 = 0
    while filled < count, missing == nil, failure == nil {
      // A file may have grown since it was opened; only its original size is read.
      let left = min(count - filled, length - position)
      guard left > 0 else { break }
      let room = UnsafeMutableRawBufferPointer(start: bytes + Int(filled), count: Int(left))
      let read = fill(room)
      guard read > 0 else { break }
      filled += Int64(read)
      position += Int64(read)
    }
    return filled
  }

  private func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
    if position < beginning.count {
      let bytes = beginning[Int(position)...].prefix(room.count)
      room.copyBytes(from: bytes)
      return bytes.count
    }
    do throws(DecodingError) {
      switch try source.read(into: room, at: offset) {
      case .bytes(let read):
        let count = min(read, room.count)
        if keepsBeginning, position == beginning.count, position < Self.beginningLimit {
          beginning += room.prefix(count)
        }
        return count
      case .end: return 0
      case .notYet: break
      }
    } catch {
      failure = error
      return 0
    }
    if skipsGaps, end < offset {
      hasSkipped = true
      return fillWithSubstitute(room)
    }
    missing = offset
    return 0
  }

  /// Fills `room` with zeros and, at the file's end, the substitute. Returns 0 without a substitute.
  private func fillWithSubstitute(_ room: UnsafeMutableRawBufferPointer) -> Int {
    guard !substitute.isEmpty else { return 0 }
    let start = length - Int64(substitute.count)
    for index in room.indices {
      let place = position + Int64(index) - start
      // A source may learn its size during a read.
      room[index] = substitute.indices.contains(Int(place)) ? substitute[Int(place)] : 0
    }
    return room.count
  }
}
