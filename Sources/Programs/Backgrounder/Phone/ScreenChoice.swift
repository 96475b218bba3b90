import ArgumentParser
import Continuo
import Foundation

/// The screens by their names on the command line.
enum ScreenChoice: String, CaseIterable, ExpressibleByArgument {
  case audio, location, whatever, fetch, listen, upload, download, session, voip, refresh

  /// Whether the screen has no effect until its button is tapped.
  var waitsForTap: Bool { ![.fetch, .listen, .session, .voip, .refresh].contains(self) }

  /// Whether the screen can send requests to a web service.
  var usesService: Bool { [.fetch, .upload, .download, .session].contains(self) }

  /// Creates a screen of this kind.
  @MainActor func makeScreen(_ parts: ScreenParts) -> Screen {
    let kind: Screen.Type =
      switch self {
      case .audio: AudioScreen.self
      case .location: LocationScreen.self
      case .whatever: WhateverScreen.self
      case .fetch: FetchScreen.self
      case .listen: ListenScreen.self
      case .upload: UploadScreen.self
      case .download: DownloadScreen.self
      case .session: SessionScreen.self
      case .voip: VoIPScreen.self
      case .refresh: RefreshScreen.self
      }
    return kind.init(parts)
  }
}
