import AudioCore

/// Parses ID3v2 tags of versions 2.2, 2.3 and 2.4, up to `limit` frames, because libmpg123 supports only texts
/// and pictures. The data is untrusted, so each size is checked, and a size beyond the available bytes ends
/// the tag.
enum ID3Frames {
  /// A frame with its content, whose ID3 transformations are reversed, and its name. ID3v2.2 names are replaced
  /// by those of ID3v2.3.
  struct Frame {
    var id: String
    var content: ArraySlice<UInt8>
  }

  /// The maximum number of frames read from a tag, and from a frame that contains frames.
  static let limit = 2000

  /// The maximum size of an ID3v2 tag, in bytes, because the header may claim up to 256 MiB.
  static let tagLimit: Int64 = 16 << 20

  /// The size in bytes of a tag's header, and of a frame's header in versions 2.3 and 2.4.
  static let headerSize = 10

  /// Returns the tag that begins at `offset` of a source; nil without one, above `tagLimit` or if some bytes are
  /// missing.
  static func tag(of source: any ByteSource, at offset: Int64) throws(DecodingError) -> [UInt8]? {
    guard let header = try source.peek(headerSize, at: offset), let size = size(of: header), size <= tagLimit
    else { return nil }
    let rest = source.size.map { max(0, $0 - offset) } ?? Int64(size)
    return try source.peek(min(size, Int(rest)), at: offset)
  }

  /// Returns the size of the tag that begins with these ten bytes, without a footer; nil for other data.
  private static func size(of header: [UInt8]) -> Int? {
    guard header.count >= headerSize, header.starts(with: Array("ID3".utf8)), (2...4).contains(header[3])
    else { return nil }
    return headerSize + synchsafe(header[6..<10])
  }

  /// Returns the frames and the version of a tag that begins with its header. Empty for other data.
  static func read(_ tag: [UInt8]) -> (frames: [Frame], version: UInt8) {
    guard let size = size(of: tag) else { return ([], 0) }
    let version = tag[3]
    let flags = tag[5]
    var content = tag[headerSize..<min(size, tag.count)]
    // In version 2.2 this flag marks a compression that was never defined.
    if version == 2, flags & 0x40 != 0 { return ([], version) }
    // From version 2.4 on, unsynchronization applies to each frame; the tag's flag marks all frames.
    if version < 4, flags & 0x80 != 0 { content = synchronized(content) }
    if version > 2, flags & 0x40 != 0 {
      guard content.count >= 4 else { return ([], version) }
      let size = version == 3 ? 4 + number(content.prefix(4)) : synchsafe(content.prefix(4))
      content = content.dropFirst(size)
    }
    let isUnsynchronized = version == 4 && flags & 0x80 != 0
    return (frames(content, version: version, isUnsynchronized: isUnsynchronized), version)
  }

  /// Returns the frames in the content of a tag or a frame. `isUnsynchronized`: whether all of them are
  /// unsynchronized.
  static func frames(
    _ content: ArraySlice<UInt8>, version: UInt8, isUnsynchronized: Bool = false
  ) -> [Frame] {
    var frames: [Frame] = []
    var rest = content
    for _ in 0..<limit {
      guard let header = header(of: rest, version: version) else { break }
      let content = rest.dropFirst(header.length).prefix(header.size)
      rest = rest.dropFirst(header.length + header.size)
      let flags = header.flags | (isUnsynchronized ? 0x02 : 0)
      if let id = header.id, let content = plain(content, flags: flags, version: version) {
        frames.append(Frame(id: id, content: content))
      }
    }
    return frames
  }

  // MARK: Headers

  private struct Header {
    /// The name, with ID3v2.2 names replaced by those of ID3v2.3; nil for an unknown name of ID3v2.2.
    var id: String?
    var length: Int
    var size: Int
    var flags: UInt8
  }

  /// Returns the header of the next frame; nil at padding, at the end and for invalid data.
  private static func header(of rest: ArraySlice<UInt8>, version: UInt8) -> Header? {
    let length = version == 2 ? 6 : headerSize
    guard rest.count >= length, let name = name(rest, version: version) else { return nil }
    let start = rest.startIndex
    let room = rest.count - length
    if version == 2 {
      let size = number(rest[(start + 3)..<(start + 6)])
      return size <= room ? Header(id: names[name], length: length, size: size, flags: 0) : nil
    }
    let bytes = rest[(start + 4)..<(start + 8)]
    var size = version == 4 ? synchsafe(bytes) : number(bytes)
    if version == 4, size != number(bytes) {
      // Some programs write sizes as in version 2.3. The next frame is then not at the expected position.
      let isFrame = { (size: Int) in
        size <= room && (size == room || self.name(rest.dropFirst(length + size), version: 4) != nil)
      }
      let isPadding = size < room && rest[start + length + size] == 0
      if bytes.contains(where: { $0 > 127 }) || (!isFrame(size) && !isPadding && isFrame(number(bytes))) {
        size = number(bytes)
      }
    }
    return size <= room ? Header(id: name, length: length, size: size, flags: rest[start + 9]) : nil
  }

  private static func name(_ rest: ArraySlice<UInt8>, version: UInt8) -> String? {
    let name = rest.prefix(version == 2 ? 3 : 4)
    guard name.count == (version == 2 ? 3 : 4), let first = name.first, first > UInt8(ascii: "9"),
      name.allSatisfy({
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      })
    else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// Returns a frame's content with its transformations reversed; nil if it is compressed or encrypted.
  private static func plain(
    _ content: ArraySlice<UInt8>, flags: UInt8, version: UInt8
  ) -> ArraySlice<UInt8>? {
    switch version {
    case 3:
      guard flags & 0xC0 == 0 else { return nil }
      // Skip the group identifier.
      return content.dropFirst(flags & 0x20 == 0 ? 0 : 1)
    case 4:
      guard flags & 0x0C == 0 else { return nil }
      // Skip the group identifier and the length before the transformation.
      let inner = content.dropFirst((flags & 0x40 == 0 ? 0 : 1) + (flags & 0x01 == 0 ? 0 : 4))
      return flags & 0x02 == 0 ? inner : synchronized(inner)
    default: return content
    }
  }

  // MARK: Numbers

  /// Returns the number stored with seven bits in each byte.
  private static func synchsafe(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
  }

  /// Returns a big-endian number of up to four bytes.
  static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  /// Returns the bytes without the zero bytes inserted after 0xFF to prevent false MPEG sync patterns. Bytes with
  /// such a pattern are returned unchanged: some programs set the flag and insert nothing.
  private static func synchronized(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var isBehind = false
    for byte in bytes {
      if isBehind, byte >= 0xE0 { return bytes }
      if !(isBehind && byte == 0) { result.append(byte) }
      isBehind = byte == 0xFF
    }
    return result[...]
  }

  /// The ID3v2.3 names of the frames in ID3v2.2.
  private static let names = [
    "BUF": "RBUF", "CNT": "PCNT", "COM": "COMM", "ETC": "ETCO", "GEO": "GEOB", "IPL": "IPLS", "MCI": "MCDI",
    "MLL": "MLLT", "PIC": "APIC", "POP": "POPM", "REV": "RVRB", "SLT": "SYLT", "STC": "SYTC", "TAL": "TALB",
    "TBP": "TBPM", "TCM": "TCOM", "TCO": "TCON", "TCP": "TCMP", "TCR": "TCOP", "TDA": "TDAT", "TDY": "TDLY",
    "TEN": "TENC", "TFT": "TFLT", "TIM": "TIME", "TKE": "TKEY", "TLA": "TLAN", "TLE": "TLEN", "TMT": "TMED",
    "TOA": "TOPE", "TOF": "TOFN", "TOL": "TOLY", "TOR": "TORY", "TOT": "TOAL", "TP1": "TPE1", "TP2": "TPE2",
    "TP3": "TPE3", "TP4": "TPE4", "TPA": "TPOS", "TPB": "TPUB", "TRC": "TSRC", "TRD": "TRDA", "TRK": "TRCK",
    "TSI": "TSIZ", "TSS": "TSSE", "TT1": "TIT1", "TT2": "TIT2", "TT3": "TIT3", "TXT": "TEXT", "TXX": "TXXX",
    "TYE": "TYER", "UFI": "UFID", "ULT": "USLT", "WAF": "WOAF", "WAR": "WOAR", "WAS": "WOAS", "WCM": "WCOM",
    "WCP": "WCOP", "WPB": "WPUB", "WXX": "WXXX",
  ]
}
