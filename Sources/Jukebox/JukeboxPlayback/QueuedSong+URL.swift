import Foundation
package import Jukebox
import MusicFiles

extension QueuedSong {
  /// The song's URL as text, for observers.
  package var url: String { song.locator.urlText }
}

extension SongLocator {
  /// The URL for a player. Bytes of a file's path are percent-encoded, so any name is preserved.
  var mediaURL: URL { URL(string: urlText) ?? URL(fileURLWithPath: displayName) }
}
