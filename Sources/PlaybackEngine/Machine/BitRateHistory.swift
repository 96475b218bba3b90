import DequeModule

/// How many bits a second of an item has, where that was decoded: from a second before what is heard up to what is decoded
/// ahead of it. A pure value.
struct BitRateHistory: Sendable {
  /// A part of the item, in seconds of it, and its bits per second.
  private struct Piece {
    var start: Double
    var end: Double
    var bitRate: Double

    /// The part from here to the end of `next`, which follows.
    func joined(with next: Piece) -> Piece {
      let bits = bitRate * (end - start) + next.bitRate * (next.end - next.start)
      return Piece(start: start, end: next.end, bitRate: bits / (next.end - start))
    }
  }

  /// Seconds of which the mean is told.
  static let window = 1.0
  /// The most pieces that are kept: at speed 1 there are about 20. Where there are more, two become one.
  static let limit = 128
  /// Seconds by which what follows may begin beside the end of what was there: less than a sample.
  private static let tolerance = 1e-6

  private var pieces = Deque<Piece>()

  var count: Int { pieces.count }

  /// Notes what was decoded from `start` to `end`. It takes the place of what was decoded there before; what is neither that
  /// nor right before it is forgotten, as is all that lies more than a second before `heard`.
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

  /// Mean bits per second of the last second before `place`, or of what there is of it; where nothing was decoded right
  /// before it, that of what follows. Nil if neither was decoded.
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
