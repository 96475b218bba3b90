import AudioCore

/// Frames of silence that bring a new decoder into the state of linear decoding at a given frame.
///
/// When decoding begins in the middle of a file, two parts of that state are missing:
/// - The position in the filter bank's ring of 16 slots is 0. At another position sums are computed in
///   another order, and the last bit of a sample differs. Each frame of silence advances the position by 18.
/// - The bit reservoir (main data of preceding frames) is empty. In MPEG 1 a frame without it decodes to
///   silence, which lasts for some frames. In MPEG 2 and 2.5 libmpg123 drops such a frame before the filter
///   bank, so that the ring position is wrong from there on. For this reason, the last frame of silence ends
///   with the missing main data.
struct DecodingPrelude {
  /// The maximum number of bytes to which a frame of MPEG 2 or 2.5 refers in preceding frames.
  static let reservoirLimit = 255

  /// The end of the main data of the collected frames, at most `reservoirLimit` bytes.
  private var mainData: [UInt8] = []

  /// Appends the main data of a frame of 576 samples. The frames must follow one another without a gap.
  mutating func gather(_ frame: MPG123Handle.FrameData) {
    mainData += frame.body.dropFirst(DecodingPrelude.sideInfo(of: frame.header))
    mainData.removeFirst(max(0, mainData.count - DecodingPrelude.reservoirLimit))
  }

  mutating func removeAll() { mainData.removeAll(keepingCapacity: true) }

  /// Returns the frames to decode before one with this header, rate and ring position in linear decoding.
  func frames(before header: UInt32, sampleRate: Int, phase: Int64) -> (frames: [UInt8], count: Int) {
    // Layer III of MPEG 2 or 2.5, without CRC, at 160 kbit/s, without padding; the channel mode is unchanged.
    let isMPEG1 = header & 0x18_0000 == 0x18_0000
    let version = isMPEG1 ? 0x10_0000 : header & 0x18_0000
    let silence = header & 0xFFE0_0CCF | version | 0x2_0000 | 0x1_0000 | 0xE000
    let length = 160_000 * 72 / (isMPEG1 ? sampleRate / 2 : sampleRate)
    // Each frame of 18 slots advances the ring of 16 by 2. The reservoir needs at least one frame.
    let count = Int((phase / 2 + 7) % 8) + 1
    var frame = (0..<4).reversed().map { UInt8(truncatingIfNeeded: silence >> (8 * $0)) }
    frame += [UInt8](repeating: 0, count: length - frame.count)
    var frames = [UInt8]()
    for _ in 1..<count { frames += frame }
    frames += frame.dropLast(mainData.count) + mainData
    return (frames, count)
  }

  /// Returns the number of bytes of side information and CRC, which precede the main data in the body of an
  /// MPEG 2 or 2.5 frame.
  private static func sideInfo(of header: UInt32) -> Int {
    (header & 0xC0 == 0xC0 ? 9 : 17) + (header & 0x1_0000 == 0 ? 2 : 0)
  }
}
