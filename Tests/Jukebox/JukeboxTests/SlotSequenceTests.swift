import SystemSupport
import TestSupport
import Testing

@testable import Jukebox

/// The sequence against an array, with every rule of its chunks checked.
@Suite(.timeLimit(.minutes(10)))
struct SlotSequenceTests {
  /// What the sequence must be, the slow way.
  struct Model {
    var slots: [SlotSequence.Slot] = []
    var stamps: [SlotSequence.Slot: UInt64] = [:]

    mutating func stamp(_ range: Range<Int>, _ stamp: UInt64) {
      for slot in slots[range] { stamps[slot] = stamp }
    }
  }

  @Test(arguments: Rounds.seeds(1))
  func staysEqualToAnArray(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var sequence = SlotSequence()
    var model = Model()
    var free = Array((1...3000 as ClosedRange<SlotSequence.Slot>).shuffled(using: &random))
    for stamp in 1...400 as ClosedRange<UInt64> {
      let count = model.slots.count
      let start = Int.random(in: 0...count, using: &random)
      let end = min(
        count, start + Int.random(in: 0...(Bool.random(using: &random) ? 3 : 1500), using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let new = (0..<Int.random(in: 0...(Bool.random(using: &random) ? 5 : 600), using: &random)).compactMap
        { _ in free.popLast() }
        sequence.insert(new, at: start, stamp: stamp)
        model.slots.insert(contentsOf: new, at: start)
        if !new.isEmpty { model.stamp(start..<model.slots.count, stamp) }
      case 2 where start < end:
        let removed = sequence.remove(start..<end, stamp: stamp)
        #expect(removed == Array(model.slots[start..<end]), "seed \(seed)")
        model.slots.removeSubrange(start..<end)
        model.stamp(start..<model.slots.count, stamp)
        free.append(contentsOf: removed)
      case 3 where start < end:
        let target = Int.random(in: 0...count - (end - start), using: &random)
        sequence.move(start..<end, to: target, stamp: stamp)
        let moved = model.slots[start..<end]
        model.slots.removeSubrange(start..<end)
        model.slots.insert(contentsOf: moved, at: target)
        model.stamp(min(start, target)..<max(end, target + moved.count), stamp)
      case 4 where end - start > 1:
        sequence.swap(start, end - 1, stamp: stamp)
        model.slots.swapAt(start, end - 1)
        model.stamp(start..<start + 1, stamp)
        model.stamp(end - 1..<end, stamp)
      case 5 where start < end:
        let shuffled = model.slots[start..<end].shuffled(using: &random)
        sequence.replace(start..<end, with: shuffled, stamp: stamp)
        model.slots.replaceSubrange(start..<end, with: shuffled)
        model.stamp(start..<end, stamp)
      default:
        sequence.stamp(start..<end, stamp)
        model.stamp(start..<end, stamp)
      }
      expectEqual(sequence, model, stamp: stamp, seed: seed, random: &random)
    }
  }

  /// All that the sequence can be asked.
  func expectEqual(
    _ sequence: SlotSequence, _ model: Model, stamp: UInt64, seed: UInt64, random: inout SplitMix64
  ) {
    #expect(sequence.count == model.slots.count, "seed \(seed)")
    var all: [SlotSequence.Slot] = []
    sequence.forEach(in: 0..<sequence.count) { all.append($0) }
    #expect(all == model.slots, "seed \(seed)")
    expectShape(sequence, seed: seed)
    guard !all.isEmpty else { return }
    let rank = Int.random(in: 0..<all.count, using: &random)
    #expect(sequence[rank] == all[rank] && sequence.rank(of: all[rank]) == rank, "seed \(seed)")
    let end = Int.random(in: rank...all.count, using: &random)
    var part: [SlotSequence.Slot] = []
    sequence.forEach(in: rank..<end) { part.append($0) }
    #expect(part == Array(all[rank..<end]), "seed \(seed)")
    for baseline in [0, stamp - 1, UInt64.random(in: 0...stamp, using: &random), stamp] {
      var newer: [Int] = []
      sequence.forEach(newerThan: baseline, in: rank..<end) { position, slot in
        newer.append(all[position] == slot ? position : -1)
        return true
      }
      let limit = Int.random(in: 0...newer.count, using: &random)
      var first: [Int] = []
      sequence.forEach(newerThan: baseline, in: rank..<end) { position, _ in
        first.append(position)
        return first.count < limit
      }
      #expect(first == Array(newer.prefix(max(1, limit))), "seed \(seed)")
      #expect(newer == (rank..<end).filter { model.stamps[all[$0], default: 0] > baseline }, "seed \(seed)")
    }
  }

  /// Chunks that are neither empty nor too large nor too many, and slots that lead to their ranks.
  func expectShape(_ sequence: SlotSequence, seed: UInt64) {
    var start = 0
    var isSound = sequence.chunks.count <= SlotSequence.maximumChunks(for: sequence.count)
    isSound = isSound && Set(sequence.chunks.map(\.number)).count == sequence.chunks.count
    for chunk in sequence.chunks {
      isSound = isSound && (1...SlotSequence.chunkLimit).contains(chunk.slots.count)
      isSound = isSound && Int(chunk.start) == start && Int(chunk.size) == chunk.slots.count
      isSound = isSound && chunk.slots.indices.allSatisfy { sequence.rank(of: chunk.slots[$0]) == start + $0 }
      start += chunk.slots.count
    }
    #expect(start == sequence.count && isSound, "seed \(seed)")
  }

  @Test func fillsItsChunksWhenSlotsAreAddedAtTheEnd() {
    var sequence = SlotSequence()
    for slot in 1...20_000 as ClosedRange<SlotSequence.Slot> {
      sequence.insert([slot], at: sequence.count, stamp: UInt64(slot))
    }
    #expect(sequence.chunks.count == (20_000 + SlotSequence.chunkLimit - 1) / SlotSequence.chunkLimit)
    expectShape(sequence, seed: 0)
  }

  @Test func aCopyKeepsWhatItHas() {
    var random = SplitMix64(state: 7)
    var sequence = SlotSequence(Array(1...5000))
    for stamp in 1...UInt64(Rounds.count(40)) {
      let copy = sequence
      var before: [SlotSequence.Slot] = []
      copy.forEach(in: 0..<copy.count) { before.append($0) }
      let start = Int.random(in: 0..<5000, using: &random)
      let end = Int.random(in: start...5000, using: &random)
      sequence.move(start..<end, to: Int.random(in: 0...5000 - (end - start), using: &random), stamp: stamp)
      var after: [SlotSequence.Slot] = []
      copy.forEach(in: 0..<copy.count) { after.append($0) }
      #expect(after == before)
      #expect(before.indices.allSatisfy { copy.rank(of: before[$0]) == $0 })
    }
  }

  /// There are as many chunks as are allowed, and the first one is full.
  @Test func aSwapRebuildsNothing() {
    var sequence = SlotSequence()
    for slot in 1...512 as ClosedRange<SlotSequence.Slot> {
      sequence.insert([slot], at: sequence.count, stamp: 1)
    }
    for index in 0..<14 {
      let next = SlotSequence.Slot(sequence.count) + 1
      sequence.insert(Array(next..<next + 65), at: sequence.count - 50 - index, stamp: 1)
    }
    #expect(sequence.chunks.count == SlotSequence.maximumChunks(for: sequence.count))
    sequence.swap(256, sequence.count - 1, stamp: 2)
    expectShape(sequence, seed: 0)
  }
}
