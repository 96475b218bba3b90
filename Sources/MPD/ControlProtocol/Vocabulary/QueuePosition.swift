/// A position in the queue as an argument of a command. The numbers are not negative.
package enum QueuePosition: Hashable, Sendable {
  /// The position of the first added or moved song afterwards, from 0.
  case absolute(Int)
  /// The distance after the current song, `+N`: 0 means directly after it.
  case afterCurrent(Int)
  /// The distance before the current song, `-N`: 0 means directly before it.
  case beforeCurrent(Int)
}

/// A part of the queue, of a playlist or of a result, from `lowerBound` up to but not including `upperBound`.
package struct PositionRange: Hashable, Sendable {
  package let lowerBound: UInt32
  /// The position after the last one; nil for the end of the list. Never below `lowerBound`.
  package let upperBound: UInt32?

  /// Creates a range; nil if the end is before the start.
  package init?(_ lowerBound: UInt32, _ upperBound: UInt32?) {
    if let upperBound, upperBound < lowerBound { return nil }
    self.lowerBound = lowerBound
    self.upperBound = upperBound
  }

  /// All positions: `0:`.
  package static let all = PositionRange(checkedLower: 0, upper: nil)

  /// Creates the range of one position, `N`. `UInt32.max`, which is above any position, gives an open range.
  package init(single position: UInt32) {
    self.init(checkedLower: position, upper: position == .max ? nil : position + 1)
  }

  init(checkedLower lower: UInt32, upper: UInt32?) {
    lowerBound = lower
    upperBound = upper
  }

  /// Returns the positions of the range that are below `count`.
  package func clamped(to count: Int) -> Range<Int> {
    let start = min(Int(lowerBound), count)
    return start..<max(start, min(upperBound.map(Int.init) ?? count, count))
  }
}
