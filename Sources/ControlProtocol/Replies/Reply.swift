/// What a command answers before the closing `OK`: lines of `NAME: VALUE`, and for pictures a chunk of bytes.
///
/// Whatever is put in, every line is valid UTF-8, one line, and at most `ProtocolLimits.replyLine` bytes.
package struct Reply: Hashable, Sendable {
  /// The bytes so far.
  package internal(set) var bytes: [UInt8] = []

  /// What follows these bytes later, if they are not all.
  package var rest: ReplyRest?

  /// The refusal that ends the answer in the place of `OK`, where the last piece of a long one could not be made.
  package var refusal: Ack?

  /// An empty reply, which is a bare `OK`.
  package init() {}

  /// A reply of these lines.
  package init(_ pairs: KeyValuePairs<String, String>) {
    for (name, value) in pairs { append(name, value) }
  }

  /// Makes room, where it is known how long the reply will be.
  package mutating func reserve(_ byteCount: Int) {
    bytes.reserveCapacity(bytes.count + byteCount)
  }

  /// Adds a line. Control characters become blanks; the line is cut where it is too long.
  package mutating func append(_ name: String, _ value: String) {
    append(name, text: value.utf8.span)
  }

  /// Adds a line with a number.
  package mutating func append(_ name: String, _ value: some BinaryInteger) {
    if let number = Int64(exactly: value) {
      append(name) { $0.append(decimal: number) }
    } else {
      append(name, String(value))
    }
  }

  /// Adds a line with `0` or `1`.
  package mutating func append(_ name: String, _ value: Bool) {
    append(name) { $0.append(UInt8(ascii: value ? "1" : "0")) }
  }

  /// Adds a line with a time, to the millisecond.
  package mutating func append(_ name: String, _ value: Milliseconds) {
    append(name) { $0.append(decimal: value) }
  }

  /// Adds the line that says when a file was changed, in seconds since 1970.
  package mutating func append(lastModified seconds: Int64) {
    append("Last-Modified") { $0.append(utc: seconds) }
  }

  /// Adds a line whose value may be anything. What is not UTF-8 is written `\xHH`.
  package mutating func append(_ name: String, _ value: Argument) {
    append(name, text: value.bytes.span)
  }

  /// Adds everything of another reply.
  package mutating func append(_ reply: Reply) {
    bytes += reply.bytes
  }

  /// Adds a line whose value `body` appends: short and plain, so that nobody has to look at it.
  mutating func append(_ name: String, writing body: (inout [UInt8]) -> Void) {
    bytes.append(utf8: name)
    bytes.append(Byte.colon)
    bytes.append(Byte.blank)
    body(&bytes)
    bytes.append(Byte.newline)
  }

  /// Adds a chunk of a file, as `readpicture` answers it.
  ///
  /// - Parameters:
  ///   - chunk: At most the client's `binarylimit`, see `ConnectionMachine.Context`.
  ///   - totalSize: The size of the whole.
  ///   - mediaType: Its MIME type, if known.
  package mutating func appendBinary(_ chunk: [UInt8], totalSize: Int, mediaType: String? = nil) {
    append("size", totalSize)
    if let mediaType { append("type", mediaType) }
    append("binary", chunk.count)
    bytes += chunk
    bytes.append(Byte.newline)
  }

  /// Adds a line with any text.
  mutating func append(_ name: String, text: Span<UInt8>) {
    let limit = ProtocolLimits.replyLine - name.utf8.count - 3
    append(name) { bytes in
      text.withUnsafeBufferPointer { text in
        if SanitizedText.isExact(text.span, limit: limit) {
          bytes.append(contentsOf: text)
        } else {
          bytes += SanitizedText.bytes(of: Array(text), limit: limit)
        }
      }
    }
  }

  /// Adds the line that `playlist` has for a song, which is the only one of its kind: `0:file: NAME`.
  package mutating func appendPlaylistLine(position: UInt32, file: Argument) {
    append("\(position):file", SongReply.expressible(file))
  }
}

/// The words that end a reply.
enum ReplyEnd {
  static let ok = Array("OK\n".utf8)
  static let listOK = Array("list_OK\n".utf8)
}
