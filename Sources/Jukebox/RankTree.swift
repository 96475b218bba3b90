/// A sequence of slots as a weight-balanced tree: cut and joined anywhere in logarithmic time, whatever the length of
/// what is moved. Every node knows its parent, so a slot knows its rank.
///
/// A slot is a number that its owner chose; the tree's nodes stand in one array under these numbers, so a slot stays
/// where it is for life while the sequence changes around it. 0 is no slot. Balance is by size with joins as the one
/// way to restore it (Blelloch, Ferizovic, Sun: "Just Join for Parallel Ordered Sets", α = 0.29): no order of edits
/// makes it deeper than 2.03 log₂ n, so recursion is bounded too.
///
/// Each slot carries a *stamp*, and a whole stretch gets a new one at the cost of a cut: it is noted at the top of the
/// subtree and handed down when someone goes there. Stamps never decrease, so "newer than" prunes whole subtrees.
struct RankTree: Sendable {
  typealias Slot = UInt32

  struct Node: Sendable {
    var left: Slot = 0
    var right: Slot = 0
    var parent: Slot = 0
    /// Of the subtree; 0 only for no node.
    var count: UInt32 = 0
    var stamp: UInt64 = 0
    /// The newest stamp of the subtree.
    var newest: UInt64 = 0
    /// To be handed down to both children; 0 for nothing.
    var inherited: UInt64 = 0
  }

  /// Number 0 stands for no node and is never written but for its parent, which nobody reads.
  private(set) var nodes: [Node] = [Node()]
  private(set) var root: Slot = 0

  var count: Int { Int(nodes[Int(root)].count) }

  init() {}

  /// The sequence of `slots`, perfectly balanced.
  init(_ slots: [Slot]) {
    insert(slots, at: 0, stamp: 0)
  }

  // MARK: Asking

  /// Where `slot`, which is in the tree, stands.
  func rank(of slot: Slot) -> Int {
    var rank = nodes[Int(nodes[Int(slot)].left)].count
    var child = slot
    var parent = nodes[Int(slot)].parent
    while parent != 0 {
      let node = nodes[Int(parent)]
      if node.right == child { rank += nodes[Int(node.left)].count + 1 }
      child = parent
      parent = node.parent
    }
    return Int(rank)
  }

  /// What stands at `rank`, which is in 0 ..< count.
  subscript(rank: Int) -> Slot {
    var rank = UInt32(rank)
    var slot = root
    while true {
      let node = nodes[Int(slot)]
      let before = nodes[Int(node.left)].count
      if rank == before { return slot }
      if rank < before {
        slot = node.left
      } else {
        rank -= before + 1
        slot = node.right
      }
    }
  }

  /// Calls `body` with every slot of `range` in order.
  func forEach(in range: Range<Int>, _ body: (Slot) -> Void) {
    visit(root, from: range.lowerBound, to: range.upperBound, body)
  }

  /// Calls `body` with every slot of `range` whose stamp is above `stamp`, and its rank, in order.
  func forEach(newerThan stamp: UInt64, in range: Range<Int>, _ body: (Int, Slot) -> Void) {
    visitNewer(root, than: stamp, in: range, inherited: 0, rank: 0, body)
  }

  private func visit(_ slot: Slot, from start: Int, to end: Int, _ body: (Slot) -> Void) {
    guard slot != 0, start < end else { return }
    let node = nodes[Int(slot)]
    let before = Int(nodes[Int(node.left)].count)
    if start < before { visit(node.left, from: start, to: min(end, before), body) }
    if start <= before, before < end { body(slot) }
    if before + 1 < end { visit(node.right, from: max(start - before - 1, 0), to: end - before - 1, body) }
  }

  private func visitNewer(
    _ slot: Slot, than stamp: UInt64, in range: Range<Int>, inherited: UInt64, rank: Int,
    _ body: (Int, Slot) -> Void
  ) {
    guard slot != 0 else { return }
    let node = nodes[Int(slot)]
    guard max(node.newest, inherited) > stamp, rank < range.upperBound,
      rank + Int(node.count) > range.lowerBound
    else { return }
    let handed = max(node.inherited, inherited)
    let own = rank + Int(nodes[Int(node.left)].count)
    visitNewer(node.left, than: stamp, in: range, inherited: handed, rank: rank, body)
    if max(node.stamp, inherited) > stamp, range.contains(own) { body(own, slot) }
    visitNewer(node.right, than: stamp, in: range, inherited: handed, rank: own + 1, body)
  }

  // MARK: Editing

  /// Inserts `slots`, none of which is in the tree, in front of what stands at `rank` (0 ... count). They and all
  /// behind them get `stamp`.
  mutating func insert(_ slots: [Slot], at rank: Int, stamp: UInt64) {
    guard let highest = slots.max() else { return }
    if Int(highest) >= nodes.count {
      nodes.append(contentsOf: repeatElement(Node(), count: Int(highest) + 1 - nodes.count))
    }
    let (front, back) = split(root, rank)
    self.stamp(back, stamp)
    let new = build(slots[...], stamp: stamp)
    plant(join(join(front, new), back))
  }

  /// Takes the slots of `range` out and returns them in order. All behind them get `stamp`.
  mutating func remove(_ range: Range<Int>, stamp: UInt64) -> [Slot] {
    let (front, rest) = split(root, range.lowerBound)
    let (middle, back) = split(rest, range.count)
    var slots: [Slot] = []
    slots.reserveCapacity(range.count)
    visit(middle, from: 0, to: range.count) { slots.append($0) }
    self.stamp(back, stamp)
    plant(join(front, back))
    return slots
  }

  /// Moves `range` so that it begins at `target` (0 ... count - range.count). All that stands elsewhere then gets
  /// `stamp`.
  mutating func move(_ range: Range<Int>, to target: Int, stamp: UInt64) {
    let (front, rest) = split(root, range.lowerBound)
    let (middle, back) = split(rest, range.count)
    let (before, after) = split(join(front, back), target)
    plant(join(join(before, middle), after))
    let moved = min(range.lowerBound, target)..<max(range.upperBound, target + range.count)
    self.stamp(moved, stamp)
  }

  /// Puts `slots`, a permutation of what stands in `range`, there instead, with `stamp`.
  mutating func replace(_ range: Range<Int>, with slots: [Slot], stamp: UInt64) {
    let (front, rest) = split(root, range.lowerBound)
    let (_, back) = split(rest, range.count)
    let new = build(slots[...], stamp: stamp)
    plant(join(join(front, new), back))
  }

  /// Exchanges what stands at `low` and at `high`, which is behind it, and gives both the stamp.
  mutating func swap(_ low: Int, _ high: Int, stamp: UInt64) {
    let (front, rest) = split(root, low)
    let (first, tail) = split(rest, 1)
    let (middle, end) = split(tail, high - low - 1)
    let (second, back) = split(end, 1)
    self.stamp(first, stamp)
    self.stamp(second, stamp)
    plant(join(join(join(join(front, second), middle), first), back))
  }

  /// Gives everything in `range` the stamp.
  mutating func stamp(_ range: Range<Int>, _ stamp: UInt64) {
    let (front, rest) = split(root, range.lowerBound)
    let (middle, back) = split(rest, range.count)
    self.stamp(middle, stamp)
    plant(join(join(front, middle), back))
  }

  mutating func removeAll() {
    nodes = [Node()]
    root = 0
  }

  // MARK: Balance

  private mutating func plant(_ slot: Slot) {
    root = slot
    nodes[Int(slot)].parent = 0
  }

  private mutating func stamp(_ slot: Slot, _ stamp: UInt64) {
    guard slot != 0 else { return }
    nodes[Int(slot)].stamp = stamp
    nodes[Int(slot)].newest = stamp
    nodes[Int(slot)].inherited = stamp
  }

  /// The node's children, after they got what it held for them.
  private mutating func open(_ slot: Slot) -> (left: Slot, right: Slot) {
    let node = nodes[Int(slot)]
    if node.inherited != 0 {
      stamp(node.left, node.inherited)
      stamp(node.right, node.inherited)
      nodes[Int(slot)].inherited = 0
    }
    return (node.left, node.right)
  }

  /// `middle`, which was opened, above two trees that balance each other.
  private mutating func link(_ left: Slot, _ middle: Slot, _ right: Slot) -> Slot {
    let (leftNode, rightNode) = (nodes[Int(left)], nodes[Int(right)])
    nodes[Int(middle)].left = left
    nodes[Int(middle)].right = right
    nodes[Int(middle)].count = leftNode.count + rightNode.count + 1
    nodes[Int(middle)].newest = max(nodes[Int(middle)].stamp, leftNode.newest, rightNode.newest)
    nodes[Int(left)].parent = middle
    nodes[Int(right)].parent = middle
    return middle
  }

  /// Neither side weighs (its count plus one) less than 29 % of both.
  private func balance(_ left: UInt32, _ right: UInt32) -> Bool {
    let (left, right) = (UInt64(left) + 1, UInt64(right) + 1)
    return min(left, right) * 100 >= (left + right) * 29
  }

  private func size(_ slot: Slot) -> UInt32 { nodes[Int(slot)].count }

  /// Everything of `left`, then `middle`, then everything of `right`. `middle` was opened.
  private mutating func join(_ left: Slot, _ middle: Slot, _ right: Slot) -> Slot {
    if balance(size(left), size(right)) { return link(left, middle, right) }
    if size(left) > size(right) {
      let (outer, inner) = open(left)
      let joined = join(inner, middle, right)
      if balance(size(outer), size(joined)) { return link(outer, left, joined) }
      let (near, far) = open(joined)
      if balance(size(outer), size(near)), balance(size(outer) + size(near) + 1, size(far)) {
        return link(link(outer, left, near), joined, far)
      }
      let (first, second) = open(near)
      return link(link(outer, left, first), near, link(second, joined, far))
    }
    let (inner, outer) = open(right)
    let joined = join(left, middle, inner)
    if balance(size(joined), size(outer)) { return link(joined, right, outer) }
    let (far, near) = open(joined)
    if balance(size(near), size(outer)), balance(size(far), size(near) + size(outer) + 1) {
      return link(far, joined, link(near, right, outer))
    }
    let (first, second) = open(near)
    return link(link(far, joined, first), near, link(second, right, outer))
  }

  private mutating func join(_ left: Slot, _ right: Slot) -> Slot {
    if left == 0 { return right }
    if right == 0 { return left }
    let (rest, last) = splitLast(left)
    return join(rest, last, right)
  }

  /// The first `rank` slots, and the rest.
  private mutating func split(_ slot: Slot, _ rank: Int) -> (Slot, Slot) {
    if slot == 0 { return (0, 0) }
    if rank == 0 { return (0, slot) }
    if rank == Int(size(slot)) { return (slot, 0) }
    let (left, right) = open(slot)
    let before = Int(size(left))
    if rank <= before {
      let (front, back) = split(left, rank)
      return (front, join(back, slot, right))
    }
    let (front, back) = split(right, rank - before - 1)
    return (join(left, slot, front), back)
  }

  private mutating func splitLast(_ slot: Slot) -> (rest: Slot, last: Slot) {
    let (left, right) = open(slot)
    if right == 0 { return (left, slot) }
    let (rest, last) = splitLast(right)
    return (join(left, slot, rest), last)
  }

  private mutating func build(_ slots: ArraySlice<Slot>, stamp: UInt64) -> Slot {
    guard !slots.isEmpty else { return 0 }
    let middle = slots.startIndex + slots.count / 2
    let left = build(slots[..<middle], stamp: stamp)
    let right = build(slots[(middle + 1)...], stamp: stamp)
    let slot = slots[middle]
    nodes[Int(slot)] = Node(stamp: stamp)
    return link(left, slot, right)
  }
}
