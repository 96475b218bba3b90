package import Jukebox
import Transfer

extension SongLocator {
  /// Creates a locator for a file with an absolute path.
  package init(_ file: MediaPath) { self.init(path: file.bytes) }

  /// The path of the file; nil for a URL.
  package var file: MediaPath? { path.map { MediaPath(bytes: $0) } }

  /// The URL of a file or a network resource, without credentials.
  package var urlText: String { file?.fileURL ?? String(decoding: bytes, as: UTF8.self) }

  /// The name for messages: the path, or the URL without its query, which may contain a secret.
  package var displayName: String { url?.textForMessages ?? String(decoding: bytes, as: UTF8.self) }

  /// The last component of the path; the host for a URL without one.
  package var fileName: String {
    guard let url else { return String(decoding: MediaPath(bytes: bytes).name, as: UTF8.self) }
    let name = MediaPath(url.path).name
    return name.isEmpty ? url.host : String(decoding: name, as: UTF8.self)
  }
}
