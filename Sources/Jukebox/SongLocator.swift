package import Transfer

/// Where a song is: a file of this machine, or a URL.
///
/// One block of bytes, since a queue has many of them.
package struct SongLocator: Hashable, Sendable {
  /// The longest path that Linux opens: PATH_MAX without its closing zero.
  package static let maximumPathLength = 4095

  /// What the file system calls the file, or the text of the URL.
  package let bytes: [UInt8]

  /// A file by its absolute path, as the file system has it: any bytes, UTF-8 or not.
  package init(path: [UInt8]) { bytes = path }

  /// A URL.
  package init(_ url: WebURL) { bytes = Array(url.text.utf8) }

  /// Whether it is a URL. A path is absolute, so it never begins like one.
  package var isRemote: Bool {
    // Asked of every song of an answer: most are told apart by their first byte.
    bytes.first == UInt8(ascii: "h")
      && (bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8))
  }

  /// The path of a file; `nil` for a URL.
  package var path: [UInt8]? { isRemote ? nil : bytes }

  /// The URL; `nil` for a file.
  package var url: WebURL? {
    isRemote ? try? WebURL.read(String(decoding: bytes, as: UTF8.self)).url : nil
  }

  /// Whether a queue takes it: no file has a longer path, and a `WebURL` has a limit of its own.
  var isTooLong: Bool { bytes.count > Self.maximumPathLength && !isRemote }
}
