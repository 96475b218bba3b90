import DequeModule

/// The bit rates of the recently decoded part of an item: from one second before the heard position to the
/// decode position. A pure value.
struct BitRateHistory: Sendable {
  /// A part of the item in seconds, and its bit rate in bits per second.
  private struct Piece {
    var start: Double
    var end: Double
    var bitRate: Double

    /// Returns the part from this start to the end of `next`, which follows directly.
    func joined(with next: Piece) -> Piece {
      let bits = bitRate * (end - start) + next.bitRate * (next.end - next.start)
      return Piece(start: start, end: next.end, bitRate: bits / (next.end - start))
    }
  }

  /// The length of the averaging window in seconds.
  static let window = 1.0
  /// The maximum number of pieces; beyond it pairs are merged. About 20 exist at speed 1.
  static let limit = 128
  /// The tolerance in seconds between the end of a piece and the start of the next: less than a sample.
  private static let tolerance = 1e-6

  private var pieces = Deque<Piece>()

  var count: Int { pieces.count }

  /// Records the bit rate of the part from `start` to `end`, replacing earlier records of that part. Drops
  /// pieces not adjacent to it, and pieces more than one second before `heard`.
  mutating func append(from start: Double, to end: Double, bitRate: Double, heard: Double) {
    guard end - start > Self.tolerance else { return }
    while let last = pieces.last, last.start > start - Self.tolerance { pieces.removeLast() }
    if let last = pieces.indices.last, pieces[last].end > start { pieces[last].end = start }
    if let last = pieces.last, last.end < start - Self.tolerance { pieces.removeAll() }
    while let first = pieces.first, first.end < heard - Self.window { pieces.removeFirst() }
    if pieces.count == Self.limit {
      pieces = Deque(
        stride(from: 0, to: pieces.count, by: 2).map { pieces[$0].joined(with: pieces[$0 + 1]) })
    }
    pieces.append(Piece(start: start, end: end, bitRate: bitRate))
  }

  /// Returns the mean bit rate of the last second before `place`, or of the recorded part of that second. If no
  /// part is recorded, returns the bit rate of the piece that contains `place`; nil if none does.
  func mean(before place: Double) -> Double? {
    var bits = 0.0
    var seconds = 0.0
    for piece in pieces {
      let length = min(piece.end, place) - max(piece.start, place - Self.window)
      guard length > Self.tolerance else { continue }
      bits += piece.bitRate * length
      seconds += length
    }
    if seconds > 0 { return bits / seconds }
    return pieces.first { $0.start <= place + Self.tolerance && $0.end > place }?.bitRate
  }
}
