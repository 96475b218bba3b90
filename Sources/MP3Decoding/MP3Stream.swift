import AudioCore

/// An opened file: a libmpg123 handle that has found the first frame, and what that says.
struct MP3Stream: ~Copyable {
  let handle: MPG123Handle
  let format: PCMFormat
  let header: FrameHeader
  /// Frames that the Info frame announces, if there is one and the file can have so many.
  let announcedFrames: Int64?

  /// Finds the first frame. `reader` must outlive the stream; a tag of `tagSize` bytes may be read on the way.
  static func open(
    _ reader: SourceReader, for purpose: MPG123Handle.Purpose, tagSize: Int = 0
  ) throws(DecodingError) -> MP3Stream {
    try Recognition.refuseOtherFormats(reader)
    reader.budget = MP3Decoder.searchBudget + tagSize
    let handle = try MPG123Handle.open(reader, for: purpose)
    guard let format = try handle.readFormat(), handle.header().samplesPerFrame > 0 else {
      throw reader.failure
        ?? DecodingError(reason: .notRecognized, message: "There is no MPEG audio in this file.")
    }
    let header = handle.header()
    // 24 bytes is the shortest frame there is.
    let announced = handle.announcedFrameCount(fileSize: reader.size)
    let most = reader.size.map { $0 / 24 + 1 } ?? .max
    let plausible = announced.flatMap { $0 <= most ? $0 : nil }
    return MP3Stream(handle: handle, format: format, header: header, announcedFrames: plausible)
  }

  /// A table that knows what the Info frame says.
  func frameTable() -> MPEGFrameTable {
    MPEGFrameTable(
      format: format, samplesPerFrame: header.samplesPerFrame, announcedFrames: announcedFrames,
      delays: handle.delays())
  }

  /// Mean bits per second, by the size of the audio; those of the first frame where they are constant, or the length is not
  /// known exactly.
  func bitRate(of table: MPEGFrameTable, audioSize: Int64?) -> Int {
    var byteCount = header.meanByteCount
    var sampleCount = Int64(max(header.samplesPerFrame, 1))
    if header.vbr != 0, let audioSize, let count = table.announcedLength, count > 0 {
      (byteCount, sampleCount) = (Double(audioSize), count)
    }
    return Int(min(byteCount * 8 * Double(header.sampleRate) / Double(sampleCount), 1e12).rounded())
  }

  /// The handle alone.
  consuming func takeHandle() -> MPG123Handle { handle }
}
