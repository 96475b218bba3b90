import Testing

@testable import Jukebox

/// The tree against an array, with every rule of its shape checked.
@Suite(.timeLimit(.minutes(10)))
struct RankTreeTests {
  /// What the tree must be, the slow way.
  struct Model {
    var slots: [RankTree.Slot] = []
    var stamps: [RankTree.Slot: UInt64] = [:]

    mutating func stamp(_ range: Range<Int>, _ stamp: UInt64) {
      for slot in slots[range] { stamps[slot] = stamp }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func staysEqualToAnArray(seed: UInt64) {
    var random = SplitMix64(state: seed)
    var tree = RankTree()
    var model = Model()
    var free = Array((1...400 as ClosedRange<RankTree.Slot>).shuffled(using: &random))
    for stamp in 1...600 as ClosedRange<UInt64> {
      let count = model.slots.count
      let start = Int.random(in: 0...count, using: &random)
      let end = min(
        count, start + Int.random(in: 0...(Bool.random(using: &random) ? 3 : 200), using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let new = (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in free.popLast() }
        tree.insert(new, at: start, stamp: stamp)
        model.slots.insert(contentsOf: new, at: start)
        if !new.isEmpty { model.stamp(start..<model.slots.count, stamp) }
      case 2 where start < end:
        let removed = tree.remove(start..<end, stamp: stamp)
        #expect(removed == Array(model.slots[start..<end]), "seed \(seed)")
        model.slots.removeSubrange(start..<end)
        model.stamp(start..<model.slots.count, stamp)
        free.append(contentsOf: removed)
      case 3 where start < end:
        let target = Int.random(in: 0...count - (end - start), using: &random)
        tree.move(start..<end, to: target, stamp: stamp)
        let moved = model.slots[start..<end]
        model.slots.removeSubrange(start..<end)
        model.slots.insert(contentsOf: moved, at: target)
        model.stamp(min(start, target)..<max(end, target + moved.count), stamp)
      case 4 where end - start > 1:
        tree.swap(start, end - 1, stamp: stamp)
        model.slots.swapAt(start, end - 1)
        model.stamp(start..<start + 1, stamp)
        model.stamp(end - 1..<end, stamp)
      case 5 where start < end:
        let shuffled = model.slots[start..<end].shuffled(using: &random)
        tree.replace(start..<end, with: shuffled, stamp: stamp)
        model.slots.replaceSubrange(start..<end, with: shuffled)
        model.stamp(start..<end, stamp)
      default:
        tree.stamp(start..<end, stamp)
        model.stamp(start..<end, stamp)
      }
      expectEqual(tree, model, stamp: stamp, seed: seed, random: &random)
    }
  }

  /// All that the tree can be asked.
  func expectEqual(
    _ tree: RankTree, _ model: Model, stamp: UInt64, seed: UInt64, random: inout SplitMix64
  ) {
    #expect(tree.count == model.slots.count, "seed \(seed)")
    var all: [RankTree.Slot] = []
    tree.forEach(in: 0..<tree.count) { all.append($0) }
    #expect(all == model.slots, "seed \(seed)")
    expectShape(tree, seed: seed)
    guard !all.isEmpty else { return }
    let rank = Int.random(in: 0..<all.count, using: &random)
    #expect(tree[rank] == all[rank] && tree.rank(of: all[rank]) == rank, "seed \(seed)")
    let end = Int.random(in: rank...all.count, using: &random)
    var part: [RankTree.Slot] = []
    tree.forEach(in: rank..<end) { part.append($0) }
    #expect(part == Array(all[rank..<end]), "seed \(seed)")
    for baseline in [0, stamp - 1, UInt64.random(in: 0...stamp, using: &random), stamp] {
      var newer: [Int] = []
      tree.forEach(newerThan: baseline, in: rank..<end) { position, slot in
        newer.append(all[position] == slot ? position : -1)
      }
      #expect(newer == (rank..<end).filter { model.stamps[all[$0], default: 0] > baseline }, "seed \(seed)")
    }
  }

  /// Counts, parents, balance: what the costs rest on.
  func expectShape(_ tree: RankTree, seed: UInt64) {
    var isSound = tree.nodes[0].count == 0 && tree.nodes[0].stamp == 0
    func check(_ slot: RankTree.Slot, parent: RankTree.Slot) -> UInt32 {
      guard slot != 0 else { return 0 }
      let node = tree.nodes[Int(slot)]
      let left = check(node.left, parent: slot)
      let right = check(node.right, parent: slot)
      isSound = isSound && node.parent == parent && node.count == left + right + 1
      isSound = isSound && (min(left, right) + 1) * 100 >= (left + right + 2) * 29
      return node.count
    }
    #expect(Int(check(tree.root, parent: 0)) == tree.count && isSound, "seed \(seed)")
  }

  @Test func staysShallowWhereverSongsAreAdded() {
    for place in ["front", "back", "middle"] {
      var tree = RankTree()
      for slot in 1...20_000 as ClosedRange<RankTree.Slot> {
        let rank = place == "front" ? 0 : place == "back" ? tree.count : tree.count / 2
        tree.insert([slot], at: rank, stamp: UInt64(slot))
      }
      func depth(_ slot: RankTree.Slot) -> Int {
        slot == 0 ? 0 : 1 + max(depth(tree.nodes[Int(slot)].left), depth(tree.nodes[Int(slot)].right))
      }
      // 2.03 log₂ 20,000.
      #expect(depth(tree.root) <= 29, "\(place)")
    }
  }
}
