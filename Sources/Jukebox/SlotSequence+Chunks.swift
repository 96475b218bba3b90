/// How slots come into chunks and out of them. None of this gives a stamp to what stays.
extension SlotSequence {
  /// Takes the slots of `range` out.
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

  /// The same where whole chunks are among them.
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

  /// Puts `slots` in front of what stands at `rank` (0 ... count).
  mutating func implant(_ slots: [Slot], at rank: Int) {
    guard let highest = slots.max() else { return }
    if Int(highest) >= chunkOfSlot.count {
      chunkOfSlot.append(contentsOf: repeatElement(0, count: Int(highest) + 1 - chunkOfSlot.count))
    }
    guard slots.count <= Self.chunkFloor, count > 0 else { return implantChunks(slots, at: rank) }
    var place = list.place(of: min(rank, count - 1))
    let size = list.size(place)
    if size + slots.count > Self.chunkLimit {
      // Who adds at the end leaves full chunks behind.
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

  /// The same, in chunks of their own.
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

  /// Moves `range` so that it begins at `target`, chunk by chunk.
  mutating func moveChunks(_ range: Range<Int>, to target: Int) {
    let first = cut(range.lowerBound)
    let last = cut(range.upperBound)
    let stretch = list.take(first..<last, slots: range.count)
    let place = cut(target)
    list.insert(stretch, at: place, slots: range.count)
    // Where they were, and both ends of where they are.
    mend(around: target < range.lowerBound ? range.upperBound : range.lowerBound)
    mend(around: target + range.count)
    mend(around: target)
    number(from: min(first, place) - 1)
  }

  // MARK: Chunks

  /// A chunk that is in the list nowhere yet.
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

  /// Makes a chunk begin at `rank` (0 ... count) and returns its place, which is behind the last for the end.
  private mutating func cut(_ rank: Int) -> Int {
    guard rank < count else { return list.end }
    let place = list.place(of: rank)
    let offset = rank - list.start(place)
    guard offset > 0 else { return place }
    split(place, at: offset)
    return place + 1
  }

  /// Makes two chunks of one.
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

  /// Tells the chunks from that place on where they stand.
  private mutating func number(from place: Int) {
    placeOfChunk.withUnsafeMutableBufferPointer { placeOfChunk in
      for place in max(place, 0)..<max(place, list.end) { placeOfChunk[list.chunk(place)] = UInt32(place) }
    }
  }

  /// Sees to it that the chunks on both sides of `rank` (0 ... count) are not too small.
  private mutating func mend(around rank: Int) {
    if rank < count { mend(list.place(of: rank)) }
    if rank > 0 { mend(list.place(of: rank - 1)) }
  }

  /// Sees to it that the chunk at that place is the last or not too small: it gets all that the next one has, or half of
  /// what both have.
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

  /// Gives each slot of a chunk its own stamp, so that it can stand among others.
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
