import AudioCore

/// A buffer that collects frames for one large write to a file.
struct WAVBlock {
  /// The capacity: 128 KiB of stereo, 1/3 s at 48 kHz. Smaller writes need more system calls; larger buffers
  /// take more of the processor's cache.
  private static let capacityFrames = 16_384

  private let bytesPerFrame: Int
  private let channelCount: Int
  private var samples: [Float]
  private var filledFrames = 0
  private var writtenBytes = 0

  init(format: PCMFormat) {
    bytesPerFrame = format.bytesPerFrame
    channelCount = format.channelCount
    samples = Array(repeating: 0, count: Self.capacityFrames * format.channelCount)
  }

  /// The number of frames not yet completely written to the file.
  var frames: Int { filledFrames - writtenBytes / bytesPerFrame }
  var roomFrames: Int { Self.capacityFrames - filledFrames }
  var isFull: Bool { filledFrames == Self.capacityFrames }
  var isEmpty: Bool { filledFrames == 0 }
  /// Whether a write was begun and not completed.
  var isTorn: Bool { writtenBytes > 0 }

  /// Calls `render` with the free part of the buffer and applies `gain`. Returns the number of new frames.
  mutating func fill(gain: Float, _ render: (UnsafeMutableBufferPointer<Float>) -> Int) -> Int {
    let start = filledFrames * channelCount
    let count = samples.withUnsafeMutableBufferPointer { samples in
      let room = UnsafeMutableBufferPointer(rebasing: samples[start...])
      let frames = render(room)
      precondition(
        frames >= 0 && frames * channelCount <= room.count,
        "render() wrote more frames than there was room for")
      if gain != 1 {
        for index in 0..<(frames * channelCount) { room[index] *= gain }
      }
      return frames
    }
    filledFrames += count
    return count
  }

  /// Writes the buffered frames, as many as the file accepts.
  mutating func write(to file: inout WAVFile) throws(OutputError) {
    let end = filledFrames * bytesPerFrame
    // Needed after an error as well, because bytes accepted before the error are written.
    defer { reuse() }
    try samples.withUnsafeBufferPointer { samples throws(OutputError) in
      let bytes = UnsafeRawBufferPointer(samples)
      while writtenBytes < end {
        let count = try file.append(UnsafeRawBufferPointer(rebasing: bytes[writtenBytes..<end]))
        if count == 0 { break }
        writtenBytes += count
      }
    }
  }

  /// Drops the frames of which no byte was written; a partly written frame stays. Returns the number of
  /// dropped frames.
  mutating func drop() -> Int {
    let kept = (writtenBytes + bytesPerFrame - 1) / bytesPerFrame
    let dropped = filledFrames - kept
    filledFrames = kept
    reuse()
    return dropped
  }

  /// Empties the block if all its frames are written.
  private mutating func reuse() {
    if writtenBytes == filledFrames * bytesPerFrame { (filledFrames, writtenBytes) = (0, 0) }
  }
}
