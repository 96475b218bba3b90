/// A short song that is silence, with what it says about itself.
package enum SongBytes {
  /// The bytes of an MP3 file.
  ///
  /// - Parameters:
  ///   - tags: ID3v2's names of text frames, such as `TPE1`, and their texts.
  ///   - frames: Each 1152 samples long, at 44.1 kHz.
  ///   - bitRate: 64, 128 or 256 kbit/s.
  package static func make(
    _ tags: KeyValuePairs<String, String> = [:], frames: Int = 20, bitRate: Int = 128
  ) -> [UInt8] {
    var content: [UInt8] = []
    for (name, text) in tags {
      // 3: UTF-8.
      let text = [3] + Array(text.utf8)
      content += Array(name.utf8) + size(text.count) + [0, 0] + text
    }
    let tag = content.isEmpty ? [] : Array("ID3".utf8) + [4, 0, 0] + size(content.count) + content
    // MPEG 1, layer III, 44.1 kHz.
    let head: [UInt8] = [0xFF, 0xFB, bitRate == 64 ? 0x50 : bitRate == 256 ? 0xD0 : 0x90, 0x00]
    let frame = head + [UInt8](repeating: 0, count: 144 * bitRate * 1000 / 44_100 - head.count)
    return tag + (0..<frames).flatMap { _ in frame }
  }

  /// Seven bits in each byte.
  private static func size(_ count: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(count >> $0 & 127) } }
}
