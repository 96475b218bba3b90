import Foundation
package import Jukebox
import MusicFiles

extension QueuedSong {
  /// Its URL, for those who observe.
  package var url: String { song.locator.urlText }
}

extension SongLocator {
  /// The URL for a player. A file's bytes are percent-encoded, so that any name survives.
  var mediaURL: URL { URL(string: urlText) ?? URL(fileURLWithPath: displayName) }
}
