import AudioCore

/// Finds how loud a file is: in its tags, or else in the Info frame that LAME writes.
///
/// Tags of ID3v2 go before those of APEv2, figure by figure. Nothing is trusted: a figure that is cut off, no number, or out
/// of the ranges of `ReplayGain.Level` counts as missing.
struct ReplayGainTags {
  /// The largest APEv2 tag that is read.
  private static let tagLimit = 1 << 20
  /// A tag's header or footer in APEv2.
  private static let footerSize: Int64 = 32

  /// The fields that are read, and the range of each.
  private static let ranges = [
    "TRACK_GAIN": ReplayGain.Level.gains, "TRACK_PEAK": ReplayGain.Level.peaks,
    "ALBUM_GAIN": ReplayGain.Level.gains, "ALBUM_PEAK": ReplayGain.Level.peaks,
  ]

  private let source: any ByteSource
  /// What was found, by the upper-case name without `REPLAYGAIN_`.
  private var values: [String: Double] = [:]
  /// Figures out of range.
  private var ignored: [String] = []

  /// Reads the tags of a file whose first audible frame begins at `audioStart`. Blocks on the file.
  static func read(_ source: any ByteSource, audioStart: Int64) throws(DecodingError) -> ReplayGain {
    var tags = ReplayGainTags(source: source)
    try tags.addID3()
    try tags.addAPE()
    var gain = ReplayGain(track: tags.level("TRACK"), album: tags.level("ALBUM"))
    if gain == ReplayGain() { gain = try tags.infoFrame(before: audioStart) }
    gain.ignored = tags.ignored
    return gain
  }

  private init(source: any ByteSource) { self.source = source }

  /// The bytes there; fewer at the end, and none where they are missing yet.
  private func peek(_ count: Int, at offset: Int64) throws(DecodingError) -> [UInt8] {
    try source.peek(count, at: offset) ?? []
  }

  private func level(_ kind: String) -> ReplayGain.Level? {
    values["\(kind)_GAIN"].map { ReplayGain.Level(gain: $0, peak: values["\(kind)_PEAK"]) }
  }

  /// A tag's field, whose name may be in capitals or not; what was found before stays.
  private mutating func add(_ name: String, _ text: String) {
    let (name, prefix) = (name.uppercased(), "REPLAYGAIN_")
    guard name.hasPrefix(prefix) else { return }
    let key = String(name.dropFirst(prefix.count))
    guard let range = Self.ranges[key], values[key] == nil else { return }
    // As in "-7.03 dB".
    let number = text.drop { $0 == " " }.prefix { "+-.0123456789".contains($0) }
    guard let value = Double(number) else { return }
    if range.contains(value) {
      values[key] = value
    } else if value != 0 {
      // A peak of 0 is that of silence.
      ignored.append("\(name) \(number.prefix(20))")
    }
  }

  private mutating func addID3() throws(DecodingError) {
    let header = try peek(ID3Frames.headerSize, at: 0)
    guard let size = ID3Frames.size(of: header), size <= MetadataReader.tagLimit else { return }
    let tag = try peek(min(size, Int(source.size ?? Int64(size))), at: 0)
    for frame in ID3Frames.read(tag).frames where frame.id == "TXXX" {
      guard var text = ID3TextReader(frame.content), let name = text.next() else { continue }
      if let value = text.next() { add(name, value) }
    }
  }

  /// The tag at the end, before one of ID3v1 if there is one.
  private mutating func addAPE() throws(DecodingError) {
    guard let size = source.size else { return }
    for end in [size, size - 128] where end >= Self.footerSize {
      let footer = try peek(Int(Self.footerSize), at: end - Self.footerSize)
      guard footer.count == Self.footerSize, footer.starts(with: Array("APETAGEX".utf8)) else { continue }
      let length = Int(Self.number(footer[12..<16]))
      guard length <= Self.tagLimit, Int64(length) <= end, length >= Self.footerSize else { return }
      let tag = try peek(length - Int(Self.footerSize), at: end - Int64(length))
      return addItems(tag[...], count: Int(Self.number(footer[16..<20])))
    }
  }

  private mutating func addItems(_ tag: ArraySlice<UInt8>, count: Int) {
    var rest = tag
    for _ in 0..<count {
      // The value's length, flags, the name and a zero, the value.
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

  // MARK: The Info frame

  /// The longest frame.
  private static let longestFrame: Int64 = 2881
  /// What lies between the beginning of a frame and the mark in it: its header and what MPEG 1 or 2, stereo or mono have as
  /// side information.
  private static let markPlaces = [4 + 9, 4 + 17, 4 + 32]

  /// What the encoder has measured: the frame before `end`, if it is an Info frame.
  private func infoFrame(before end: Int64) throws(DecodingError) -> ReplayGain {
    let bytes = try peek(Int(min(end, Self.longestFrame)), at: end - min(end, Self.longestFrame))
    let marks = [Array("Xing".utf8), Array("Info".utf8)]
    let mark = bytes.indices.last { place in
      marks.contains { bytes[place...].starts(with: $0) }
        && Self.markPlaces.contains { $0 <= place && bytes[place - $0] == 0xFF }
    }
    guard let mark, bytes.count >= mark + 8 else { return ReplayGain() }
    // Flags say which of four fields there are: the numbers of frames and bytes, a table for seeking, the quality.
    let sizes = [4, 4, 100, 4].enumerated().map { bytes[mark + 7] >> $0 & 1 == 1 ? $1 : 0 }
    return Self.level(encoder: bytes[(mark + 8)...].dropFirst(sizes.reduce(0, +)))
  }

  /// The encoder's name in nine bytes, two that do not matter, the peak, the gains of the track and of the album.
  private static func level(encoder bytes: ArraySlice<UInt8>) -> ReplayGain {
    guard bytes.count >= 19 else { return ReplayGain() }
    let fields = Array(bytes.prefix(19))
    // In 1/2^23 of full scale.
    let peak = fields[11..<15].reduce(0) { $0 * 256 + Double($1) } / 0x1p23
    var gain = ReplayGain()
    for place in [15, 17] {
      let field = Int(fields[place]) << 8 | Int(fields[place + 1])
      // Who has measured it; 0 for nobody.
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

  /// Before 3.95, LAME measured against 83 dB and not against 89.
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
