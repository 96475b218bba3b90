/// Where in a source its MPEG frames begin, as far as that is kept: one frame in 16 at first, and where that would be too
/// many, one in 32, and so on. A pure value.
struct FrameOffsets {
  /// A frame that is kept.
  struct Entry: Equatable {
    var frame: Int64
    var offset: Int64
  }

  /// The most offsets that are kept: 128 KiB, one in 16 of almost two hours.
  static let limit = 16_384

  /// One frame of so many is kept.
  private(set) var spacing: Int64 = 16
  private var offsets: [Int64] = []

  /// Notes where a frame begins. Frames come in order, beginning with 0.
  @inline(__always)
  mutating func note(_ frame: Int64, offset: Int64) {
    guard frame == Int64(offsets.count) * spacing else { return }
    if offsets.count == FrameOffsets.limit {
      offsets = stride(from: 0, to: offsets.count, by: 2).map { offsets[$0] }
      spacing *= 2
    }
    offsets.append(offset)
  }

  /// The last frame that is kept, and at most `frame`; the first one if that is before it. Nil before a frame was noted.
  func last(upTo frame: Int64 = .max) -> Entry? {
    guard !offsets.isEmpty else { return nil }
    let index = Int(min(max(0, frame / spacing), Int64(offsets.count - 1)))
    return Entry(frame: Int64(index) * spacing, offset: offsets[index])
  }
}
