import AudioCore

/// Frames on their way to a file, collected for one large write.
struct WAVBlock {
  /// 16 384 stereo frames are 128 KiB, a third of a second at 48 kHz. Smaller writes cost system calls, larger ones
  /// cache.
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

  /// Frames that are not, or not all, in the file.
  var frames: Int { filledFrames - writtenBytes / bytesPerFrame }
  var roomFrames: Int { Self.capacityFrames - filledFrames }
  var isFull: Bool { filledFrames == Self.capacityFrames }
  var isEmpty: Bool { filledFrames == 0 }
  /// Whether a write has begun and is not finished.
  var isTorn: Bool { writtenBytes > 0 }

  /// Lets `render` write into the room there is, and applies `gain` to what it wrote. Returns how many frames that is.
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

  /// Writes what there is, as far as the file takes it.
  mutating func write(to file: inout WAVFile) throws(OutputError) {
    let end = filledFrames * bytesPerFrame
    // Also when the file takes no more: what it took is written.
    defer {
      if writtenBytes == end {
        filledFrames = 0
        writtenBytes = 0
      }
    }
    try samples.withUnsafeBufferPointer { samples throws(OutputError) in
      let bytes = UnsafeRawBufferPointer(samples)
      while writtenBytes < end {
        let count = try file.append(UnsafeRawBufferPointer(rebasing: bytes[writtenBytes..<end]))
        if count == 0 { break }
        writtenBytes += count
      }
    }
  }

  /// Forgets the frames of which nothing was written yet; a frame that is half in the file stays to be finished.
  /// Returns how many were dropped.
  mutating func drop() -> Int {
    let kept = (writtenBytes + bytesPerFrame - 1) / bytesPerFrame
    let dropped = filledFrames - kept
    filledFrames = kept
    if writtenBytes == kept * bytesPerFrame {
      filledFrames = 0
      writtenBytes = 0
    }
    return dropped
  }
}
