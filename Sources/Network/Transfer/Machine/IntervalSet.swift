/// A sorted set of half-open byte ranges that neither overlap nor touch each other.
package struct IntervalSet: Hashable, Sendable {
  package private(set) var ranges: [Range<Int64>] = []

  package init() {}

  package mutating func insert(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    // The new range overlaps or touches the ranges first..<last.
    let first = partition { $0.upperBound >= range.lowerBound }
    let last = partition { $0.lowerBound > range.upperBound }
    var joined = range
    if first < last {
      joined =
        min(range.lowerBound, ranges[first].lowerBound)..<max(range.upperBound, ranges[last - 1].upperBound)
    }
    ranges.replaceSubrange(first..<last, with: [joined])
  }

  package mutating func remove(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    let first = partition { $0.upperBound > range.lowerBound }
    let last = partition { $0.lowerBound >= range.upperBound }
    guard first < last else { return }
    let left = ranges[first].lowerBound..<max(ranges[first].lowerBound, range.lowerBound)
    let right = min(ranges[last - 1].upperBound, range.upperBound)..<ranges[last - 1].upperBound
    ranges.replaceSubrange(first..<last, with: [left, right].filter { !$0.isEmpty })
  }

  package func range(at offset: Int64) -> Range<Int64>? {
    let index = partition { $0.upperBound > offset }
    return index < ranges.count && ranges[index].contains(offset) ? ranges[index] : nil
  }

  /// Returns the start of the range that ends at `offset` or contains the byte before it; `offset` if no
  /// range does.
  package func start(ofRangeBefore offset: Int64) -> Int64 {
    let index = partition { $0.upperBound >= offset }
    return index < ranges.count && ranges[index].lowerBound < offset ? ranges[index].lowerBound : offset
  }

  /// Returns the end of the range that contains `offset`; `offset` if none does.
  package func end(from offset: Int64) -> Int64 { range(at: offset)?.upperBound ?? offset }

  /// Returns the start of the first range after `offset`; nil if none follows.
  package func start(after offset: Int64) -> Int64? {
    let index = partition { $0.lowerBound > offset }
    return index < ranges.count ? ranges[index].lowerBound : nil
  }

  package var count: Int64 { ranges.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }

  /// Returns the index of the first range for which `isBehind` is true, or the number of ranges if none is.
  /// `isBehind` must be true for all later ranges too.
  private func partition(_ isBehind: (Range<Int64>) -> Bool) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if isBehind(ranges[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
