package import AudioCore

@testable package import PlaybackEngine

// Tests give items and observers numbers of their own.

extension ItemID: ExpressibleByIntegerLiteral {
  /// The item of that number.
  package init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}

extension ObserverID: ExpressibleByIntegerLiteral {
  /// The observer of that number.
  package init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}
