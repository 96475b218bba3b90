import AudioCore

/// Frames of silence that bring a decoder that knows nothing into the state in which linear decoding comes to a frame.
///
/// Two things are missing of that state where decoding begins in the middle of a file:
/// - The ring of 16 of the filter bank stands at 0. Where it stands otherwise in linear decoding, sums are taken in
///   another order, and the last bit of a sample differs. Each frame of silence turns it by 18.
/// - The bit reservoir is empty: bytes of the main data of the frames before. In MPEG 1 a frame without it sounds like
///   silence, which is over after some frames. In MPEG 2 and 2.5 libmpg123 drops such a frame unseen by the filter bank, so
///   that the ring stands elsewhere from there on. Here the last frame of silence has those bytes at its end.
struct DecodingPrelude {
  /// Slots (of 32 samples) of a frame of silence.
  static let slots: Int64 = 18
  /// Bytes that a frame of MPEG 2 or 2.5 may refer to in the frames before it.
  static let reservoirLimit = 255

  /// The main data of the frames that were gathered, the last of it.
  private var mainData: [UInt8] = []

  /// Adds the main data of a frame of 576 samples, which comes right before the next.
  mutating func gather(_ frame: MPG123Handle.FrameData) {
    mainData += frame.body.dropFirst(DecodingPrelude.sideInfo(of: frame.header))
    mainData.removeFirst(max(0, mainData.count - DecodingPrelude.reservoirLimit))
  }

  /// Forgets what was gathered.
  mutating func removeAll() { mainData.removeAll(keepingCapacity: true) }

  /// The frames to be decoded before one with this header and rate, at which the ring stands at `phase` in linear decoding.
  func frames(before header: UInt32, sampleRate: Int, phase: Int64) -> (frames: [UInt8], count: Int) {
    // Layer III of MPEG 2, or 2.5, without a sum, at 160 kbit/s, without padding; the channels stay as they are.
    let isMPEG1 = header & 0x18_0000 == 0x18_0000
    let version = isMPEG1 ? 0x10_0000 : header & 0x18_0000
    let silence = header & 0xFFE0_0CCF | version | 0x2_0000 | 0x1_0000 | 0xE000
    let length = 160_000 * 72 / (isMPEG1 ? sampleRate / 2 : sampleRate)
    // 18 is 2 more than 16. At least one, which has the reservoir.
    let count = Int((phase / 2 + 7) % 8) + 1
    var frame = (0..<4).reversed().map { UInt8(truncatingIfNeeded: silence >> (8 * $0)) }
    frame += [UInt8](repeating: 0, count: length - frame.count)
    var frames = [UInt8]()
    for _ in 1..<count { frames += frame }
    frames += frame.dropLast(mainData.count) + mainData
    return (frames, count)
  }

  /// Bytes of a frame's body before its main data: what tells how it is coded, and the sum.
  private static func sideInfo(of header: UInt32) -> Int {
    (header & 0xC0 == 0xC0 ? 9 : 17) + (header & 0x1_0000 == 0 ? 2 : 0)
  }
}
