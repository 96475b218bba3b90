import Glibc
package import SystemSupport
import TextFormatting

/// A path as the system stores it: bytes, not text. On Linux a name need not be UTF-8, and names on old disks
/// often are not. A `String` could not be used to open such files.
package struct MediaPath: Hashable, Sendable, CustomStringConvertible {
  /// The path, without zero bytes.
  package let bytes: [UInt8]

  /// Creates a path from bytes. Cuts them off at the first zero byte, as the system would.
  package init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes.prefix { $0 != 0 }) }

  package init(_ text: String) { self.init(bytes: text.utf8) }

  private static let slash = UInt8(ascii: "/")

  package var isAbsolute: Bool { bytes.first == Self.slash }

  /// The last component, without trailing slashes.
  package var name: [UInt8] {
    let trimmed = bytes.reversed().drop { $0 == Self.slash }
    return Array(trimmed.prefix { $0 != Self.slash }.reversed())
  }

  /// The part of the name after the last dot, in lower case; empty without a dot or with only a leading one.
  package var fileExtension: String {
    let name = name
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return "" }
    return String(decoding: name[(point + 1)...], as: UTF8.self).lowercased()
  }

  /// The extensions of songs. The content of a file, not its extension, decides how it is decoded.
  package static let songExtensions = [
    "mp3", "flac", "ogg", "oga", "opus", "wav", "wave", "w64", "rf64", "aif", "aiff", "aifc", "caf",
  ]

  /// Returns a name without its extension.
  package static func stem(of name: [UInt8]) -> [UInt8] {
    guard let point = name.lastIndex(of: UInt8(ascii: ".")), point > 0 else { return name }
    return Array(name[..<point])
  }

  /// Whether the extension is that of a song: one of `songExtensions`.
  package var isSong: Bool { Self.songExtensions.contains(fileExtension) }

  /// Whether the extension is that of a playlist: m3u, m3u8 or pls.
  package var isPlaylist: Bool { ["m3u", "m3u8", "pls"].contains(fileExtension) }

  /// The path without its last component: `/` directly below the root, `.` for a single component.
  package var directory: MediaPath {
    let trimmed = Array(bytes.reversed().drop { $0 == Self.slash }.reversed())
    guard let slash = trimmed.lastIndex(of: Self.slash) else {
      return MediaPath(trimmed.isEmpty && isAbsolute ? "/" : ".")
    }
    return MediaPath(bytes: slash == 0 ? [Self.slash] : Array(trimmed[..<slash]))
  }

  package func appending(_ name: some Collection<UInt8>) -> MediaPath {
    MediaPath(bytes: bytes + (bytes.last == Self.slash ? [] : [Self.slash]) + name)
  }

  package func adding(suffix: String) -> MediaPath { MediaPath(bytes: bytes + suffix.utf8) }

  /// Returns the path resolved against `directory`, without redundant dots and slashes. Keeps `..`, which
  /// after a symbolic link leads to another folder than the text suggests.
  package func resolved(against directory: MediaPath) -> MediaPath {
    let full = isAbsolute ? bytes : directory.appending(bytes).bytes
    let parts = full.split(separator: Self.slash).filter { $0 != [UInt8(ascii: ".")] }
    let joined = Array(parts.joined(separator: [Self.slash]))
    return MediaPath(bytes: full.first == Self.slash ? [Self.slash] + joined : joined)
  }

  /// The `file://` URL of an absolute path, percent-encoded.
  package var fileURL: String {
    String(decoding: PercentEncoding.fileURL(ofPath: bytes.span), as: UTF8.self)
  }

  /// The path for a person, with U+FFFD in place of invalid UTF-8.
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  /// Makes a system call with the path and returns its result. Throws the `errno` if the result is negative.
  package func systemCall(_ body: (UnsafePointer<CChar>) -> Int32) throws(FileBytes.Problem) -> Int32 {
    // `errno` is read immediately, because another call could change it.
    let (result, error) = withCString { path in
      let result = body(path)
      return (result, errno)
    }
    guard result >= 0 else { throw .system(error) }
    return result
  }

  package func withCString<Result, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body((bytes + [0]).map { CChar(bitPattern: $0) })
  }

  /// Returns the path of the same file, absolute and without links, dots and doubled slashes. Blocks on the
  /// disk.
  package func resolvingLinks() throws(FileBytes.Problem) -> MediaPath {
    let (bytes, error): ([UInt8]?, Int32) = withCString { path in
      guard let real = realpath(path, nil) else { return (nil, errno) }
      defer { free(real) }
      return (UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) }, 0)
    }
    guard let bytes else { throw .system(error) }
    return MediaPath(bytes: bytes)
  }

  /// Returns the working directory; the root if the system reports none, as after the directory's removal.
  package static func workingDirectory() -> MediaPath {
    guard let name = getcwd(nil, 0) else { return MediaPath("/") }
    defer { free(name) }
    return MediaPath(
      bytes: UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) })
  }
}
