import AudioCore
import Glibc

/// What libmpg123 reads through: a window over a `ByteSource`, with a limit on how much may be read without result.
///
/// libmpg123 asks for four bytes and a frame body at a time, and for single bytes while it looks for a header; the
/// window makes one system call of some hundred of these. Owned by the decoder that owns the libmpg123 handle and
/// outlives that handle; same thread.
final class SourceReader {
  /// Bytes in the window. 32 KiB is two seconds at 128 kbit/s: rare calls, little memory.
  static let windowSize = 32 * 1024
  /// Bytes kept behind the cursor when the window moves on: libmpg123 goes back by a frame after it looked at the
  /// next header, and the longest frame (layer I, 448 kbit/s, 32 kHz) has 672 bytes, free format up to 3456.
  static let keptBehind = 4 * 1024

  private let source: any ByteSource
  private let window: UnsafeMutableRawBufferPointer
  private var windowStart: Int64 = 0
  private var windowCount = 0

  /// Where the next read begins.
  private(set) var position: Int64 = 0
  /// Bytes that may still be read before a frame must have been found. libmpg123's own resync limit starts anew
  /// with each false header, so that random bytes would be read to their end, gigabytes if need be.
  var budget = 0
  /// Why a read failed; libmpg123 only carries a -1.
  private(set) var failure: DecodingError?
  /// Whether the budget ran out.
  private(set) var isExhausted = false

  init(source: any ByteSource) {
    self.source = source
    window = .allocate(byteCount: SourceReader.windowSize, alignment: 16)
  }

  deinit { window.deallocate() }

  /// Length in bytes, if known.
  var size: Int64? { source.size }

  /// Copies up to `count` bytes to `destination`; -1 on failure, as POSIX `read` has it.
  func read(into destination: UnsafeMutableRawPointer, count: Int) -> Int {
    guard budget > 0 else {
      isExhausted = true
      return -1
    }
    var inside = Int(position - windowStart)
    if inside < 0 || inside >= windowCount {
      guard refill() else { return -1 }
      inside = Int(position - windowStart)
    }
    let available = min(count, windowCount - inside)
    guard available > 0, let base = window.baseAddress else { return 0 }
    memcpy(destination, base + inside, available)
    position += Int64(available)
    budget -= available
    return available
  }

  /// Moves the cursor; -1 where that is impossible, as POSIX `lseek` has it.
  func seek(to offset: Int64, whence: Int32) -> Int64 {
    let origin: Int64
    switch whence {
    case SEEK_SET: origin = 0
    case SEEK_CUR: origin = position
    case SEEK_END:
      guard let size else { return -1 }
      origin = size
    default: return -1
    }
    let (target, overflow) = origin.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else { return -1 }
    position = target
    return target
  }

  /// Up to `count` bytes at `offset`, without moving the cursor and without budget; fewer at the end.
  func peek(_ count: Int, at offset: Int64) throws(DecodingError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      var result: Result<ByteRead, DecodingError> = .success(.end)
      bytes.withUnsafeMutableBytes { all in
        let rest = UnsafeMutableRawBufferPointer(rebasing: all[filled...])
        do throws(DecodingError) {
          result = .success(try source.read(into: rest, at: offset + Int64(filled)))
        } catch {
          result = .failure(error)
        }
      }
      guard case .bytes(let read) = try result.get() else { break }
      filled += min(read, count - filled)
    }
    return Array(bytes.prefix(filled))
  }

  /// Moves the window so that it holds the cursor. False on failure.
  private func refill() -> Bool {
    guard let base = window.baseAddress else { return false }
    let windowEnd = windowStart + Int64(windowCount)
    var kept = 0
    if position == windowEnd, windowCount > 0 {
      kept = min(SourceReader.keptBehind, windowCount)
      memmove(base, base + (windowCount - kept), kept)
    }
    windowStart = position - Int64(kept)
    windowCount = kept
    do throws(DecodingError) {
      // A file may have grown since it was opened. libmpg123 has been told where it ends and takes more for an error:
      // it is played as far as it was.
      let left = size.map { max(0, $0 - position) } ?? .max
      let room = UnsafeMutableRawBufferPointer(rebasing: window[kept...].prefix(Int(clamping: left)))
      guard case .bytes(let read) = try source.read(into: room, at: position) else { return true }
      windowCount += min(read, room.count)
      return true
    } catch {
      failure = error
      return false
    }
  }
}
