import Foundation
import Synchronization
import TransferService

/// Stored responses in a folder, a file each, shared with other processes. All methods block on the disk. A response
/// whose file cannot be read counts as missing; other errors are ignored.
final class DiskCache: Sendable {
  private let folder: URL
  /// The total size of the files in bytes at the last count, plus the responses that this process has stored since;
  /// nil before the first count. Removed files are subtracted only by the next count.
  private let known = Mutex<Int?>(nil)

  init(_ folder: URL) { self.folder = folder }

  func find(_ key: String) -> CacheEntry? {
    guard let data = try? Data(contentsOf: file(of: key)),
      let entry = try? PropertyListDecoder().decode(CacheEntry.self, from: data)
    else { return nil }
    return entry.key == key ? entry : nil
  }

  /// Removes the earlier response for the same key, and stores this one unless it is longer than a twentieth of
  /// `capacity`. Then removes the oldest responses if the total size exceeds `capacity`.
  func store(_ entry: CacheEntry, capacity: Int) {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    remove(entry.key)
    guard let data = try? encoder.encode(entry), data.count <= capacity / URLCache.share else { return }
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    guard (try? data.write(to: file(of: entry.key), options: .atomic)) != nil else { return }
    let usage = known.withLock { known in
      known? += data.count
      return known
    }
    if usage ?? .max > capacity { shrink(to: capacity) }
  }

  func remove(_ key: String) { try? FileManager.default.removeItem(at: file(of: key)) }

  /// Removes the responses that were stored after `date`.
  func remove(since date: Date) {
    for file in files where file.date > date { try? FileManager.default.removeItem(at: file.url) }
  }

  /// Removes the oldest files until a tenth of `capacity` is free, if the files have more than `capacity`
  /// bytes. The next responses then fit without another count, which reads the whole folder.
  func shrink(to capacity: Int) {
    let files = files
    var usage = files.reduce(0) { $0 + $1.size }
    if usage > capacity {
      for file in files.sorted(by: { $0.date < $1.date }) where usage > capacity - capacity / 10 {
        try? FileManager.default.removeItem(at: file.url)
        usage -= file.size
      }
    }
    known.withLock { [usage] in $0 = usage }
  }

  var usage: Int { files.reduce(0) { $0 + $1.size } }

  private var files: [(url: URL, date: Date, size: Int)] {
    let keys: Set<URLResourceKey> = [.contentModificationDateKey, .fileSizeKey]
    let found = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: Array(keys))
    return (found ?? []).filter { $0.pathExtension == Self.suffix }.map { url in
      let values = try? url.resourceValues(forKeys: keys)
      return (url, values?.contentModificationDate ?? .distantPast, values?.fileSize ?? 0)
    }
  }

  private static let suffix = "response"

  private func file(of key: String) -> URL {
    folder.appendingPathComponent("\(key.lastingHash).\(Self.suffix)")
  }
}
