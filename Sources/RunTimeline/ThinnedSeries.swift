import HostTime

/// Values with the moments from which on they hold, in a bounded amount of memory: when there are too many, those
/// that lie closest together become one.
struct ThinnedSeries<Value: Sendable>: Sendable {
  /// What is left of values that became one.
  enum Survivor: Sendable {
    /// The first: for events, which are counted.
    case first
    /// The last: for states, which hold until the next.
    case last
  }

  struct Element: Sendable {
    /// When the first of them came.
    var time: HostTime
    var value: Value
    /// How many others this one stands for.
    var others = 0
  }

  /// More than a drawing of 1000 points can show side by side.
  static var limit: Int { 800 }

  private(set) var elements: [Element] = []
  private let survivor: Survivor

  init(survivor: Survivor) { self.survivor = survivor }

  /// How many values are no longer told apart from their neighbours.
  var omitted: Int { elements.reduce(0) { $0 + $1.others } }

  /// Adds a value. One that is older than the last (told late, by another thread) counts as of the same moment.
  mutating func append(_ value: Value, at time: HostTime) {
    elements.append(Element(time: max(time, elements.last?.time ?? time), value: value))
    if elements.count > Self.limit { thin() }
  }

  /// Puts a value in the place of the last one, as of the same moment.
  mutating func replaceLast(with value: Value) {
    guard !elements.isEmpty else { return }
    elements[elements.count - 1].value = value
  }

  /// Halves the number at least: what is left is further apart than that part of the whole stretch.
  private mutating func thin() {
    guard let first = elements.first, let last = elements.last else { return }
    thin(to: last.time.seconds(since: first.time) / Double(Self.limit / 2))
  }

  /// Makes one of those that are no further apart than `distance`, in seconds.
  mutating func thin(to distance: Double) {
    var kept: [Element] = []
    for element in elements {
      if let previous = kept.last, element.time.seconds(since: previous.time) <= distance {
        kept[kept.count - 1].others += 1 + element.others
        if survivor == .last { kept[kept.count - 1].value = element.value }
      } else {
        kept.append(element)
      }
    }
    elements = kept
  }
}
