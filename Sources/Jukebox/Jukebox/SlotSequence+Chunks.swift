/// Insertion and removal of slots in chunks. These methods do not change the stamps of slots that stay.
extension SlotSequence {
  /// Removes the slots of `range` and returns them.
  mutating func extract(_ range: Range<Int>) -> [Slot] {
    guard !range.isEmpty else { return [] }
    let place = list.place(of: range.lowerBound)
    let start = list.start(place)
    let size = list.size(place)
    guard range.upperBound <= start + size, range.count < size else { return extractChunks(range) }
    let part = range.lowerBound - start..<range.upperBound - start
    let chunk = list.chunk(place)
    let slots = Array(chunks[chunk].slots[part])
    chunks[chunk].slots.removeSubrange(part)
    if !chunks[chunk].stamps.isEmpty { chunks[chunk].stamps.removeSubrange(part) }
    list.grow(place, by: -range.count)
    if size - range.count < Self.chunkFloor {
      mend(place)
      number(from: place)
    }
    return slots
  }

  /// Removes the slots of a range that includes whole chunks.
  private mutating func extractChunks(_ range: Range<Int>) -> [Slot] {
    let first = cut(range.lowerBound)
    let last = cut(range.upperBound)
    var slots: [Slot] = []
    slots.reserveCapacity(range.count)
    for number in list.take(first..<last, slots: range.count).numbers {
      slots += chunks[Int(number)].slots
      discard(number)
    }
    mend(around: range.lowerBound)
    number(from: first - 1)
    return slots
  }

  /// Inserts `slots` before the slot at `rank` (0 ... count).
  mutating func implant(_ slots: [Slot], at rank: Int) {
    guard let highest = slots.max() else { return }
    if Int(highest) >= chunkOfSlot.count {
      chunkOfSlot.append(contentsOf: repeatElement(0, count: Int(highest) + 1 - chunkOfSlot.count))
    }
    guard slots.count <= Self.chunkFloor, count > 0 else { return implantChunks(slots, at: rank) }
    var place = list.place(of: min(rank, count - 1))
    let size = list.size(place)
    if size + slots.count > Self.chunkLimit {
      // Repeated additions at the end leave full chunks, so the last one is not split.
      guard rank < count else { return implantChunks(slots, at: rank) }
      split(place, at: size / 2)
      number(from: place + 1)
      if rank >= list.start(place + 1) { place += 1 }
    }
    let chunk = list.chunk(place)
    let offset = rank - list.start(place)
    chunks[chunk].slots.insert(contentsOf: slots, at: offset)
    if !chunks[chunk].stamps.isEmpty {
      let stamp = list.common[place]
      chunks[chunk].stamps.insert(contentsOf: repeatElement(stamp, count: slots.count), at: offset)
    }
    for slot in slots { chunkOfSlot[Int(slot)] = UInt32(chunk) }
    list.grow(place, by: slots.count)
  }

  /// Inserts `slots` before the slot at `rank`, in new chunks.
  private mutating func implantChunks(_ slots: [Slot], at rank: Int) {
    let place = cut(rank)
    let pieces = (slots.count + Self.chunkFill - 1) / Self.chunkFill
    let starts = (0...pieces).map { slots.count * $0 / pieces }
    let numbers = zip(starts, starts.dropFirst()).map { makeChunk(slots[$0..<$1]) }
    let stamps = Array(repeating: UInt64(0), count: pieces)[...]
    list.insert(
      ChunkList.Stretch(
        numbers: numbers[...], starts: starts.dropLast().map { UInt32($0) }[...], common: stamps,
        newest: stamps),
      at: place, slots: slots.count)
    mend(around: rank + slots.count)
    mend(around: rank)
    number(from: place - 1)
  }

  /// Moves `range` so that it begins at `target`, by moving whole chunks.
  mutating func moveChunks(_ range: Range<Int>, to target: Int) {
    let first = cut(range.lowerBound)
    let last = cut(range.upperBound)
    let stretch = list.take(first..<last, slots: range.count)
    let place = cut(target)
    list.insert(stretch, at: place, slots: range.count)
    // Repair at the old position and at both ends of the new one.
    mend(around: target < range.lowerBound ? range.upperBound : range.lowerBound)
    mend(around: target + range.count)
    mend(around: target)
    number(from: min(first, place) - 1)
  }

  // MARK: Chunks

  /// Makes a chunk that is not in the list yet, and returns its number.
  private mutating func makeChunk(_ slots: ArraySlice<Slot>) -> UInt32 {
    let number = freeChunks.popLast() ?? UInt32(chunks.count)
    if Int(number) == chunks.count {
      chunks.append(Chunk())
      placeOfChunk.append(0)
    }
    chunks[Int(number)].slots.reserveCapacity(Self.chunkLimit)
    chunks[Int(number)].slots.append(contentsOf: slots)
    for slot in slots { chunkOfSlot[Int(slot)] = number }
    return number
  }

  private mutating func discard(_ number: UInt32) {
    chunks[Int(number)] = Chunk()
    freeChunks.append(number)
  }

  /// Makes a chunk begin at `rank` (0 ... count) and returns the chunk's index in the list; for the end, the
  /// index after the last chunk.
  private mutating func cut(_ rank: Int) -> Int {
    guard rank < count else { return list.end }
    let place = list.place(of: rank)
    let offset = rank - list.start(place)
    guard offset > 0 else { return place }
    split(place, at: offset)
    return place + 1
  }

  /// Splits the chunk at index `place` at an offset.
  private mutating func split(_ place: Int, at offset: Int) {
    let old = list.chunk(place)
    let new = makeChunk(chunks[old].slots[offset...])
    chunks[old].slots.removeSubrange(offset...)
    if !chunks[old].stamps.isEmpty {
      chunks[Int(new)].stamps.reserveCapacity(Self.chunkLimit)
      chunks[Int(new)].stamps += chunks[old].stamps[offset...]
      chunks[old].stamps.removeSubrange(offset...)
    }
    list.split(place, at: offset, to: new)
  }

  /// Updates `placeOfChunk` for all chunks from index `place` on.
  private mutating func number(from place: Int) {
    placeOfChunk.withUnsafeMutableBufferPointer { placeOfChunk in
      for place in max(place, 0)..<max(place, list.end) { placeOfChunk[list.chunk(place)] = UInt32(place) }
    }
  }

  /// Enforces the minimum size of the chunks on both sides of `rank` (0 ... count).
  private mutating func mend(around rank: Int) {
    if rank < count { mend(list.place(of: rank)) }
    if rank > 0 { mend(list.place(of: rank - 1)) }
  }

  /// Enforces the minimum size of the chunk at index `place`, except the last. The chunk gets all slots of
  /// the next one, or enough of them to make both equal in size.
  private mutating func mend(_ place: Int) {
    while place + 1 < list.end, list.size(place) < Self.chunkFloor {
      let (size, next) = (list.size(place), list.size(place + 1))
      let isJoined = size + next <= Self.chunkLimit
      let taken = isJoined ? next : (size + next) / 2 - size
      let (low, high) = (list.chunk(place), list.chunk(place + 1))
      materializeStamps(place)
      materializeStamps(place + 1)
      let slots = chunks[high].slots[..<taken]
      chunks[low].slots += slots
      chunks[low].stamps += chunks[high].stamps[..<taken]
      for slot in slots { chunkOfSlot[Int(slot)] = UInt32(low) }
      list.newest[place] = max(list.newest[place], list.newest[place + 1])
      if isJoined {
        discard(UInt32(high))
        list.strike(place + 1)
      } else {
        chunks[high].slots.removeSubrange(..<taken)
        chunks[high].stamps.removeSubrange(..<taken)
        list.take(taken, into: place)
      }
    }
  }

  /// Gives each slot of a chunk its own stamp, so that slots of other chunks can join it.
  private mutating func materializeStamps(_ place: Int) {
    let chunk = list.chunk(place)
    let common = list.common[place]
    if chunks[chunk].stamps.isEmpty {
      chunks[chunk].stamps.reserveCapacity(Self.chunkLimit)
      chunks[chunk].stamps.append(contentsOf: repeatElement(common, count: list.size(place)))
    } else if common > 0 {
      chunks[chunk].stamps.withUnsafeMutableBufferPointer { stamps in
        for offset in stamps.indices { stamps[offset] = max(stamps[offset], common) }
      }
    }
    list.common[place] = 0
  }
}
