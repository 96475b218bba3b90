import AudioCore

/// A growing WAV file: a header, samples, and updates of the header with the actual length.
struct WAVFile: ~Copyable {
  /// The number of bytes between header updates. After a crash, the length in the header is short by at most
  /// this number and one write.
  private static let headerInterval: UInt64 = 16 << 20

  private let path: [UInt8]
  private var file: OutputFile?
  private var format: PCMFormat?
  private var dataBytes: UInt64 = 0
  private var settledBytes: UInt64 = 0
  private var isFinished = false
  /// The part of the header that is not written yet.
  private var header: [UInt8] = []

  init(path: [UInt8]) { self.path = path }

  /// Opens the file for `format` if it is not open yet. Throws if it is open with another format. Returns false for a
  /// pipe that has no reader or no room for the header.
  mutating func open(for format: PCMFormat) throws(OutputError) -> Bool {
    if let present = self.format {
      guard present == format else {
        throw OutputError(
          "\(String(decoding: path, as: UTF8.self)) has \(present.sampleRate) Hz and \(present.channelCount) channels, "
            + "not \(format.sampleRate) Hz and \(format.channelCount)", isRecoverable: false)
      }
      try removeTornFrame(format)
      return true
    }
    guard let opened = try OutputFile.open(path: path) else { return false }
    header = WAVHeader(format: format, dataBytes: opened.isRewritable ? 0 : nil).bytes
    file = consume opened
    self.format = format
    return try writeHeader()
  }

  /// Removes the frame that an earlier stream could not write as a whole, because the disk was full.
  private mutating func removeTornFrame(_ format: PCMFormat) throws(OutputError) {
    let torn = dataBytes % UInt64(format.bytesPerFrame)
    guard torn > 0, file?.isRewritable == true else { return }
    try file?.removeLast(torn)
    dataBytes -= torn
  }

  private mutating func writeHeader() throws(OutputError) -> Bool {
    guard !header.isEmpty else { return true }
    let count = try header.withUnsafeBufferPointer { bytes throws(OutputError) in
      try file?.write(UnsafeRawBufferPointer(bytes)) ?? 0
    }
    header.removeFirst(count)
    return header.isEmpty
  }

  /// Appends samples. Returns the number of bytes written: fewer than given, or 0, if a pipe is full or an error
  /// follows; 0 after `finish`.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(OutputError) -> Int {
    guard !isFinished, try writeHeader() else { return 0 }
    // Before the bytes, because an error after them would hide that they were written.
    if dataBytes >= settledBytes + Self.headerInterval { try settle() }
    let count = try file?.write(bytes) ?? 0
    dataBytes += UInt64(count)
    return count
  }

  /// Writes the final length into the header. Later samples are refused, as by a full pipe. An error is
  /// ignored, because all samples are already in the file.
  mutating func finish() {
    isFinished = true
    try? settle()
  }

  mutating func settle() throws(OutputError) {
    guard let format, settledBytes != dataBytes else { return }
    try file?.rewrite(WAVHeader(format: format, dataBytes: dataBytes).bytes)
    settledBytes = dataBytes
  }
}
