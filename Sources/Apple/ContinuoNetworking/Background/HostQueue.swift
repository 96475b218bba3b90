/// The tasks of a session with one host: the number of running ones, and the waiting ones in the order of
/// their starts. A value without rules about tasks.
struct HostQueue: Hashable, Sendable {
  private struct Entry: Hashable {
    let priority: Float
    let key: TransferKey

    func precedes(_ other: Entry) -> Bool {
      priority == other.priority ? key < other.key : priority > other.priority
    }
  }

  var running = 0
  private var waiting: [Entry] = []

  /// The waiting task of the highest priority, among equal ones the oldest; nil if none waits.
  var first: TransferKey? { waiting.first?.key }

  /// Adds a task, which must not be waiting.
  mutating func add(_ key: TransferKey, priority: Float) {
    let entry = Entry(priority: priority, key: key)
    // Thousands of tasks may wait, mostly added in their order.
    var (low, high) = (0, waiting.count)
    if let last = waiting.last, last.precedes(entry) { low = high }
    while low < high {
      let middle = (low + high) / 2
      if waiting[middle].precedes(entry) { low = middle + 1 } else { high = middle }
    }
    waiting.insert(entry, at: low)
  }

  mutating func removeFirst() { waiting.removeFirst() }
}
