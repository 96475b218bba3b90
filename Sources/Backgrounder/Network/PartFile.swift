import Foundation
import Transfer

/// What is there of a download, in a file beside the place where it will be. Main thread.
final class PartFile: StoredBytes {
  private let target: URL
  private let part: URL
  private let handle: FileHandle
  private(set) var intervals = IntervalSet()

  /// The part of the file at `target`; what an earlier run has left of it counts.
  init(of target: URL) throws {
    self.target = target
    part = target.appendingPathExtension("part")
    if !FileManager.default.fileExists(atPath: part.path) { try Data().write(to: part) }
    handle = try FileHandle(forUpdating: part)
    intervals.insert(0..<Int64(try handle.seekToEnd()))
  }

  deinit { try? handle.close() }

  /// How many bytes are there from the beginning on.
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

  /// Forgets what is there.
  func clear() throws {
    try handle.truncate(atOffset: 0)
    intervals = IntervalSet()
  }

  /// It is all there: puts it in its place.
  func finish() throws {
    try handle.synchronize()
    guard rename(part.path, target.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
