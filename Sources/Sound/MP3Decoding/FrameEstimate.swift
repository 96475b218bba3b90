/// Estimates the positions of frames that were not read yet. A pure value.
struct FrameEstimate {
  /// The number of equal frames after which all count as equal, if no Info frame announces a frame count.
  static let enough: Int64 = 32

  /// The tolerated deviation of a frame from its calculated position, in bytes, because encoders choose when to
  /// pad a frame by a byte.
  private static let padding = 3.0

  private let audioStart: Int64
  /// The frame size in bytes, possibly fractional: by the first header if `isConstant`, otherwise a mean.
  private let bytesPerFrame: Double
  /// Whether all frames count as equal, as those read so far are. Estimated positions are then exact except
  /// for padding.
  let isConstant: Bool
  private let table: XingTable?
  private let announcedFrames: Int64?

  /// Creates an estimate from the frames read so far.
  ///
  /// - Parameters:
  ///   - audioStart: the offset of the first frame.
  ///   - header: the header of the first frame.
  ///   - announcedFrames: the Info frame's frame count; nil if none.
  ///   - offsets: the stored offsets of the frames read so far.
  ///   - framesSeen: the number of frames read so far.
  ///   - mean: a mean frame size, in bytes, used if the frames are neither equal nor announced with a table.
  ///   - table: the table in the file's Xing frame; nil if none.
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
    // The candidates are the frame size with mean padding and the size without padding.
    let equal = [header.meanByteCount, header.meanByteCount.rounded(.down)].first { size in
      offsets.isEven(from: audioStart, size: size, tolerance: Self.padding)
        && (told.map { abs($0 - size) < 0.02 } ?? true)
    }
    let isTold = announcedFrames != nil || framesSeen >= Self.enough
    isConstant = header.bitrate > 0 && header.vbr == 0 && isTold && equal != nil
    bytesPerFrame = isConstant ? equal ?? mean : told ?? mean
  }

  /// Returns the offset at which to search for a frame, at least `audioStart`. The offset is half a frame before
  /// the frame's position if `isConstant`, otherwise the estimated position.
  func offset(ofFrame frame: Int64) -> Int64 {
    if !isConstant, let table, let announcedFrames {
      return max(audioStart, table.offset(ofPart: Double(frame) / Double(announcedFrames)))
    }
    let offset = Double(audioStart) + Double(frame) * bytesPerFrame
    return max(audioStart, Int64(isConstant ? offset - bytesPerFrame / 2 : offset))
  }

  /// Returns the fractional number of the frame at `offset`.
  func frameNumber(at offset: Int64) -> Double {
    if !isConstant, let table, let announcedFrames {
      return table.part(ofOffset: offset) * Double(announcedFrames)
    }
    return max(0, Double(offset - audioStart) / bytesPerFrame)
  }

  /// Returns the number of the frame that begins at `offset`, and whether the number is certain.
  func frame(at offset: Int64) -> (number: Int64, isCertain: Bool) {
    let exact = frameNumber(at: offset)
    let number = exact.rounded()
    return (Int64(number), isConstant && abs(exact - number) * bytesPerFrame <= Self.padding)
  }
}
