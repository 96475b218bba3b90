import AudioCore

/// The ordered items as a linked list inside a dictionary. Inserting, removing and finding a neighbour take
/// the same time with 100 000 items as with 100.
struct PlayQueue<Element: Sendable>: Sendable {
  private struct Node {
    var element: Element
    var previous: ItemID?
    var next: ItemID?
  }

  private var nodes: [ItemID: Node] = [:]
  private(set) var first: ItemID?
  private(set) var last: ItemID?

  var count: Int { nodes.count }
  var isEmpty: Bool { nodes.isEmpty }

  func contains(_ id: ItemID) -> Bool { nodes[id] != nil }

  func next(of id: ItemID) -> ItemID? { nodes[id]?.next }

  func previous(of id: ItemID) -> ItemID? { nodes[id]?.previous }

  subscript(id: ItemID) -> Element? { nodes[id]?.element }

  /// Changes an element in place; no effect if `id` is not in the queue.
  mutating func update(_ id: ItemID, _ body: (inout Element) -> Void) {
    guard let index = nodes.index(forKey: id) else { return }
    body(&nodes.values[index].element)
  }

  /// Inserts an element after `after`, or at the end for nil. False if `id` is already in the queue or
  /// `after` is not.
  mutating func insert(_ element: Element, id: ItemID, after: ItemID?) -> Bool {
    guard nodes[id] == nil else { return false }
    let previous = after ?? last
    if let previous, nodes[previous] == nil { return false }
    let next = previous.flatMap { nodes[$0]?.next }
    nodes[id] = Node(element: element, previous: previous, next: next)
    link(previous, id)
    link(id, next)
    return true
  }

  /// Inserts an element at the front. False if `id` is already in the queue.
  mutating func prepend(_ element: Element, id: ItemID) -> Bool {
    guard nodes[id] == nil else { return false }
    let next = first
    nodes[id] = Node(element: element, previous: nil, next: next)
    link(nil, id)
    link(id, next)
    return true
  }

  /// Removes an element and returns it; nil if `id` is not in the queue.
  @discardableResult
  mutating func remove(_ id: ItemID) -> Element? {
    guard let node = nodes.removeValue(forKey: id) else { return nil }
    if node.previous == nil { first = node.next }
    if node.next == nil { last = node.previous }
    if let previous = node.previous { nodes[previous]?.next = node.next }
    if let next = node.next { nodes[next]?.previous = node.previous }
    return node.element
  }

  mutating func removeAll() {
    nodes = [:]
    first = nil
    last = nil
  }

  /// The identifiers in order. Takes time proportional to the queue's length.
  var ids: [ItemID] {
    var result: [ItemID] = []
    result.reserveCapacity(nodes.count)
    var id = first
    while let present = id {
      result.append(present)
      id = nodes[present]?.next
    }
    return result
  }

  private mutating func link(_ left: ItemID?, _ right: ItemID?) {
    if let left { nodes[left]?.next = right } else { first = right }
    if let right { nodes[right]?.previous = left } else { last = left }
  }
}
