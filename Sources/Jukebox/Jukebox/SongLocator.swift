package import Transfer

/// The location of a song: a local file or a URL.
///
/// Stored as one block of bytes, since a queue has many locators.
package struct SongLocator: Hashable, Sendable {
  /// The maximum length of a path on Linux, in bytes: PATH_MAX without its terminating zero.
  package static let maximumPathLength = 4095
  /// The maximum length of a locator, in bytes: that of a URL, which may be longer than a path.
  static let maximumLength = 8191

  /// The file's path as the file system stores it, or the text of the URL.
  package let bytes: [UInt8]

  /// Creates the location of a file by its absolute path: any bytes, UTF-8 or not.
  package init(path: [UInt8]) { bytes = path }

  package init(_ url: WebURL) { bytes = Array(url.text.utf8) }

  /// Whether the location is a URL. Paths are absolute, so they never begin like a URL.
  package var isRemote: Bool {
    // Called for every song of a reply: for most songs the first byte decides.
    bytes.first == UInt8(ascii: "h")
      && (bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8))
  }

  package var path: [UInt8]? { isRemote ? nil : bytes }

  package var url: WebURL? { isRemote ? try? WebURL.read(String(decoding: bytes, as: UTF8.self)).url : nil }

  /// Whether a path is too long for a queue and for Linux. A `WebURL` has its own limit.
  var isTooLong: Bool { bytes.count > Self.maximumPathLength && !isRemote }
}
