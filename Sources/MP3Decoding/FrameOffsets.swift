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
  /// The first frame that is noted.
  let first: Int64
  private var offsets: [Int64] = []

  /// Offsets of the frames from `first` on.
  init(first: Int64 = 0) { self.first = first }

  /// Notes where a frame begins. Frames come in order, beginning with `first`.
  @inline(__always)
  mutating func note(_ frame: Int64, offset: Int64) {
    guard frame - first == Int64(offsets.count) * spacing else { return }
    if offsets.count == FrameOffsets.limit {
      offsets = stride(from: 0, to: offsets.count, by: 2).map { offsets[$0] }
      spacing *= 2
    }
    offsets.append(offset)
  }

  /// The last frame that is kept, and at most `frame`; the first one if that is before it. Nil before a frame was noted.
  func last(upTo frame: Int64 = .max) -> Entry? {
    guard !offsets.isEmpty else { return nil }
    let index = Int(min(max(0, (frame - first) / spacing), Int64(offsets.count - 1)))
    return Entry(frame: first + Int64(index) * spacing, offset: offsets[index])
  }

  /// The number of the frame, with a fraction, that a byte in front of `end` belongs to; `end` is where frame `endFrame`
  /// begins, behind all that were noted. Exact where the byte is that of a frame that is kept.
  func frame(at offset: Int64, end: Entry) -> Double {
    var low = 0
    var high = offsets.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if offsets[middle] <= offset { low = middle } else { high = middle }
    }
    guard low < offsets.count, offset > offsets[low] else { return Double(first) }
    let begin = Entry(frame: first + Int64(low) * spacing, offset: offsets[low])
    let next =
      low + 1 < offsets.count ? Entry(frame: begin.frame + spacing, offset: offsets[low + 1]) : end
    guard next.offset > begin.offset else { return Double(next.frame) }
    let part = Double(offset - begin.offset) / Double(next.offset - begin.offset)
    return Double(begin.frame) + min(1, part) * Double(next.frame - begin.frame)
  }

  /// Whether the frames that are kept have `size` bytes each, from `start` on, within `tolerance` bytes in all.
  func isEven(from start: Int64, size: Double, tolerance: Double) -> Bool {
    offsets.indices.allSatisfy {
      abs(Double(offsets[$0] - start) - Double(Int64($0) * spacing) * size) <= tolerance
    }
  }
}
