import Foundation
import MusicFiles

extension MediaPath {
  /// The file's URL; its bytes are percent-encoded, so that any name survives.
  var url: URL { URL(string: fileURL) ?? URL(fileURLWithPath: description) }
}
