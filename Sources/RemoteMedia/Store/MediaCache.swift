import Glibc
import Synchronization
import Transfer

/// What all stores share: where they are and how many bytes they may have together.
package final class MediaCache: Sendable {
  /// A store, from its beginning to its end.
  private struct Member {
    weak var store: MediaStore?
    let id: ObjectIdentifier
  }

  private struct State {
    /// The oldest store first.
    var members: [Member] = []
    var count: Int64 = 0
  }

  /// The folders in which a file without a name is tried, in this order; none: everything is kept in memory.
  let folders: [String]
  private let limit: Int64
  private let state = Mutex(State())

  /// A cache in these folders of at most `limit` bytes.
  package init(folders: [String] = MediaCache.usualFolders, limit: Int64 = NetworkLimits.allStores) {
    self.folders = folders
    self.limit = max(0, limit)
  }

  /// The user's cache folder, and where there is none `/var/tmp`.
  package static var usualFolders: [String] {
    let variable = { (name: String) -> String? in
      getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let user = variable("XDG_CACHE_HOME") ?? variable("HOME").map { "\($0)/.cache" }
    return [user.map { "\($0)/continuo" }, "/var/tmp"].compactMap { $0 }
  }

  /// Bytes of all stores on the disk.
  package var byteCount: Int64 { state.withLock { $0.count } }

  /// The number of stores.
  var storeCount: Int { state.withLock { $0.members.count } }

  func add(_ store: MediaStore) {
    let member = Member(store: store, id: ObjectIdentifier(store))
    state.withLock { $0.members.append(member) }
  }

  /// Removes a store that ends, with its bytes.
  func remove(_ store: ObjectIdentifier, bytes: Int64) {
    state.withLock { state in
      // By identifier: a check of the weak reference for nil might hold the last reference to another store, whose `deinit`
      // takes this lock.
      state.members.removeAll { $0.id == store }
      state.count -= bytes
    }
  }

  func remove(bytes: Int64) { state.withLock { $0.count -= bytes } }

  /// Counts `bytes` more for `store`; false if there is no room even when the stores that are finished, the oldest first,
  /// have given theirs up, and `store` what lies behind its place. No more than half of what is free is taken.
  ///
  /// Call it outside all locks: it holds the other stores meanwhile, and may release the last reference to one.
  func makeRoom(for bytes: Int, of store: MediaStore, free: Int64) -> Bool {
    let more = Int64(bytes)
    func count() -> Bool {
      state.withLock { state in
        guard state.count + more <= limit, more <= free / 2 else { return false }
        state.count += more
        return true
      }
    }
    if count() { return true }
    let stores = state.withLock { $0.members.compactMap(\.store) }
    var others = stores.filter { $0 !== store && $0.isFinished && $0.byteCount > 0 }[...]
    while !count() {
      if let oldest = others.popFirst() {
        oldest.removeAll()
      } else if !store.removeBehind() {
        return false
      }
    }
    return true
  }
}
