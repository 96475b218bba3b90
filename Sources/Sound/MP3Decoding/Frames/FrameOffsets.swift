extension Array {
  /// Returns the index of the last element for which `isBefore` is true, or 0 if there is none. All elements
  /// before that one must meet the condition as well.
  func lastSorted(where isBefore: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while high - low > 1 {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle } else { high = middle }
    }
    return low
  }
}

/// The offsets of MPEG frames in a source, at first of every 16th frame. When `limit` is reached, the spacing
/// doubles.
struct FrameOffsets {
  struct Entry: Equatable {
    var frame: Int64
    var offset: Int64
  }

  /// The maximum number of stored offsets: 128 KiB, or every 16th frame of almost two hours.
  static let limit = 16_384

  private(set) var spacing: Int64 = 16
  /// The number of the first frame that is recorded.
  let first: Int64
  private var offsets: [Int64] = []

  init(first: Int64 = 0) { self.first = first }

  /// Stores the offset of a frame if `frame` is the next multiple of `spacing` after `first`. Must be called for
  /// all frames in order, beginning with `first`.
  @inline(__always)
  mutating func note(_ frame: Int64, offset: Int64) {
    guard frame - first == Int64(offsets.count) * spacing else { return }
    if offsets.count == FrameOffsets.limit {
      offsets = stride(from: 0, to: offsets.count, by: 2).map { offsets[$0] }
      spacing *= 2
    }
    offsets.append(offset)
  }

  /// Returns the last stored frame up to `frame`, or the first if that is later; nil if none was recorded.
  func last(upTo frame: Int64 = .max) -> Entry? {
    guard !offsets.isEmpty else { return nil }
    let index = Int(min(max(0, (frame - first) / spacing), Int64(offsets.count - 1)))
    return Entry(frame: first + Int64(index) * spacing, offset: offsets[index])
  }

  /// Returns the fractional frame number of the byte at `offset`, interpolated between stored offsets. `end`: the
  /// number and offset after the last frame read.
  func frame(at offset: Int64, end: Entry) -> Double {
    let low = offsets.lastSorted { $0 <= offset }
    guard low < offsets.count, offset > offsets[low] else { return Double(first) }
    let begin = Entry(frame: first + Int64(low) * spacing, offset: offsets[low])
    let next = low + 1 < offsets.count ? Entry(frame: begin.frame + spacing, offset: offsets[low + 1]) : end
    guard next.offset > begin.offset else { return Double(next.frame) }
    let part = Double(offset - begin.offset) / Double(next.offset - begin.offset)
    return Double(begin.frame) + min(1, part) * Double(next.frame - begin.frame)
  }

  /// Returns whether each stored offset is within `tolerance` bytes of its value if all frames from `start` on
  /// had `size` bytes.
  func isEven(from start: Int64, size: Double, tolerance: Double) -> Bool {
    offsets.indices.allSatisfy {
      abs(Double(offsets[$0] - start) - Double(Int64($0) * spacing) * size) <= tolerance
    }
  }
}
