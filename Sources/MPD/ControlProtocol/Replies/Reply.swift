internal import TextFormatting

/// The reply to a command before the closing `OK`: lines of `NAME: VALUE`, and for pictures a chunk of bytes.
///
/// Whatever the values, each line is valid UTF-8 without a newline and has at most `ProtocolLimits.replyLine`
/// bytes.
package struct Reply: Hashable, Sendable {
  package internal(set) var bytes: [UInt8] = []

  /// The rest of a long reply, sent later; nil if `bytes` is the whole reply.
  package var rest: ReplyRest?

  /// The refusal that ends the reply instead of `OK`, if a piece of a long reply could not be made.
  package var refusal: Ack?

  /// Creates an empty reply, which is sent as `OK` only.
  package init() {}

  package init(_ pairs: KeyValuePairs<String, String>) {
    for (name, value) in pairs { append(name, value) }
  }

  package mutating func reserve(_ byteCount: Int) { bytes.reserveCapacity(bytes.count + byteCount) }

  /// Appends a line. Control characters become blanks; a line that is too long is cut.
  package mutating func append(_ name: String, _ value: String) { append(name, text: value.utf8.span) }

  package mutating func append(_ name: String, _ value: some BinaryInteger) {
    if let number = Int64(exactly: value) {
      append(name) { $0.append(decimal: number) }
    } else {
      append(name, String(value))
    }
  }

  package mutating func append(_ name: String, _ value: Bool) {
    append(name) { $0.append(UInt8(ascii: value ? "1" : "0")) }
  }

  /// Appends a line with a time in seconds, to the millisecond.
  package mutating func append(_ name: String, _ value: Milliseconds) {
    append(name) { $0.append(decimal: value) }
  }

  /// Appends a file's modification time, given in seconds since 1970, as a UTC date.
  package mutating func append(lastModified seconds: Int64) {
    append("Last-Modified") { $0.append(utc: seconds) }
  }

  /// Appends a line with any bytes as value. Bytes that are not UTF-8 are written `\xHH`.
  package mutating func append(_ name: String, _ value: Argument) { append(name, text: value.bytes.span) }

  package mutating func append(_ reply: Reply) { bytes += reply.bytes }

  /// Appends a line whose value `body` writes. The value must be short ASCII text, since it is not sanitized.
  mutating func append(_ name: String, writing body: (inout [UInt8]) -> Void) {
    bytes.append(utf8: name)
    bytes.append(Byte.colon)
    bytes.append(Byte.blank)
    body(&bytes)
    bytes.append(Byte.newline)
  }

  /// Appends a chunk of a file, as in the reply to `readpicture`.
  ///
  /// - Parameters:
  ///   - chunk: The bytes; at most the client's `binarylimit`, see `ConnectionMachine.Context`.
  ///   - totalSize: The size of the whole file in bytes.
  ///   - mediaType: The MIME type, if known.
  package mutating func appendBinary(_ chunk: [UInt8], totalSize: Int, mediaType: String? = nil) {
    append("size", totalSize)
    if let mediaType { append("type", mediaType) }
    append("binary", chunk.count)
    bytes += chunk
    bytes.append(Byte.newline)
  }

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

  /// Appends a song's line in the reply to `playlist`, which has a syntax of its own: `0:file: NAME`.
  package mutating func appendPlaylistLine(position: UInt32, file: Argument) {
    append("\(position):file", SongReply.expressible(file))
  }
}

/// The lines that end a successful reply or command.
enum ReplyEnd {
  static let ok = Array("OK\n".utf8)
  static let listOK = Array("list_OK\n".utf8)
}

/// The rest of a long reply, which is made piece by piece as the client reads.
///
/// So a reply of any length uses little memory and does not delay other clients. If the pieces are made from
/// a snapshot, they all show the same state.
package final class ReplyRest: Sendable {
  let mayBlock: Bool
  private let body: @Sendable (inout Reply) -> ReplyRest?

  /// Creates the rest of a reply. `write` appends the next piece, at most about 64 KiB and possibly nothing,
  /// and returns the rest after the piece; nil at the end, or after setting the piece's `refusal`. `write` is called
  /// once, on the thread that answers all clients. With `mayBlock`, for example for a disk, it is called on another
  /// thread.
  package init(mayBlock: Bool = false, _ write: @escaping @Sendable (inout Reply) -> ReplyRest?) {
    self.mayBlock = mayBlock
    body = write
  }

  /// Returns the next piece. To be called once. May block if `mayBlock` is true.
  package func next() -> Reply {
    var piece = Reply()
    piece.rest = body(&piece)
    return piece
  }
}

extension ReplyRest: Hashable {
  package static func == (left: ReplyRest, right: ReplyRest) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
