import Synchronization
package import Transfer

/// The bytes of one version of one medium that are there: in a file without a name, or in memory where there is no disk.
///
/// Any thread. Calls may block on the disk.
package final class MediaStore: Sendable {
  private struct State: ~Copyable {
    var file: CacheFile?
    var memory = MemoryBlocks()
    /// What is in memory; everything else of `all` is in the file.
    var inMemory = IntervalSet()
    var all = IntervalSet()
    /// Whether new bytes go to memory, because the disk took them no more.
    var isInMemory: Bool
    var place: Int64 = 0
    var isFinished = false
  }

  private let state: Mutex<State>
  private let cache: MediaCache

  /// An empty store that shares a cache with others.
  package init(cache: MediaCache) {
    self.cache = cache
    let file = CacheFile(in: cache.folders)
    let isInMemory = file == nil
    state = Mutex(State(file: file, isInMemory: isInMemory))
    cache.add(self)
  }

  deinit { cache.remove(bytes: byteCount) }

  /// Whether new bytes are kept in memory, a few MiB around the place that is read.
  package var isInMemory: Bool { state.withLock { $0.isInMemory } }

  /// Whether all bytes that are wanted came: such a store is emptied first where others need room.
  package var isFinished: Bool {
    get { state.withLock { $0.isFinished } }
    set { state.withLock { $0.isFinished = newValue } }
  }

  /// Bytes on the disk.
  package var byteCount: Int64 {
    state.withLock { $0.all.count - $0.inMemory.count }
  }

  /// Stores bytes; where the disk takes no more, in memory from now on.
  package func put(_ bytes: ArraySlice<UInt8>, at offset: Int64) {
    let range = offset..<offset + Int64(bytes.count)
    // Others give up their bytes before this one is locked.
    let hasRoom = isInMemory || cache.makeRoom(for: bytes.count, of: self, free: freeSpace)
    state.withLock { state in
      if !state.isInMemory, !hasRoom || !(state.file?.write(bytes, at: offset) ?? false) {
        if hasRoom { cache.remove(bytes: Int64(bytes.count)) }
        state.isInMemory = true
      }
      state.all.insert(range)
      if state.isInMemory {
        state.memory.write(bytes, at: offset)
        state.inMemory.insert(range)
        Self.trim(&state)
      } else {
        limitRanges(&state)
      }
    }
  }

  /// Fills the buffer from its beginning with bytes from `offset` on; how many there are, 0 if there are none.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    state.withLock { state in
      let there = state.all.end(from: offset) - offset
      guard there > 0 else { return 0 }
      var part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: there)))
      let inMemory = state.inMemory.end(from: offset) - offset
      if inMemory > 0 {
        part = UnsafeMutableRawBufferPointer(rebasing: part.prefix(Int(clamping: inMemory)))
        state.memory.read(into: part, at: offset)
        return part.count
      }
      if let next = state.inMemory.start(after: offset) {
        part = UnsafeMutableRawBufferPointer(rebasing: part.prefix(Int(clamping: next - offset)))
      }
      let count = state.file?.read(into: part, at: offset) ?? 0
      // What a broken disk does not give back is fetched again.
      if count == 0 { forget(offset..<offset + Int64(part.count), &state) }
      return count
    }
  }

  /// Where the bytes end that are there from `offset` on; `offset` if there are none.
  package func end(from offset: Int64) -> Int64 { state.withLock { $0.all.end(from: offset) } }

  /// Keeps new bytes in memory from now on: a live stream is nothing to go back in.
  package func useMemory() { state.withLock { $0.isInMemory = true } }

  /// Says where reading goes on: what is far from there goes first.
  package func setPlace(_ place: Int64) {
    state.withLock { state in
      state.place = place
      if state.isInMemory { Self.trim(&state) }
    }
  }

  /// Forgets everything.
  package func removeAll() {
    state.withLock { state in
      if let last = state.all.ranges.last { forget(0..<last.upperBound, &state) }
    }
  }

  /// Forgets what lies more than 1 MiB behind the place; whether that was anything.
  func removeBehind() -> Bool {
    state.withLock { state in
      let range = 0..<max(0, state.place - NetworkLimits.memoryBehind)
      let before = state.all.count
      forget(range, &state)
      return state.all.count < before
    }
  }

  private var freeSpace: Int64 { state.withLock { $0.file?.freeSpace ?? 0 } }

  /// Keeps what is in memory within its limits.
  private static func trim(_ state: inout State) {
    let behind = max(0, state.place - NetworkLimits.memoryBehind)
    // A little more than is read ahead, since what was asked for still comes.
    let ahead = state.place + NetworkLimits.memoryAhead + NetworkLimits.memoryBehind
    for range in state.memory.keep(behind..<ahead) {
      for held in state.inMemory.ranges where held.overlaps(range) {
        state.all.remove(held.clamped(to: range))
      }
      state.inMemory.remove(range)
    }
  }

  /// Keeps the number of ranges within its limit: the farthest from the place goes.
  private func limitRanges(_ state: inout State) {
    while state.all.ranges.count > NetworkLimits.intervals, let first = state.all.ranges.first,
      let last = state.all.ranges.last
    {
      forget(state.place - first.upperBound > last.lowerBound - state.place ? first : last, &state)
    }
  }

  private func forget(_ range: Range<Int64>, _ state: inout State) {
    let before = state.all.count - state.inMemory.count
    state.all.remove(range)
    state.inMemory.remove(range)
    if state.inMemory.ranges.isEmpty { state.memory.removeAll() }
    guard !range.isEmpty else { return }
    state.file?.discard(range)
    cache.remove(bytes: before - (state.all.count - state.inMemory.count))
  }
}

extension MediaStore: StoredBytes {
  /// Which bytes are there.
  package var intervals: IntervalSet { state.withLock { $0.all } }

  /// Whether the stored bytes from `offset` on are these.
  package func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    var known = [UInt8](repeating: 0, count: bytes.count)
    var filled = 0
    while filled < bytes.count {
      let count = known.withUnsafeMutableBytes {
        read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]), at: offset + Int64(filled))
      }
      guard count > 0 else { return false }
      filled += count
    }
    return known[...] == bytes
  }
}
