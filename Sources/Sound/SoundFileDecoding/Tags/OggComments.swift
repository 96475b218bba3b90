import AudioCore

/// Reads the comments of an Ogg file: the second packet of its first Vorbis, Opus or FLAC stream. Pages of other
/// streams, such as video, may lie between the pages of that stream.
enum OggComments {
  /// The bytes in front of the comments in Vorbis (packet type 3) and in Opus.
  private static let marks = [[3] + Array("vorbis".utf8), Array("OpusTags".utf8)]

  /// The first bytes of a Vorbis, Opus or FLAC stream.
  private static let beginnings = [
    [1] + Array("vorbis".utf8), Array("OpusHead".utf8), [0x7F] + Array("FLAC".utf8),
  ]
  private static let beginningLength = 8

  /// The first audio stream of a file.
  private struct AudioStream {
    private var serial: [UInt8]?

    /// Returns whether a page with this header and the beginning of this body belongs to the stream; nil if
    /// the file has no audio stream.
    mutating func has(_ header: ArraySlice<UInt8>, _ body: ArraySlice<UInt8>) -> Bool? {
      let number = Array(header.dropFirst(14).prefix(4))
      if serial == nil, beginnings.contains(where: { body.starts(with: $0) }) { serial = number }
      // The first pages of all streams, which are marked, precede all other pages.
      let isFirst = header.dropFirst(5).first.map { $0 & 2 != 0 } == true
      return serial == nil && !isFirst ? nil : number == serial
    }
  }

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

  /// Returns the length up to the end of the comments' last page. If `bytes` are too short to find that end, returns
  /// the length that the next step needs. The steps read a page's header, its segment table and the first bytes of its
  /// body. If the file has no audio stream, returns a length below `bytes.count`.
  static func length(beginning bytes: [UInt8]) -> Int {
    var stream = AudioStream()
    var (offset, packets) = (0, 0)
    while packets < 2 {
      guard bytes.count >= offset + 27 else { return offset + 27 }
      let start = offset + 27 + Int(bytes[offset + 26])
      guard bytes.count >= start else { return start }
      let lengths = bytes[offset + 27..<start]
      let end = start + lengths.reduce(0) { $0 + Int($1) }
      let beginning = min(end, start + beginningLength)
      guard bytes.count >= beginning else { return beginning }
      guard let isOfStream = stream.has(bytes[offset...], bytes[start..<beginning]) else { return offset }
      if isOfStream { packets += lengths.count { $0 < 255 } }
      offset = end
    }
    return offset
  }

  /// Returns the second packet of the audio stream, as far as it is available; empty if it is too large or does not
  /// exist.
  private static func secondPacket(_ source: any ByteSource) throws(DecodingError) -> ArraySlice<UInt8> {
    var packet: [UInt8] = []
    var stream = AudioStream()
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
      guard let body = try source.peek(size, at: offset + 27 + Int64(lengths.count)), body.count == size,
        let isOfStream = stream.has(header[...], body[...])
      else { break }
      var start = 0
      for length in lengths where isOfStream {
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
