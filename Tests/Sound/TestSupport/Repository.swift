package import Foundation

/// The files of the package, wherever it was cloned to.
package enum Repository {
  package static let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  /// A piece of music in `Media`.
  package static func media(_ name: String) -> URL { folder.appendingPathComponent("Media/\(name)") }

  /// The files with which the decoder is tested.
  package static let fixtures = folder.appendingPathComponent("Tests/Sound/MP3DecodingTests/Fixtures")
}
