package import AudioCore

/// Reads a file's ReplayGain values from its tags or, if they have none, from the Info frame written by LAME.
/// ID3v2 tags take precedence over APEv2 tags for each value. The data is untrusted: a value that is
/// truncated, not a number or outside the ranges of `ReplayGain.Level` counts as missing.
package struct ReplayGainTags {
  /// The maximum size of an APEv2 tag, in bytes.
  private static let tagLimit = 1 << 20
  /// The size in bytes of an APEv2 tag's header or footer.
  private static let footerSize: Int64 = 32

  private static let ranges = [
    "TRACK_GAIN": ReplayGain.Level.gains, "TRACK_PEAK": ReplayGain.Level.peaks,
    "ALBUM_GAIN": ReplayGain.Level.gains, "ALBUM_PEAK": ReplayGain.Level.peaks,
  ]

  /// The difference between the reference levels of ReplayGain (-18 LUFS) and R128 (-23 LUFS), in decibels.
  private static let r128Offset = 5.0

  /// The values found, keyed by the upper-case name without `REPLAYGAIN_`.
  private var values: [String: Double] = [:]
  private var ignored: [String] = []

  /// Returns the levels of a file whose first audible frame begins at `audioStart`. Blocks on the file.
  static func read(_ source: any ByteSource, audioStart: Int64) throws(DecodingError) -> ReplayGain {
    var tags = ReplayGainTags()
    try tags.addID3(source)
    try tags.addAPE(source)
    var gain = tags.levels
    if gain == ReplayGain(), let (frame, _) = try XingFrame.find(in: source, before: audioStart) {
      gain = level(encoder: frame.encoder)
    }
    gain.ignored = tags.ignored
    return gain
  }

  /// Returns the levels in user-defined fields: those of ReplayGain and, where missing, those of R128, which
  /// Opus files store in units of 1/256 dB.
  package static func levels(of tag: MediaTag) -> ReplayGain {
    var tags = ReplayGainTags()
    for field in tag.fields {
      if let name = field.info, case .text(let text) = field.value { tags.add(name, text) }
    }
    for field in tag.fields {
      guard let name = field.info?.uppercased(), case .text(let text) = field.value,
        name == "R128_TRACK_GAIN" || name == "R128_ALBUM_GAIN", let value = Int(text)
      else { continue }
      tags.add("REPLAYGAIN_\(name.dropFirst(5))", "\(Double(value) / 256 + r128Offset)")
    }
    var gain = tags.levels
    gain.ignored = tags.ignored
    return gain
  }

  /// Returns the bytes at `offset`; fewer at the end, and none if they are not available yet.
  private static func peek(
    _ source: any ByteSource, _ count: Int, at offset: Int64
  ) throws(DecodingError) -> [UInt8] {
    try source.peek(count, at: offset) ?? []
  }

  private var levels: ReplayGain { ReplayGain(track: level("TRACK"), album: level("ALBUM")) }

  private func level(_ kind: String) -> ReplayGain.Level? {
    values["\(kind)_GAIN"].map { ReplayGain.Level(gain: $0, peak: values["\(kind)_PEAK"]) }
  }

  /// Records the value of a ReplayGain field unless an earlier field gave one; ignores other fields. The name is
  /// not case-sensitive.
  private mutating func add(_ name: String, _ text: String) {
    let (name, prefix) = (name.uppercased(), "REPLAYGAIN_")
    guard name.hasPrefix(prefix) else { return }
    let key = String(name.dropFirst(prefix.count))
    guard let range = Self.ranges[key], values[key] == nil else { return }
    // The text has a unit, as in "-7.03 dB".
    let number = text.drop { $0 == " " }.prefix { "+-.0123456789".contains($0) }
    guard let value = Double(number) else { return }
    if range.contains(value) {
      values[key] = value
    } else if value != 0 {
      // A peak of 0 comes from silence.
      ignored.append("\(name) \(number.prefix(20))")
    }
  }

  private mutating func addID3(_ source: any ByteSource) throws(DecodingError) {
    for frame in ID3Frames.read(try ID3Frames.tag(of: source, at: 0) ?? []).frames where frame.id == "TXXX" {
      guard var text = ID3TextReader(frame.content), let name = text.next() else { continue }
      if let value = text.next() { add(name, value) }
    }
  }

  /// Adds the values of the APEv2 tag at the end, or before an ID3v1 tag at the end.
  private mutating func addAPE(_ source: any ByteSource) throws(DecodingError) {
    guard let size = source.size else { return }
    for end in [size, size - 128] where end >= Self.footerSize {
      let footer = try Self.peek(source, Int(Self.footerSize), at: end - Self.footerSize)
      guard footer.count == Self.footerSize, footer.starts(with: Array("APETAGEX".utf8)) else { continue }
      let length = Int(Self.number(footer[12..<16]))
      guard length <= Self.tagLimit, Int64(length) <= end, length >= Self.footerSize else { return }
      let tag = try Self.peek(source, length - Int(Self.footerSize), at: end - Int64(length))
      return addItems(tag[...], count: Int(Self.number(footer[16..<20])))
    }
  }

  private mutating func addItems(_ tag: ArraySlice<UInt8>, count: Int) {
    var rest = tag
    for _ in 0..<count {
      // An item consists of the value's length, flags, the name, a zero and the value.
      guard rest.count > 8 else { return }
      let length = Int(Self.number(rest.prefix(4)))
      let name = rest.dropFirst(8).prefix { $0 != 0 }
      rest = rest.dropFirst(8 + name.count + 1)
      guard length <= rest.count else { return }
      let value = rest.prefix(min(length, 64))
      add(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
      rest = rest.dropFirst(length)
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  // MARK: LAME's fields

  /// Returns the levels in LAME's fields: encoder (9 bytes), two unused bytes, peak, track gain, album gain.
  private static func level(encoder bytes: ArraySlice<UInt8>) -> ReplayGain {
    guard bytes.count >= 19 else { return ReplayGain() }
    let fields = Array(bytes.prefix(19))
    // The unit is 1/2^23 of full scale.
    let peak = fields[11..<15].reduce(0) { $0 * 256 + Double($1) } / 0x1p23
    var gain = ReplayGain()
    for place in [15, 17] {
      let field = Int(fields[place]) << 8 | Int(fields[place + 1])
      // An origin (bits 10 to 12) of 0 means that the value is not set. A gain of 0 counts as not set, too.
      guard field >> 10 & 7 != 0, field & 0x1FF != 0 else { continue }
      let tenths = (field & 0x1FF) * (field & 0x200 == 0 ? 1 : -1) + (isOldLAME(fields[..<9]) ? 60 : 0)
      let isPeak = ReplayGain.Level.peaks.contains(peak)
      let level = ReplayGain.Level(gain: Double(tenths) / 10, peak: isPeak ? peak : nil)
      switch field >> 13 {
      case 1: gain.track = level
      case 2: gain.album = level
      default: break
      }
    }
    return gain
  }

  /// Returns whether the encoder is LAME before 3.95, whose reference level is 83 dB instead of 89 dB.
  private static func isOldLAME(_ name: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: name, as: UTF8.self)
    // "LAME3.100" is newer than "LAME3.94b".
    let numbers = text.dropFirst(4).split(separator: ".").map { Int($0.prefix { $0.isASCII && $0.isNumber }) }
    guard text.hasPrefix("LAME"), numbers.count >= 2, let major = numbers[0], let minor = numbers[1] else {
      return false
    }
    return (major, minor) < (3, 95)
  }
}
