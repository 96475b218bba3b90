/// The data that a `ByteSource` has after an offset, and the rate at which more arrives.
package struct ByteSupply: Hashable, Sendable {
  /// The number of bytes available from the offset on, without a gap.
  package var byteCount: Int64
  /// Whether the available bytes extend to the end of the source.
  package var isComplete: Bool
  /// The rate of arrival, in bytes per second, over the last 5 s in which bytes were wanted; nil until 8 KiB
  /// have arrived in total.
  package var bytesPerSecond: Double?
  /// Whether the source has paused its transfer because enough data is available.
  package var isFull: Bool

  package init(byteCount: Int64, isComplete: Bool, bytesPerSecond: Double?, isFull: Bool) {
    self.byteCount = byteCount
    self.isComplete = isComplete
    self.bytesPerSecond = bytesPerSecond
    self.isFull = isFull
  }

  /// The supply of a source that is available as a whole.
  package static let all = ByteSupply(byteCount: .max, isComplete: true, bytesPerSecond: nil, isFull: true)
}

/// The audio of a medium that is available after a position, and the rate at which more arrives.
package struct MediaSupply: Hashable, Sendable {
  /// The duration of the audio available from the position on, without a gap, in seconds.
  package var seconds: Double
  /// Whether the available audio extends to the end of the medium.
  package var isComplete: Bool
  /// The rate of arrival over the last 5 s in which bytes were wanted, in seconds of audio per second; nil if it
  /// cannot be measured.
  package var pace: Double?
  /// Whether the source has paused its transfer because enough data is available.
  package var isFull: Bool

  package init(seconds: Double, isComplete: Bool, pace: Double? = nil, isFull: Bool = false) {
    self.seconds = seconds
    self.isComplete = isComplete
    self.pace = pace
    self.isFull = isFull
  }

  /// The supply of a medium that is available as a whole.
  package static let all = MediaSupply(seconds: .infinity, isComplete: true, isFull: true)
}

/// The available and the seekable parts of a medium.
package struct MediaExtent: Hashable, Sendable {
  /// The maximum number of ranges in `loaded`.
  package static let limit = 32

  /// The available ranges, in seconds, in order. Exact where frames have been located, otherwise estimated.
  package var loaded: [Range<Double>]
  /// Whether the missing parts can be fetched out of order. If false, seeks are limited to the loaded ranges.
  package var isSeekable: Bool

  package init(loaded: [Range<Double>], isSeekable: Bool) {
    self.loaded = loaded
    self.isSeekable = isSeekable
  }

  /// Creates an extent of the ranges that are not empty or, if these exceed `limit`, of the longest of them.
  package init(longest ranges: [Range<Double>], isSeekable: Bool) {
    var loaded = ranges.filter { !$0.isEmpty }
    if loaded.count > Self.limit {
      loaded.sort { $0.upperBound - $0.lowerBound > $1.upperBound - $1.lowerBound }
      loaded = Array(loaded.prefix(Self.limit)).sorted { $0.lowerBound < $1.lowerBound }
    }
    self.init(loaded: loaded, isSeekable: isSeekable)
  }

  package func canBeEntered(at seconds: Double) -> Bool {
    isSeekable || loaded.contains { $0.contains(seconds) || $0.upperBound == seconds }
  }
}

/// The amount of a medium to buffer ahead of the read position.
package enum MediaReadAhead: Hashable, Sendable {
  /// The default amount of the source.
  case usual
  /// The amount that decoding needs to start (`beginningSize`), for an item whose turn has not come.
  case beginning
  /// A duration in seconds, at least `least`.
  case seconds(Double)

  /// The number of bytes that count as a medium's beginning.
  private static let beginningSize: Int64 = 256 * 1024
  /// The minimum to buffer ahead, in seconds.
  private static let least = 2.0

  /// Returns the amount in bytes for `ByteSource.setReadAhead`.
  package func byteCount(bytesPerSecond: Double) -> Int64? {
    switch self {
    case .usual: nil
    case .beginning: Self.beginningSize
    case .seconds(let seconds): Int64(min(max(seconds, Self.least) * bytesPerSecond, 0x1p40))
    }
  }
}
