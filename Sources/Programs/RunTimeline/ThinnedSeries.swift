import Clocks

/// A series of values with their start times, in bounded memory. Above the limit, values that are close to each
/// other in time are merged.
struct ThinnedSeries<Value: Sendable>: Sendable {
  /// The value that remains after a merge.
  enum Survivor: Sendable {
    /// The first value: for events, which are counted.
    case first
    /// The last value: for states, which hold until the next.
    case last
  }

  struct Element: Sendable {
    /// The start of the first merged value.
    var time: HostTime
    var value: Value
    /// The number of other values that were merged into the element.
    var others = 0
  }

  /// The maximum number of elements: more than a drawing 1000 user units wide can show side by side.
  static var limit: Int { 800 }

  private(set) var elements: [Element] = []
  private let survivor: Survivor

  init(survivor: Survivor) { self.survivor = survivor }

  /// The number of values that were merged into a neighbour.
  var omitted: Int { elements.reduce(0) { $0 + $1.others } }

  /// Appends a value. A value older than the last one, reported late by another thread, gets the last one's
  /// time. Above the limit, at least half of the elements are merged, so that the remaining ones are more
  /// than 1/400 of the whole interval apart.
  mutating func append(_ value: Value, at time: HostTime) {
    elements.append(Element(time: max(time, elements.last?.time ?? time), value: value))
    guard elements.count > Self.limit, let first = elements.first, let last = elements.last else { return }
    thin(to: last.time.seconds(since: first.time) / Double(Self.limit / 2))
  }

  /// Replaces the last value and keeps its time.
  mutating func replaceLast(with value: Value) {
    guard !elements.isEmpty else { return }
    elements[elements.count - 1].value = value
  }

  /// Merges each element into the last kept one if it starts at most `distance` seconds after that one.
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
