import AudioCore

// Seeks to positions far beyond the available bytes.
extension MP3Decoder {
  /// The distance in bytes up to which a seek waits for the transfer in progress, instead of requesting bytes
  /// at another offset.
  private static let patience: Int64 = 256 * 1024
  /// The number of frames between the target of a jump and the first frame that the seek needs, since the
  /// target is estimated.
  private static let margin: Int64 = 16

  /// Prepares a seek to `target`, which is clamped to the last frame of an incomplete source. If `target` is
  /// far beyond the available bytes, moves the reader shortly before it. After an earlier jump, returns to the
  /// frames known from the file's beginning if they contain `target`, or if the seek cannot continue after that
  /// jump. Returns false while bytes are missing.
  func jump(towards target: inout Int64, isExact: Bool) throws(DecodingError) -> Bool {
    guard
      beginning != nil || !isJumpless && !table.isComplete && reader.source.supply(from: furthestEnd) != .all
    else { return true }
    // The end of an incomplete source is not searched for, so the target is clamped to the last frame.
    if reader.source.isSeekable, beginning != nil || !table.isComplete, let length = frameCount.value,
      !reader.source.supply(from: (beginning?.furthestEnd ?? furthestEnd)).isComplete
    {
      target = min(target, max(0, length - 1))
    }
    if let known = beginning,
      known.table.place(of: target).frame < known.table.framesSeen || !reaches(target, isExact)
    {
      goBack(to: known)
    }
    if beginning == nil {
      guard let frame = try destination(of: target, isExact: isExact) else { return false }
      guard frame > table.framesSeen else { return true }
      beginning = present
      landing = (frame, target)
      isLooking = true
      pendingCount = 0
      isAtNext = false
      try reader.search(from: estimate.offset(ofFrame: frame))
    }
    return try land(for: target, isExact: isExact)
  }

  /// Returns whether a seek to `target` can continue with the frames after the current jump.
  private func reaches(_ target: Int64, _ isExact: Bool) -> Bool {
    if let landing { return landing.target == target }
    guard isCertain || !isExact, firstNeeded(for: target) >= offsets.first else { return false }
    let missing = table.place(of: target).frame - table.framesSeen
    guard missing >= 0, !table.isComplete else { return true }
    let there = reader.source.supply(from: furthestEnd).byteCount
    return Double(missing) * meanFrameSize <= Double(there) + Double(Self.patience)
  }

  private func goBack(to known: KnownFrames) {
    (table, offsets, furthestEnd) = (known.table, known.offsets, known.furthestEnd)
    beginning = nil
    landing = nil
    isCertain = true
    isAdrift = true
  }

  /// Returns the frame to jump to for a seek to `target`; 0 if a jump is impossible or saves no transfer. Returns
  /// nil while bytes are missing.
  private func destination(of target: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    guard reader.source.isSeekable, !isJumpless, header.bitrate > 0, !table.isComplete else { return 0 }
    let needed = firstNeeded(for: target) - Self.margin
    guard needed > table.framesSeen else { return 0 }
    let there = furthestEnd + reader.source.supply(from: furthestEnd).byteCount
    let ahead = Double(needed - table.framesSeen) * meanFrameSize
    guard Double(furthestEnd) + ahead > Double(there + Self.patience) else { return 0 }
    if table.announcedFrames == nil, table.framesSeen < FrameEstimate.enough {
      guard try walk(toFrame: FrameEstimate.enough) else { return nil }
    }
    knownEstimate = nil
    guard estimate.isConstant || !isExact, estimate.offset(ofFrame: needed) - there > Self.patience else {
      return 0
    }
    return needed
  }

  /// The cached estimate of frame positions, or a new one from the frames known so far.
  var estimate: FrameEstimate {
    if let knownEstimate { return knownEstimate }
    let known = known
    let estimate = FrameEstimate(
      audioStart: audioStart, header: header, announcedFrames: table.announcedFrames, offsets: known.offsets,
      framesSeen: known.table.framesSeen, mean: meanFrameSize,
      table: XingTable(reader.source, audioStart: audioStart))
    knownEstimate = estimate
    return estimate
  }

  /// Searches for the frame at which a jump aims. Returns false while bytes are missing.
  private func land(for target: Int64, isExact: Bool) throws(DecodingError) -> Bool {
    guard let aim = landing else { return true }
    let step = try reader.next()
    if case .waiting? = step { return false }
    let found = estimate.frame(at: reader.frame.start)
    isCertain = found.isCertain
    let number = isCertain ? found.number : aim.frame
    guard case .frame? = step, isCertain || !isExact, number <= firstNeeded(for: target) else {
      // No frame was found, or one after the needed one or, in an exact seek, one with an uncertain number. So all
      // frames are counted from the first one on.
      isJumpless = true
      if let beginning { goBack(to: beginning) }
      return true
    }
    landing = nil
    reader.setNumber(number)
    table.skip(to: number)
    offsets = FrameOffsets(first: number)
    furthestEnd = reader.frame.end
    try noticeFrame()
    return true
  }

  /// Returns the first frame to read for a seek to `position`.
  private func firstNeeded(for position: Int64) -> Int64 { start(for: position).decoding.firstNeeded }
}
