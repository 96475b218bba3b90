package import Jukebox
import Transfer

extension SongLocator {
  /// A file by its absolute path.
  package init(_ file: MediaPath) { self.init(path: file.bytes) }

  /// The file; `nil` for a URL.
  package var file: MediaPath? { path.map { MediaPath(bytes: $0) } }

  /// The URL of a file or of what is on the network, for those who observe. It has no credentials.
  package var urlText: String { file?.fileURL ?? String(decoding: bytes, as: UTF8.self) }

  /// What a person is told that it is: the path, or the URL without its query, which may hold a secret.
  package var displayName: String { url?.textForMessages ?? String(decoding: bytes, as: UTF8.self) }

  /// The last component of the path, or the host where a URL has none.
  package var fileName: String {
    guard let url else { return String(decoding: MediaPath(bytes: bytes).name, as: UTF8.self) }
    let name = MediaPath(url.path).name
    return name.isEmpty ? url.host : String(decoding: name, as: UTF8.self)
  }
}
