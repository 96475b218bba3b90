/// What a `ByteSource` has ahead of a place, and how fast more comes.
package struct ByteSupply: Hashable, Sendable {
  /// Bytes that are there from the place on, without a gap.
  package var byteCount: Int64
  /// Whether they are all to the end.
  package var isComplete: Bool
  /// Bytes that came in a second, over the last 5 s; nil as long as that says nothing (less than 8 KiB came).
  package var bytesPerSecond: Double?
  /// Whether no more comes for now because there is enough.
  package var isFull: Bool

  /// A supply with these properties.
  package init(byteCount: Int64, isComplete: Bool, bytesPerSecond: Double?, isFull: Bool) {
    self.byteCount = byteCount
    self.isComplete = isComplete
    self.bytesPerSecond = bytesPerSecond
    self.isFull = isFull
  }

  /// All of a source whose bytes are all there.
  package static let all = ByteSupply(byteCount: .max, isComplete: true, bytesPerSecond: nil, isFull: true)
}

/// What of a medium is there ahead of a place, and how fast more comes.
package struct MediaSupply: Hashable, Sendable {
  /// Seconds of sound that are there from the place on, without a gap.
  package var seconds: Double
  /// Whether they are all to the end.
  package var isComplete: Bool
  /// Seconds of sound that came in a second, over the last 5 s; nil as long as that says nothing.
  package var pace: Double?
  /// Whether no more comes for now because there is enough.
  package var isFull: Bool

  /// A supply with these properties.
  package init(seconds: Double, isComplete: Bool, pace: Double? = nil, isFull: Bool = false) {
    self.seconds = seconds
    self.isComplete = isComplete
    self.pace = pace
    self.isFull = isFull
  }

  /// All of a medium whose bytes are all there.
  package static let all = MediaSupply(seconds: .infinity, isComplete: true, isFull: true)
}

/// Which parts of a medium are there, and where it can be entered.
package struct MediaExtent: Hashable, Sendable {
  /// The most ranges that are told.
  package static let limit = 32

  /// Seconds of it that are there, in order: exact where its frames are known, else estimated.
  package var loaded: [Range<Double>]
  /// Whether the rest can be had out of order. If not, it can be entered only in what is there.
  package var isSeekable: Bool

  /// An extent with these properties.
  package init(loaded: [Range<Double>], isSeekable: Bool) {
    self.loaded = loaded
    self.isSeekable = isSeekable
  }

  /// Whether it can be entered at `seconds`.
  package func canBeEntered(at seconds: Double) -> Bool {
    isSeekable || loaded.contains { $0.contains(seconds) || $0.upperBound == seconds }
  }
}

/// How much of a medium is to be there ahead of what is read.
package enum MediaReadAhead: Hashable, Sendable {
  /// As much as the source sees fit.
  case usual
  /// What is needed to begin: its turn has not come.
  case beginning
  /// So many seconds of sound, at least `least`.
  case seconds(Double)

  /// Bytes of a medium's beginning.
  package static let beginningSize: Int64 = 256 * 1024
  /// The fewest seconds that are read ahead.
  package static let least = 2.0
}
