import Synchronization
package import Transfer

/// The bytes of one version of a medium: in an unnamed file, or in memory. Thread-safe; may block on disks.
package final class MediaStore: Sendable {
  private struct State {
    var memory = MemoryBlocks()
    /// The ranges in memory; all other ranges of `all` are in the file.
    var inMemory = IntervalSet()
    var all = IntervalSet()
    /// Whether new bytes go to memory and not to the disk.
    var isInMemory: Bool
    var place: Int64 = 0
    var isFinished = false

    enum Found {
      case memory(Int)
      case file(Int)
    }

    /// Returns the location and number of the bytes from `offset` on that fit into the buffer. Copies bytes
    /// in memory into the buffer.
    func find(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Found {
      let there = min(all.end(from: offset) - offset, Int64(buffer.count))
      guard there > 0 else { return .memory(0) }
      let inMemory = min(inMemory.end(from: offset) - offset, there)
      if inMemory > 0 {
        memory.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(inMemory))), at: offset)
        return .memory(Int(inMemory))
      }
      let end = self.inMemory.start(after: offset) ?? .max
      return .file(Int(min(there, end - offset)))
    }

    mutating func keep(_ bytes: ArraySlice<UInt8>, at offset: Int64) {
      memory.write(bytes, at: offset)
      inMemory.insert(offset..<offset + Int64(bytes.count))
      trim()
    }

    mutating func trim() {
      let behind = max(0, place - NetworkLimits.memoryBehind)
      // Keep a little more than the read-ahead, because requested bytes still arrive.
      let ahead = place + NetworkLimits.memoryAhead + NetworkLimits.memoryBehind
      for range in memory.keep(behind..<ahead) {
        for held in inMemory.ranges where held.overlaps(range) { all.remove(held.clamped(to: range)) }
        inMemory.remove(range)
      }
    }

    /// The range farthest from the reading position, if there are too many ranges.
    var surplus: Range<Int64>? {
      guard all.ranges.count > NetworkLimits.intervals, let first = all.ranges.first,
        let last = all.ranges.last
      else { return nil }
      return place - first.upperBound > last.lowerBound - place ? first : last
    }

    /// Discards a range. Returns the number of bytes removed in total and on the disk.
    mutating func forget(_ range: Range<Int64>) -> (all: Int64, onDisk: Int64) {
      let before = (all.count, all.count - inMemory.count)
      all.remove(range)
      inMemory.remove(range)
      if inMemory.ranges.isEmpty { memory.removeAll() }
      return (before.0 - all.count, before.1 - (all.count - inMemory.count))
    }
  }

  private let state: Mutex<State>
  /// Held during I/O by threads that may wait for the disk. Lock order: `file` before `state`.
  private let file: Mutex<CacheFile?>
  private let cache: MediaCache

  package init(cache: MediaCache) {
    self.cache = cache
    let file = CacheFile(in: cache.folders)
    let isInMemory = file == nil
    self.file = Mutex(file)
    state = Mutex(State(isInMemory: isInMemory))
    cache.add(self)
  }

  deinit { cache.remove(ObjectIdentifier(self), bytes: byteCount) }

  /// Whether new bytes are kept in memory, a few MiB around the reading position.
  package var isInMemory: Bool { state.withLock { $0.isInMemory } }

  /// Whether all bytes from the reading position to the end were stored at least once. Only finished stores are
  /// emptied when others need room.
  package var isFinished: Bool {
    get { state.withLock { $0.isFinished } }
    set { state.withLock { $0.isFinished = newValue } }
  }

  /// The number of bytes on the disk.
  package var byteCount: Int64 { state.withLock { $0.all.count - $0.inMemory.count } }

  /// Stores bytes on the disk, or in memory if `isInMemory` is true. If the disk or the cache refuses the bytes,
  /// stores these and all later bytes in memory.
  package func put(_ bytes: ArraySlice<UInt8>, at offset: Int64) {
    // Make room outside the locks, because other stores may be emptied.
    let isCounted = !isInMemory && cache.makeRoom(for: bytes.count, of: self) { freeSpace }
    let isWritten = file.withLock { file in
      let isWritten = isCounted && file?.write(bytes, at: offset) == true
      state.withLock { state in
        state.all.insert(offset..<offset + Int64(bytes.count))
        if isWritten { return }
        state.isInMemory = true
        state.keep(bytes, at: offset)
      }
      return isWritten
    }
    if isCounted, !isWritten { cache.remove(bytes: Int64(bytes.count)) }
    while forget({ $0.surplus }) > 0 {}
  }

  /// Fills the start of the buffer with the bytes from `offset` on. Returns their number, 0 for none.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    // Bytes in memory are returned without waiting for the disk.
    if case .memory(let count) = state.withLock({ $0.find(buffer, at: offset) }) { return count }
    let (count, wanted) = file.withLock { file -> (Int, Int) in
      switch state.withLock({ $0.find(buffer, at: offset) }) {
      case .memory(let count): return (count, count)
      case .file(let wanted):
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(wanted))
        return (file?.read(into: part, at: offset) ?? 0, wanted)
      }
    }
    // Bytes that a broken disk does not return are discarded, and so fetched again.
    if count == 0, wanted > 0 { forget { _ in offset..<offset + Int64(wanted) } }
    return count
  }

  /// Returns the bytes from `offset` on, up to the first missing one, and at most `count`.
  func bytes(_ count: Int, at offset: Int64 = 0) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled..<count])
        let read = read(into: rest, at: offset + Int64(filled))
        guard read > 0 else { return }
        filled += read
      }
    }
  }

  /// Returns the end of the stored bytes from `offset` on; `offset` if none are stored there.
  package func end(from offset: Int64) -> Int64 { state.withLock { $0.all.end(from: offset) } }

  /// Keeps new bytes in memory from now on, because a live stream cannot seek back.
  func useMemory() { state.withLock { $0.isInMemory = true } }

  /// Sets the reading position. If bytes must be discarded, bytes far from the position are discarded.
  package func setPlace(_ place: Int64) {
    state.withLock { state in
      state.place = place
      if state.isInMemory { state.trim() }
    }
  }

  package func removeAll() { forget { $0.all.ranges.last.map { 0..<$0.upperBound } } }

  /// Discards the bytes more than 1 MiB before the reading position. Returns whether there were any.
  func removeBehind() -> Bool { forget { 0..<max(0, $0.place - NetworkLimits.memoryBehind) } > 0 }

  private var freeSpace: Int64 { file.withLock { $0?.freeSpace ?? 0 } }

  /// Discards the range that `choose` returns, also on the disk. Returns the number of bytes removed.
  @discardableResult
  private func forget(_ choose: (State) -> Range<Int64>?) -> Int64 {
    let (all, onDisk) = file.withLock { file -> (Int64, Int64) in
      let (range, fewer) = state.withLock { state -> (Range<Int64>?, (all: Int64, onDisk: Int64)) in
        guard let range = choose(state), !range.isEmpty else { return (nil, (0, 0)) }
        return (range, state.forget(range))
      }
      // Discard the range under the file lock, so that no new bytes are written to it at the same time.
      if let range { file?.discard(range) }
      return fewer
    }
    if onDisk > 0 { cache.remove(bytes: onDisk) }
    return all
  }
}

extension MediaStore: StoredBytes {
  package var intervals: IntervalSet { state.withLock { $0.all } }

  package func holds(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
    bytes.isEqual(to: self.bytes(bytes.count, at: offset))
  }
}
