/// A place in the queue, as a command names it. Never negative.
package enum QueuePosition: Hashable, Sendable {
  /// In front of what stands there, counted from 0; the number of songs for the end.
  case absolute(Int)
  /// `+N`: that many songs behind the current one: 0 for right behind it.
  case afterCurrent(Int)
  /// `-N`: that many songs before the current one: 0 for right before it.
  case beforeCurrent(Int)
}

/// A part of the queue: from a position to one that is not part of it any more.
package struct PositionRange: Hashable, Sendable {
  /// The first position.
  package let lowerBound: UInt32
  /// The position after the last; `nil` for "to the end". Never below `lowerBound`.
  package let upperBound: UInt32?

  /// `nil` if the end is before the start.
  package init?(_ lowerBound: UInt32, _ upperBound: UInt32?) {
    if let upperBound, upperBound < lowerBound { return nil }
    self.lowerBound = lowerBound
    self.upperBound = upperBound
  }

  /// The whole queue, `0:`.
  package static let all = PositionRange(checkedLower: 0, upper: nil)

  /// One position, `N`. `UInt32.max`, which no queue has, counts as open.
  package init(single position: UInt32) {
    self.init(checkedLower: position, upper: position == .max ? nil : position + 1)
  }

  init(checkedLower lower: UInt32, upper: UInt32?) {
    lowerBound = lower
    upperBound = upper
  }
}
