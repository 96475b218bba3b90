/// Where the frames probably begin that were not read yet. A pure value.
struct FrameEstimate {
  /// Frames that must have been equal before those that follow are taken to be, where no Info frame says so.
  static let enough: Int64 = 32

  /// Bytes by which a frame may begin elsewhere than the mean says: encoders fill up frames by a byte when they choose.
  private static let padding = 3.0

  /// Where the first frame begins.
  private let audioStart: Int64
  /// Bytes of a frame: of every one, where all are equal, else a mean.
  private let bytesPerFrame: Double
  /// Whether all frames have the same bit rate: then each begins where it is said to.
  let isConstant: Bool
  private let table: XingTable?
  private let announcedFrames: Int64?

  /// - Parameters:
  ///   - header: of the first frame.
  ///   - offsets: of frames that were read from there on, up to `framesSeen`.
  ///   - mean: bytes of a frame, as far as they were seen.
  ///   - table: of the file's Xing frame, if it has one.
  init(
    audioStart: Int64, header: FrameHeader, announcedFrames: Int64?, offsets: FrameOffsets,
    framesSeen: Int64, mean: Double, table: XingTable?
  ) {
    self.audioStart = audioStart
    self.announcedFrames = announcedFrames
    self.table = table
    let told = announcedFrames.flatMap { frames in
      table.map { Double($0.start + $0.byteCount - audioStart) / Double(frames) }
    }
    // With padding, or never padded.
    let equal = [header.meanByteCount, header.meanByteCount.rounded(.down)].first { size in
      offsets.isEven(from: audioStart, size: size, tolerance: Self.padding)
        && (told.map { abs($0 - size) < 0.02 } ?? true)
    }
    let isTold = announcedFrames != nil || framesSeen >= Self.enough
    isConstant = header.bitrate > 0 && header.vbr == 0 && isTold && equal != nil
    bytesPerFrame = isConstant ? equal ?? mean : told ?? mean
  }

  /// Where to look for a frame: in front of it where that is certain.
  func offset(ofFrame frame: Int64) -> Int64 {
    if !isConstant, let table, let announcedFrames {
      return max(audioStart, table.offset(ofPart: Double(frame) / Double(announcedFrames)))
    }
    let offset = Double(audioStart) + Double(frame) * bytesPerFrame
    return max(audioStart, Int64(isConstant ? offset - bytesPerFrame / 2 : offset))
  }

  /// The number of the frame at `offset`, with a fraction.
  func frameNumber(at offset: Int64) -> Double {
    if !isConstant, let table, let announcedFrames {
      return table.part(ofOffset: offset) * Double(announcedFrames)
    }
    return max(0, Double(offset - audioStart) / bytesPerFrame)
  }

  /// The number of the frame that begins at `offset`, and whether that is certain.
  func frame(at offset: Int64) -> (number: Int64, isCertain: Bool) {
    let exact = frameNumber(at: offset)
    let number = exact.rounded()
    return (Int64(number), isConstant && abs(exact - number) * bytesPerFrame <= Self.padding)
  }
}
