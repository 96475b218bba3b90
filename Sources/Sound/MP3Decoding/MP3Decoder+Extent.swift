import AudioCore

/// The frames read in order so far, with their offsets.
struct KnownFrames {
  var table: MPEGFrameTable
  var offsets: FrameOffsets
  /// The end of the furthest frame that was read.
  var furthestEnd: Int64

  /// Returns the fractional number of the frame at an offset; nil outside of the bytes read.
  func frame(at offset: Int64) -> Double? {
    guard let first = offsets.last(upTo: offsets.first), (first.offset...furthestEnd).contains(offset) else {
      return nil
    }
    return offsets.frame(at: offset, end: .init(frame: table.framesSeen, offset: furthestEnd))
  }
}

extension MP3Decoder {
  /// The frames read since the last jump; without a jump, those from the first one on.
  var present: KnownFrames { KnownFrames(table: table, offsets: offsets, furthestEnd: furthestEnd) }

  /// The frames read in order from the first one on, not those after a jump.
  var known: KnownFrames { beginning ?? present }

  var extent: MediaExtent? {
    guard let stored = reader.source.stored else { return nil }
    if landing == nil { knownEstimate = nil }
    let size = reader.source.size
    let (known, present) = (known, present)
    let length = frameCount.value.map { Double($0) / Double(format.sampleRate) }
    let start = known.offsets.last(upTo: 0)?.offset ?? 0
    func seconds(_ offset: Int64) -> Double {
      if offset <= start { return 0 }
      if let size, offset >= size, let length { return length }
      let frame = known.frame(at: offset) ?? present.frame(at: offset) ?? estimate.frameNumber(at: offset)
      return min(table.seconds(ofFrame: frame), length ?? .infinity)
    }
    let loaded = stored.map { seconds($0.lowerBound)..<max(seconds($0.lowerBound), seconds($0.upperBound)) }
    return MediaExtent(longest: loaded, isSeekable: reader.source.isSeekable)
  }

  func setReadAhead(_ readAhead: MediaReadAhead) {
    reader.source.setReadAhead(readAhead.byteCount(bytesPerSecond: bytesPerSecond))
  }
}
