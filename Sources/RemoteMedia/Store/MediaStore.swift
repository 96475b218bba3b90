import Synchronization
package import Transfer

/// The bytes of one version of one medium that are there: in a file without a name, or in memory where there is no disk.
///
/// Any thread. Calls may block on the disk.
package final class MediaStore: Sendable {
  private struct State {
    var memory = MemoryBlocks()
    /// What is in memory; everything else of `all` is in the file.
    var inMemory = IntervalSet()
    var all = IntervalSet()
    /// Whether new bytes go to memory, because the disk took them no more.
    var isInMemory: Bool
    var place: Int64 = 0
    var isFinished = false

    /// Where bytes are that a reader wants, and how many there are in one piece.
    enum Found {
      case memory(Int)
      case file(Int)
    }

    /// Finds the bytes from `offset` on, at most as many as the buffer has room for; those in memory are copied into it.
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

    /// Keeps bytes in memory, within its limits.
    mutating func keep(_ bytes: ArraySlice<UInt8>, at offset: Int64) {
      memory.write(bytes, at: offset)
      inMemory.insert(offset..<offset + Int64(bytes.count))
      trim()
    }

    /// Keeps what is in memory within its limits.
    mutating func trim() {
      let behind = max(0, place - NetworkLimits.memoryBehind)
      // A little more than is read ahead, since what was asked for still comes.
      let ahead = place + NetworkLimits.memoryAhead + NetworkLimits.memoryBehind
      for range in memory.keep(behind..<ahead) {
        for held in inMemory.ranges where held.overlaps(range) { all.remove(held.clamped(to: range)) }
        inMemory.remove(range)
      }
    }

    /// The range that is farthest from the place, if there are too many.
    var surplus: Range<Int64>? {
      guard all.ranges.count > NetworkLimits.intervals, let first = all.ranges.first,
        let last = all.ranges.last
      else { return nil }
      return place - first.upperBound > last.lowerBound - place ? first : last
    }

    /// Forgets a range; how many bytes all ranges, and those on the disk, have fewer.
    mutating func forget(_ range: Range<Int64>) -> (all: Int64, onDisk: Int64) {
      let before = (all.count, all.count - inMemory.count)
      all.remove(range)
      inMemory.remove(range)
      if inMemory.ranges.isEmpty { memory.removeAll() }
      return (before.0 - all.count, before.1 - (all.count - inMemory.count))
    }
  }

  private let state: Mutex<State>
  /// Held during I/O, only by threads that wait for the disk anyway. Taken before `state`.
  private let file: Mutex<CacheFile?>
  private let cache: MediaCache

  /// An empty store that shares a cache with others.
  package init(cache: MediaCache) {
    self.cache = cache
    let file = CacheFile(in: cache.folders)
    let isInMemory = file == nil
    self.file = Mutex(file)
    state = Mutex(State(isInMemory: isInMemory))
    cache.add(self)
  }

  deinit { cache.remove(ObjectIdentifier(self), bytes: byteCount) }

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
    // Outside the locks: other stores are emptied for it.
    let isCounted = !isInMemory && cache.makeRoom(for: bytes.count, of: self, free: freeSpace)
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

  /// Fills the buffer from its beginning with bytes from `offset` on; how many there are, 0 if there are none.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    // Bytes in memory wait for no disk.
    if case .memory(let count) = state.withLock({ $0.find(buffer, at: offset) }) { return count }
    let (count, wanted) = file.withLock { file -> (Int, Int) in
      switch state.withLock({ $0.find(buffer, at: offset) }) {
      case .memory(let count): return (count, count)
      case .file(let wanted):
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(wanted))
        return (file?.read(into: part, at: offset) ?? 0, wanted)
      }
    }
    // What a broken disk does not give back is fetched again.
    if count == 0, wanted > 0 { forget { _ in offset..<offset + Int64(wanted) } }
    return count
  }

  /// Where the bytes end that are there from `offset` on; `offset` if there are none.
  package func end(from offset: Int64) -> Int64 { state.withLock { $0.all.end(from: offset) } }

  /// Keeps new bytes in memory from now on: a live stream is nothing to go back in.
  package func useMemory() { state.withLock { $0.isInMemory = true } }

  /// Says where reading goes on: what is far from there goes first.
  package func setPlace(_ place: Int64) {
    state.withLock { state in
      state.place = place
      if state.isInMemory { state.trim() }
    }
  }

  /// Forgets everything.
  package func removeAll() { forget { $0.all.ranges.last.map { 0..<$0.upperBound } } }

  /// Forgets what lies more than 1 MiB behind the place; whether that was anything.
  func removeBehind() -> Bool { forget { 0..<max(0, $0.place - NetworkLimits.memoryBehind) } > 0 }

  private var freeSpace: Int64 { file.withLock { $0?.freeSpace ?? 0 } }

  /// Forgets the range that `choose` finds, and gives its space back; how many bytes there are fewer.
  @discardableResult
  private func forget(_ choose: (State) -> Range<Int64>?) -> Int64 {
    let (all, onDisk) = file.withLock { file -> (Int64, Int64) in
      let (range, fewer) = state.withLock { state -> (Range<Int64>?, (all: Int64, onDisk: Int64)) in
        guard let range = choose(state), !range.isEmpty else { return (nil, (0, 0)) }
        return (range, state.forget(range))
      }
      // Under this lock, so that no new bytes are written there meanwhile.
      if let range { file?.discard(range) }
      return fewer
    }
    if onDisk > 0 { cache.remove(bytes: onDisk) }
    return all
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
