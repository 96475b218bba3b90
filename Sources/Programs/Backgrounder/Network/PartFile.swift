import Foundation
import Transfer

/// The stored bytes of a download, in a file beside its destination. Main thread.
final class PartFile: StoredBytes {
  private let target: URL
  private let part: URL
  private let handle: FileHandle
  private(set) var intervals = IntervalSet()

  /// Opens the partial file for the destination `target`. Bytes from an earlier run are kept.
  init(of target: URL) throws {
    self.target = target
    part = target.appendingPathExtension("part")
    if !FileManager.default.fileExists(atPath: part.path) { try Data().write(to: part) }
    handle = try FileHandle(forUpdating: part)
    intervals.insert(0..<Int64(try handle.seekToEnd()))
  }

  deinit { try? handle.close() }

  /// The number of bytes stored without a gap from the beginning.
  var count: Int64 { intervals.end(from: 0) }

  func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    guard (try? handle.seek(toOffset: UInt64(offset))) != nil,
      let stored = try? handle.read(upToCount: bytes.count)
    else { return false }
    return stored.elementsEqual(bytes)
  }

  func store(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws {
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: bytes)
    intervals.insert(offset..<offset + Int64(bytes.count))
  }

  /// Discards all stored bytes.
  func clear() throws {
    try handle.truncate(atOffset: 0)
    intervals = IntervalSet()
  }

  /// Flushes the complete file to the disk and renames it to its destination.
  func finish() throws {
    try handle.synchronize()
    guard rename(part.path, target.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
