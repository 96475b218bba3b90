import Glibc
import Synchronization
import Transfer

/// The cache folders and the byte limit that all stores share.
package final class MediaCache: Sendable {
  private struct Member {
    weak var store: MediaStore?
    let id: ObjectIdentifier
  }

  private struct State {
    /// The stores, oldest first.
    var members: [Member] = []
    var count: Int64 = 0
  }

  /// The folders to try for unnamed files, in order; if empty, no bytes are stored on the disk.
  let folders: [String]
  private let limit: Int64
  private let state = Mutex(State())

  package init(folders: [String] = MediaCache.usualFolders, limit: Int64 = NetworkLimits.allStores) {
    self.folders = folders
    self.limit = max(0, limit)
  }

  /// The folder `continuo` in the user's cache folder, if the path of that is known, then `/var/tmp`.
  package static var usualFolders: [String] {
    let variable = { (name: String) -> String? in
      getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let user = variable("XDG_CACHE_HOME") ?? variable("HOME").map { "\($0)/.cache" }
    return [user.map { "\($0)/continuo" }, "/var/tmp"].compactMap { $0 }
  }

  package var byteCount: Int64 { state.withLock { $0.count } }

  var storeCount: Int { state.withLock { $0.members.count } }

  func add(_ store: MediaStore) {
    let member = Member(store: store, id: ObjectIdentifier(store))
    state.withLock { $0.members.append(member) }
  }

  /// Removes a store during its deinitialization, and the bytes that it has reserved.
  func remove(_ store: ObjectIdentifier, bytes: Int64) {
    state.withLock { state in
      // Compare identifiers, because testing a weak reference might hold the last reference to another store,
      // whose `deinit` takes this lock.
      state.members.removeAll { $0.id == store }
      state.count -= bytes
    }
  }

  func remove(bytes: Int64) { state.withLock { $0.count -= bytes } }

  /// Reserves `bytes` for `store`, at most half of the disk's `free` bytes. Returns false if they do not fit. To make
  /// room, other finished stores discard all bytes, oldest first; then `store` discards the bytes more than 1 MiB
  /// before its position. Must be called outside all locks, because it retains other stores and may release the last
  /// reference to one.
  func makeRoom(for bytes: Int, of store: MediaStore, free: () -> Int64) -> Bool {
    let more = Int64(bytes)
    func count() -> Bool {
      let free = free()
      return state.withLock { state in
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
