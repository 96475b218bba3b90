import ArgumentParser
import Continuo
import Foundation
import QueuePlayer

/// The screens by the names that the command line has for them.
enum ScreenChoice: String, CaseIterable, ExpressibleByArgument {
  case audio, location, whatever, fetch, upload, download, session

  /// Whether nothing is to be seen before its button was tapped.
  var waitsForTap: Bool { self != .fetch && self != .session }

  /// A new screen. `work`: how many seconds an upload, all downloads, or the web service take. `modes`: the application's,
  /// as its `Info.plist` says.
  @MainActor
  func makeScreen(songs: [URL], work: Double, modes: BackgroundModes) -> Screen {
    switch self {
    case .audio:
      AudioScreen(
        songs: songs, restoring: PlaybackEnvironment.current.takeRestorableSnapshots().first)
    case .location: LocationScreen(tracksInBackground: modes.contains(.location))
    case .whatever: WhateverScreen()
    case .fetch: FetchScreen()
    case .upload: UploadScreen(seconds: work)
    case .download: DownloadScreen(seconds: work)
    case .session: SessionScreen(seconds: work)
    }
  }
}
