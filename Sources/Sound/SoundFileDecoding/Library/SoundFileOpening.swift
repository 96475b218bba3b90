import AudioCore

/// Opens the file in a source with libsndfile, again each time that missing bytes have arrived. Used by one
/// thread at a time.
struct SoundFileOpening {
  /// The minimum number of bytes that must be available at a gap before the file is opened again.
  private static let step: Int64 = 64 * 1024

  let source: any ByteSource
  let kind: SoundFileKind
  let base: Int64
  /// The offset in the source of the first byte that the last attempt lacked.
  private(set) var missing: Int64?
  /// The bytes that the last attempt read from the file's beginning on.
  private var beginning: [UInt8] = []

  init(_ source: any ByteSource, kind: SoundFileKind, base: Int64) {
    self.source = source
    self.kind = kind
    self.base = base
  }

  /// Creates a new opening of `file`. `missing` is the offset in the source of the byte that the file lacked; nil if it
  /// lacked none.
  init(_ file: SoundFile, kind: SoundFileKind, missing: Int64? = nil) {
    self.init(file.bytes.source, kind: kind, base: file.bytes.base)
    beginning = file.bytes.beginning
    self.missing = missing
  }

  /// Returns the file at its beginning; nil while bytes are missing. Throws `.unsupported` without the library,
  /// `.notRecognized` if it refuses the file, and the source's errors.
  mutating func proceed() throws(DecodingError) -> SoundFile? {
    let library = try SoundFileLibrary.load(for: kind)
    // Each attempt reads the headers again: the larger they are, the more bytes must have arrived since the last.
    let step = max(Self.step, Int64(beginning.count / 8))
    if let missing, try !source.has(step, from: missing) { return nil }
    let bytes = VirtualFile(source, base: base, beginning: beginning)
    bytes.keepsBeginning = !source.supply(from: base).isComplete
    if !source.isSeekable {
      // Without `skipsGaps`, the chunks after the audio would delay the start until the file is complete.
      let beginning = try beginning.isEmpty ? source.peek(32, at: base) ?? [] : Array(beginning.prefix(32))
      // ALAC cannot be decoded without the packet table, which may follow the audio.
      bytes.skipsGaps = !(kind == .caf && beginning.dropFirst(28).starts(with: "alac".utf8))
      if kind == .ogg { bytes.substitute = OggEnd.page(after: beginning) ?? [] }
    }
    let handle = SoundFileHandle(library, bytes)
    if let failure = bytes.failure { throw failure }
    if let gap = bytes.missing {
      missing = gap
      beginning = bytes.beginning
      bytes.fill(gap)
      // The read that found the gap has requested the callback.
      return nil
    }
    guard let handle else {
      guard bytes.hasSkipped else { throw refusal(library.refusal) }
      // The bytes that have not arrived may be those of the headers.
      missing = bytes.end
      beginning = bytes.beginning
      // They may be further ahead than the source fetches.
      source.want(from: bytes.end)
      return nil
    }
    bytes.skipsGaps = false
    bytes.keepsBeginning = false
    source.want(from: bytes.offset)
    return try SoundFile(handle, kind: kind)
  }

  private func refusal(_ reason: String) -> DecodingError {
    DecodingError(
      reason: .notRecognized, message: "This \(kind.name) file cannot be decoded: \(reason)")
  }
}

extension ByteSource {
  /// Returns whether `count` bytes from `offset` on are available, or all to the end, or as many as the source
  /// fetches in advance. If not, the source's callback follows.
  func has(_ count: Int64, from offset: Int64) throws(DecodingError) -> Bool {
    while true {
      let there = supply(from: offset)
      if there.isComplete || there.isFull || there.byteCount >= count { return true }
      // The read of the first missing byte requests the callback, unless the byte has arrived meanwhile.
      guard let byte = try peek(1, at: offset + there.byteCount) else { return false }
      if byte.isEmpty { return true }
    }
  }
}
