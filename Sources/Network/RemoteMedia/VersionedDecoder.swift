import AudioCore

/// Decodes a medium across its versions: the old version up to its last complete stored frame, then the
/// server's new version at the same media time. Used by one thread at a time.
final class VersionedDecoder: AudioDecoder {
  struct Version {
    var opening: MediaOpening
    /// Starts to open the version that has replaced this one; nil if none has.
    var successor: () -> Version?
  }

  private var decoder: any AudioDecoder
  private var successor: () -> Version?
  /// The version to enter next, once it exists.
  private var next: Version?
  /// The decoder of the next version, once it is open.
  private var opened: (any AudioDecoder)?
  private let onEntry: () -> Void
  private var outputFormat: PCMFormat
  /// The frame that the last seek or version change has reached, and the number of output frames read since.
  private var origin: Int64 = 0
  private var readFrames: Int64 = 0
  let format: PCMFormat

  init(_ decoder: any AudioDecoder, successor: @escaping () -> Version?, onEntry: @escaping () -> Void) {
    self.decoder = decoder
    self.successor = successor
    self.onEntry = onEntry
    format = decoder.format
    outputFormat = decoder.format
  }

  var frameCount: FrameCount {
    switch decoder.frameCount {
    case .exact(let count): .exact(own(count))
    case .estimate(let count): .estimate(own(count))
    case .unknown: .unknown
    }
  }

  var inner: (any AudioDecoder)? { decoder }
  var supply: MediaSupply { next == nil ? decoder.supply : MediaSupply(seconds: 0, isComplete: false) }

  func setOutputFormat(_ format: PCMFormat) throws(DecodingError) {
    outputFormat = format
    try decoder.setOutputFormat(format)
  }

  func seek(toFrame frame: Int64, isExact: Bool) throws(DecodingError) -> Int64? {
    if next == nil { next = successor() }
    if next != nil {
      // After a seek, no more of the old version is needed.
      guard try enter(at: frame, exactly: false) else { return nil }
      return origin
    }
    let wanted = frame.scaled(by: decoder.format.sampleRate, over: format.sampleRate)
    guard let reached = try decoder.seek(toFrame: wanted, isExact: isExact) else { return nil }
    origin = own(reached)
    readFrames = 0
    return origin
  }

  func read(into buffer: UnsafeMutableBufferPointer<Float>) throws(DecodingError) -> DecoderRead {
    while true {
      if next != nil, try !enter(at: place, exactly: true) { return .waiting }
      let read = try decoder.read(into: buffer)
      if case .frames(let count) = read { readFrames += Int64(count) }
      guard case .end = read else { return read }
      next = successor()
      if next == nil { return read }
    }
  }

  /// The number of the next frame to read.
  private var place: Int64 {
    origin + readFrames.scaled(by: format.sampleRate, over: outputFormat.sampleRate)
  }

  /// Switches to the next version at `frame`. Returns false while bytes are missing.
  private func enter(at frame: Int64, exactly isExact: Bool) throws(DecodingError) -> Bool {
    if opened == nil {
      guard let new = try openNext() else { return false }
      try new.setOutputFormat(outputFormat)
      opened = new
    }
    guard let new = opened else { return false }
    let wanted = frame.scaled(by: new.format.sampleRate, over: format.sampleRate)
    guard let reached = try new.seek(toFrame: wanted, isExact: isExact) else { return false }
    if isExact, reached < wanted {
      throw DecodingError(
        reason: .network(code: -1005), message: "the server has another version of it now, which ends before")
    }
    decoder = new
    if let next { successor = next.successor }
    next = nil
    opened = nil
    origin = isExact ? frame : own(reached)
    readFrames = 0
    onEntry()
    return true
  }

  private func openNext() throws(DecodingError) -> (any AudioDecoder)? {
    do throws(DecodingError) {
      return try next?.opening.proceed()
    } catch {
      guard error.reason == .notRecognized else { throw error }
      throw DecodingError(
        reason: .network(code: -1005),
        message: "the server has another version of it now, which is no audio")
    }
  }

  private func own(_ frame: Int64) -> Int64 {
    frame.scaled(by: format.sampleRate, over: decoder.format.sampleRate)
  }
}

extension Int64 {
  /// Returns this frame number at another sample rate, multiplied by `factor` / `divisor` and rounded down,
  /// without overflow.
  func scaled(by factor: Int, over divisor: Int) -> Int64 {
    guard factor != divisor else { return self }
    let (whole, rest) = quotientAndRemainder(dividingBy: Int64(divisor))
    return whole * Int64(factor) + rest * Int64(factor) / Int64(divisor)
  }
}
