public import Foundation
public import FoundationNetworking
import Synchronization

/// Stored responses to `GET` requests, in memory and in a folder. A response is not stored in memory or in the folder
/// if it is longer than a twentieth of the respective capacity. Thread-safe. Methods may block on the disk.
///
/// FoundationNetworking's class of this name does not distinguish queries (Swift 6.3).
public final class URLCache: NSObject, Sendable {
  /// The places in which a response may be stored.
  public typealias StoragePolicy = FoundationNetworking.URLCache.StoragePolicy

  /// The capacity divided by this number is the maximum size of one response.
  static let share = 20

  private let memory: Mutex<MemoryCache>
  private let disk: DiskCache
  private let diskLimit: Mutex<Int>
  private let date: @Sendable () -> Date

  /// Creates a cache with capacities in bytes; 0 stores nothing. `directory`: the folder on the disk; nil for
  /// a folder of the application in `$XDG_CACHE_HOME/continuo/responses`.
  public convenience init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
    self.init(memoryCapacity, diskCapacity, directory) { Date() }
  }

  /// Creates a cache with capacities in bytes; 0 stores nothing. `path`: the folder on the disk; nil for a
  /// folder of the application in `$XDG_CACHE_HOME/continuo/responses`.
  public convenience init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
    self.init(memoryCapacity, diskCapacity, path.map { URL(fileURLWithPath: $0) }) { Date() }
  }

  init(_ memory: Int, _ disk: Int, _ folder: URL?, date: @escaping @Sendable () -> Date) {
    self.memory = Mutex(MemoryCache(capacity: max(0, memory)))
    self.disk = DiskCache(folder ?? ApplicationFolder.url("responses", in: "XDG_CACHE_HOME", or: ".cache"))
    diskLimit = Mutex(max(0, disk))
    self.date = date
  }

  /// The capacity of the memory in bytes.
  public var memoryCapacity: Int {
    get { memory.withLock { $0.capacity } }
    set { memory.withLock { $0.capacity = max(0, newValue) } }
  }

  /// The capacity of the folder in bytes.
  public var diskCapacity: Int {
    get { diskLimit.withLock { $0 } }
    set {
      let before = diskLimit.withLock { limit in
        defer { limit = max(0, newValue) }
        return limit
      }
      if before > 0 { disk.shrink(to: max(0, newValue)) }
    }
  }

  /// The approximate size of the responses in memory in bytes.
  public var currentMemoryUsage: Int { memory.withLock { $0.usage } }

  /// The size of the files in bytes; 0 for a cache without a capacity on the disk.
  public var currentDiskUsage: Int { diskCapacity > 0 ? disk.usage : 0 }

  /// Returns the stored response to a request, fresh or not; nil if none.
  public func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
    CacheEntry.key(of: request).flatMap { entry($0) }?.response
  }

  /// Stores a response to a `GET` request in place of an earlier one. The `userInfo` of the response is not
  /// stored. Has no effect for other requests, for responses that are not an `HTTPURLResponse`, and with the storage
  /// policy `notAllowed`.
  public func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
    guard let entry = CacheEntry(cachedResponse, for: request, at: date()) else { return }
    write(entry, cachedResponse.storagePolicy, after: keep(entry, cachedResponse.storagePolicy))
  }

  /// Removes the stored response to a request.
  public func removeCachedResponse(for request: URLRequest) {
    guard let key = CacheEntry.key(of: request) else { return }
    forget(key)
    erase(key)
  }

  /// Removes all responses.
  public func removeAllCachedResponses() { removeCachedResponses(since: .distantPast) }

  /// Removes the responses that were stored after `date`.
  public func removeCachedResponses(since date: Date) {
    memory.withLock { $0.remove { $0.received > date } }
    if diskCapacity > 0 { disk.remove(since: date) }
  }

  /// The size in bytes of the longest response that the cache stores.
  var longest: Int { max(memoryCapacity, diskCapacity) / Self.share }

  func entry(_ key: String) -> CacheEntry? {
    let (found, removals) = memory.withLock { ($0.find(key), $0.removals) }
    if let found { return found }
    guard diskCapacity > 0, let entry = disk.find(key) else { return nil }
    // A response that was removed meanwhile must not come back.
    memory.withLock { if $0.removals == removals { $0.store(entry) } }
    return entry
  }

  /// Stores a response in memory unless `policy` is `notAllowed`. Returns the number of removals so far. Does
  /// not block.
  func keep(_ entry: CacheEntry, _ policy: StoragePolicy) -> UInt64 {
    memory.withLock { memory in
      if policy != .notAllowed { memory.store(entry) }
      return memory.removals
    }
  }

  /// Stores `entry` on the disk. If `entry` may be kept in memory only, removes an earlier response for the
  /// same key from the disk. Does nothing if `policy` is `notAllowed`, or without a capacity on the disk. Also
  /// does nothing if a response was removed since `removals`, because that response might be `entry`.
  func write(_ entry: CacheEntry, _ policy: StoragePolicy, after removals: UInt64) {
    let capacity = diskCapacity
    guard capacity > 0, policy != .notAllowed, memory.withLock({ $0.removals }) == removals else { return }
    if policy == .allowed, !entry.hasSecrets {
      disk.store(entry, capacity: capacity)
    } else {
      disk.remove(entry.key)
    }
  }

  /// Removes a response from memory. Does not block.
  func forget(_ key: String) { memory.withLock { $0.remove(key) } }

  /// Removes a response from the disk.
  func erase(_ key: String) { if diskCapacity > 0 { disk.remove(key) } }
}
