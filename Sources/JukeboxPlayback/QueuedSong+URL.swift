import Foundation
package import Jukebox
import MusicFiles

extension QueuedSong {
  /// Its file as a URL, for those who observe.
  package var url: String { MediaPath(bytes: song.path).fileURL }
}

extension MediaPath {
  /// The file's URL; its bytes are percent-encoded, so that any name survives.
  var url: URL { URL(string: fileURL) ?? URL(fileURLWithPath: description) }
}
