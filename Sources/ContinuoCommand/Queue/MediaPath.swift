import Glibc

/// The name of a file as the system has it: bytes, not text. On Linux a name need not be UTF-8, and one from an old
/// disk often is not; as a `String` it could never be opened again.
struct MediaPath: Hashable, Sendable, CustomStringConvertible {
  /// The bytes, without a zero among or after them.
  let bytes: [UInt8]

  /// The path with these bytes. What follows a zero byte is cut off, as the system would do.
  init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes.prefix { $0 != 0 }) }

  /// The path with this text.
  init(_ text: String) { self.init(bytes: text.utf8) }

  private static let slash = UInt8(ascii: "/")

  /// Whether it starts at the root.
  var isAbsolute: Bool { bytes.first == Self.slash }

  /// The last component, without slashes at the end.
  var name: [UInt8] {
    let trimmed = bytes.reversed().drop { $0 == Self.slash }
    return Array(trimmed.prefix { $0 != Self.slash }.reversed())
  }

  /// What the name has after its last point, in ASCII lower case; empty if it has none, or nothing before it.
  var fileExtension: String {
    let name = name
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return "" }
    return String(decoding: name[(point + 1)...], as: UTF8.self).lowercased()
  }

  /// Whether it is called like a playlist.
  var isPlaylist: Bool { ["m3u", "m3u8", "pls"].contains(fileExtension) }

  /// Everything before the last component: `/` for what is directly below the root, `.` where there is nothing.
  var directory: MediaPath {
    let trimmed = Array(bytes.reversed().drop { $0 == Self.slash }.reversed())
    guard let slash = trimmed.lastIndex(of: Self.slash) else {
      return MediaPath(trimmed.isEmpty && isAbsolute ? "/" : ".")
    }
    return MediaPath(bytes: slash == 0 ? [Self.slash] : Array(trimmed[..<slash]))
  }

  /// The path of `name` in this directory.
  func appending(_ name: some Collection<UInt8>) -> MediaPath {
    MediaPath(bytes: bytes + (bytes.last == Self.slash ? [] : [Self.slash]) + name)
  }

  /// The path as seen from `directory`, without needless dots and slashes. `..` stays: behind a symbolic link it
  /// means another place than the text suggests.
  func resolved(against directory: MediaPath) -> MediaPath {
    let full = isAbsolute ? bytes : directory.appending(bytes).bytes
    let parts = full.split(separator: Self.slash).filter { $0 != [UInt8(ascii: ".")] }
    let joined = Array(parts.joined(separator: [Self.slash]))
    return MediaPath(bytes: full.first == Self.slash ? [Self.slash] + joined : joined)
  }

  /// The `file://` URL of an absolute path, with everything but RFC 3986's path characters percent-encoded.
  var fileURL: String {
    var url = Array("file://".utf8)
    for byte in bytes {
      if Self.isPathCharacter(byte) {
        url.append(byte)
      } else {
        url.append(UInt8(ascii: "%"))
        url.append(Self.hexDigits[Int(byte >> 4)])
        url.append(Self.hexDigits[Int(byte & 15)])
      }
    }
    return String(decoding: url, as: UTF8.self)
  }

  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  private static func isPathCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/-._~!$&'()*+,;=:@".utf8.contains(byte)
    }
  }

  /// The path for a person, with U+FFFD for what is not UTF-8.
  var description: String { String(decoding: bytes, as: UTF8.self) }

  /// Makes a system call with the path and returns what it returned, unless that is negative.
  func systemCall(_ body: (UnsafePointer<CChar>) -> Int32) throws(FileBytes.Problem) -> Int32 {
    // `errno` is read before anything else can change it.
    let (result, error) = withCString { path in
      let result = body(path)
      return (result, errno)
    }
    guard result >= 0 else { throw .system(error) }
    return result
  }

  /// Calls `body` with the path as C wants it.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    var terminated = bytes.map { CChar(bitPattern: $0) }
    terminated.append(0)
    return terminated.withUnsafeBufferPointer { buffer in
      // Never empty: the terminator is in it.
      buffer.baseAddress.map(body) ?? body("")
    }
  }
}

/// The arguments as the system passed them.
enum RawArguments {
  /// The bytes of an argument that the parser has as `text`. Swift replaces what is not UTF-8 in an argument, and the
  /// file of that name could not be found any more; the argument that reads the same is looked up here instead.
  static func bytes(
    of text: String, count: Int32 = CommandLine.argc,
    vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = CommandLine.unsafeArgv
  ) -> MediaPath {
    guard text.unicodeScalars.contains("\u{FFFD}") else { return MediaPath(text) }
    for index in 0..<Int(count) {
      guard let argument = vector[index], String(cString: argument) == text else { continue }
      let length = UnsafeBufferPointer(start: argument, count: Int(strlen(argument)))
      return MediaPath(bytes: length.map { UInt8(bitPattern: $0) })
    }
    return MediaPath(text)
  }
}
