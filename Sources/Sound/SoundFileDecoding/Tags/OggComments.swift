import AudioCore

/// Reads the comments of an Ogg file: the second packet of Vorbis, Opus or FLAC.
enum OggComments {
  /// The bytes in front of the comments in Vorbis (packet type 3) and in Opus.
  private static let marks = [[3] + Array("vorbis".utf8), Array("OpusTags".utf8)]

  static func read(_ source: any ByteSource) throws(DecodingError) -> MediaTag {
    let packet = try secondPacket(source)
    for mark in marks where packet.starts(with: mark) {
      return MediaTag(fields: VorbisComments.fields(packet.dropFirst(mark.count)))
    }
    // In Ogg, a FLAC metadata block still begins with its own header of four bytes.
    if packet.first.map({ $0 & 0x7F }) == 4 {
      return MediaTag(fields: VorbisComments.fields(packet.dropFirst(4)))
    }
    return MediaTag()
  }

  /// Returns the length up to the end of the second packet's page, or, if `bytes` are too short, the length
  /// up to the end of the next page's header and segment table.
  static func length(beginning bytes: [UInt8]) -> Int {
    var offset = 0
    var packets = 0
    while packets < 2 {
      guard bytes.count >= offset + 27 else { return offset + 27 }
      let count = Int(bytes[offset + 26])
      guard bytes.count >= offset + 27 + count else { return offset + 27 + count }
      let lengths = bytes[offset + 27..<offset + 27 + count]
      packets += lengths.count { $0 < 255 }
      offset += 27 + count + lengths.reduce(0) { $0 + Int($1) }
    }
    return offset
  }

  /// Returns the second packet of the file, as far as it is available; empty if it is too large.
  private static func secondPacket(_ source: any ByteSource) throws(DecodingError) -> ArraySlice<UInt8> {
    var packet: [UInt8] = []
    var number = 0
    var offset: Int64 = 0
    while packet.count <= SoundFileTags.limit, offset <= 2 * Int64(SoundFileTags.limit) {
      // A page consists of a header of 27 bytes, the lengths of its segments, and the segments. A segment of
      // less than 255 bytes ends a packet.
      guard let header = try source.peek(27, at: offset), header.count == 27,
        header.starts(with: "OggS".utf8),
        let lengths = try source.peek(Int(header[26]), at: offset + 27), lengths.count == Int(header[26])
      else { break }
      let size = lengths.reduce(0) { $0 + Int($1) }
      guard let body = try source.peek(size, at: offset + 27 + Int64(lengths.count)), body.count == size
      else {
        break
      }
      var start = 0
      for length in lengths {
        if number == 1 { packet += body[start..<start + Int(length)] }
        start += Int(length)
        if length < 255 { number += 1 }
        if number == 2 { return packet[...] }
      }
      offset += 27 + Int64(lengths.count + size)
    }
    return packet.count <= SoundFileTags.limit ? packet[...] : []
  }
}
