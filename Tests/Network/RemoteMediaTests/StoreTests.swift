import Foundation
import TestSupport
import Testing
import Transfer

@testable import RemoteMedia

@Suite("Stores of remote bytes")
struct StoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func cache(limit: Int64 = 1 << 30) -> MediaCache {
    MediaCache(folders: [folder.path], limit: limit)
  }
  private static let none = MediaCache(folders: [])

  private func read(_ store: MediaStore, _ count: Int, at offset: Int64) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = bytes.withUnsafeMutableBytes { store.read(into: $0, at: offset) }
    return Array(bytes[..<read])
  }

  @Test("what is put is read, on a disk and in memory, over 5,000 random changes", arguments: [true, false])
  func walk(_ onDisk: Bool) {
    var random = RandomSource(seed: 4)
    let store = MediaStore(cache: onDisk ? cache() : Self.none)
    #expect(store.isInMemory == !onDisk)
    let content = random.bytes(300_000)
    for _ in 0..<5_000 {
      let start = random.below(content.count)
      let end = min(content.count, start + random.below(3_000))
      let range = Int64(start)..<Int64(end)
      if store.intervals.range(at: range.lowerBound) == nil, !range.isEmpty {
        store.put(content[start..<end], at: range.lowerBound)
      }
      let at = Int64(random.below(content.count))
      let there = Int(store.intervals.end(from: at) - at)
      let found = read(store, 10_000, at: at)
      let isRight =
        found.count <= there && (found.isEmpty == (there == 0)) && content[Int(at)...].starts(with: found)
      #expect(isRight)
      #expect(store.holds(content[Int(at)..<Int(at) + there], at: at))
      if random.below(1_000) == 0 { store.removeAll() }
    }
    #expect(!store.holds([content[0] ^ 1], at: 0))
  }

  @Test("nothing has a name, the folder is the user's alone, and the space is given back")
  func nameless() throws {
    let place = folder.path + "/made"
    let cache = MediaCache(folders: [place])
    var store: MediaStore? = MediaStore(cache: cache)
    store?.put([UInt8](repeating: 1, count: 1 << 20)[...], at: 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
    #expect(try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions] as? Int == 0o700)
    #expect(cache.byteCount == 1 << 20)
    store = nil
    #expect(cache.byteCount == 0)
  }

  @Test("no folder takes a file: memory, 1 MiB behind the place and what was asked for ahead")
  func memory() {
    let store = MediaStore(cache: MediaCache(folders: ["/proc/nowhere", "/sys/nothing"]))
    #expect(store.isInMemory)
    for index in 0..<200 {
      store.setPlace(Int64(index) * 65_536)
      store.put([UInt8](repeating: UInt8(index), count: 65_536)[...], at: Int64(index) * 65_536)
    }
    #expect(store.intervals.count <= NetworkLimits.memoryBehind + 2 * 65_536)
    #expect(read(store, 10, at: 199 * 65_536) == [UInt8](repeating: 199, count: 10))
    #expect(read(store, 10, at: 0).isEmpty)
  }

  @Test("a disk that takes no more: what is there stays readable, the rest goes to memory")
  func fullDisk() {
    let store = MediaStore(cache: cache(limit: 300_000))
    var random = RandomSource(seed: 8)
    let content = random.bytes(500_000)
    for start in stride(from: 0, to: content.count, by: 10_000) {
      store.put(content[start..<start + 10_000], at: Int64(start))
    }
    #expect(store.isInMemory && store.byteCount == 300_000)
    #expect(store.holds(content[...], at: 0))
  }

  @Test("all stores together have at most so many bytes: the oldest that is finished gives up its own")
  func shared() {
    let cache = cache(limit: 1_000_000)
    let stores = (0..<3).map { _ in MediaStore(cache: cache) }
    let piece = [UInt8](repeating: 5, count: 400_000)
    for store in stores {
      store.put(piece[...], at: 0)
      store.isFinished = true
    }
    #expect(cache.byteCount == 800_000)
    #expect(stores.map { $0.intervals.count } == [0, 400_000, 400_000])
    #expect(stores.allSatisfy { !$0.isInMemory })
  }

  @Test("all stores together have 1 GiB, and not a byte more; and half of what is free on the disk")
  func exactly() {
    // What is counted is not written.
    let cache = MediaCache(folders: [folder.path])
    let (first, second) = (MediaStore(cache: cache), MediaStore(cache: cache))
    let most = 1 << 30
    #expect(!cache.makeRoom(for: most + 1, of: first, free: { .max }))
    #expect(cache.makeRoom(for: most - 1, of: first, free: { .max }))
    #expect(cache.makeRoom(for: 1, of: second, free: { .max }))
    #expect(!cache.makeRoom(for: 1, of: second, free: { .max }) && cache.byteCount == most)
    cache.remove(bytes: Int64(most))
    #expect(!cache.makeRoom(for: 501, of: first, free: { 1_001 }))
    #expect(cache.makeRoom(for: 500, of: first, free: { 1_001 }))
    cache.remove(bytes: 500)
  }

  @Test("on a full disk finished stores give up no more than is needed")
  func fullDiskOfOthers() {
    let cache = cache()
    let stores = (0..<4).map { _ in MediaStore(cache: cache) }
    for store in stores[1...] {
      store.put([UInt8](repeating: 5, count: 100_000)[...], at: 0)
      store.isFinished = true
    }
    // The disk has 400,000 bytes in all.
    #expect(cache.makeRoom(for: 80_000, of: stores[0]) { 400_000 - cache.byteCount })
    #expect(stores.map(\.byteCount) == [0, 0, 100_000, 100_000])
    #expect(!cache.makeRoom(for: 250_000, of: stores[0]) { 400_000 - cache.byteCount })
    cache.remove(bytes: 80_000)
  }

  @Test("one store alone gives up what lies behind its place")
  func behind() {
    let store = MediaStore(cache: cache(limit: 4 << 20))
    let piece = [UInt8](repeating: 5, count: 1 << 20)
    for index in 0..<20 {
      store.setPlace(Int64(index) << 20)
      store.put(piece[...], at: Int64(index) << 20)
    }
    #expect(!store.isInMemory && store.intervals.count <= 4 << 20)
    #expect(store.intervals.end(from: 18 << 20) == 20 << 20)
  }

  @Test("at most 1,024 ranges: the farthest from the place goes")
  func ranges() {
    let store = MediaStore(cache: cache())
    for index in 0..<1_100 { store.put([1, 2][...], at: Int64(index) * 4) }
    let ranges = store.intervals.ranges
    #expect(ranges.count == 1_024)
    #expect(ranges.first == 0..<2 as Range<Int64>)
    #expect(ranges.last == 4_092..<4_094 as Range<Int64>)
  }
}
