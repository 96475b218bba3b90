import ArgumentParser
import Continuo
import Foundation

/// The screens by their names on the command line.
enum ScreenChoice: String, CaseIterable, ExpressibleByArgument {
  case audio, location, whatever, fetch, listen, upload, download, session, voip, refresh, tabs

  /// Whether the screen has no effect until its button is tapped.
  var waitsForTap: Bool { ![.fetch, .listen, .session, .voip, .refresh].contains(self) }

  /// Whether songs can be played.
  var playsSongs: Bool { [.audio, .tabs].contains(self) }

  /// Whether the position can be followed.
  var usesLocation: Bool { [.location, .tabs].contains(self) }

  /// Whether the screen can send requests to a web service.
  var usesService: Bool { [.fetch, .upload, .download, .session, .tabs].contains(self) }

  @MainActor private var kinds: [Screen.Type] {
    switch self {
    case .audio: [AudioScreen.self]
    case .location: [LocationScreen.self]
    case .whatever: [WhateverScreen.self]
    case .fetch: [FetchScreen.self]
    case .listen: [ListenScreen.self]
    case .upload: [UploadScreen.self]
    case .download: [DownloadScreen.self]
    case .session: [SessionScreen.self]
    case .voip: [VoIPScreen.self]
    case .refresh: [RefreshScreen.self]
    case .tabs: [AudioScreen.self, LocationScreen.self, WhateverScreen.self, FetchScreen.self]
    }
  }

  /// Creates the screens, one for each tab.
  @MainActor func makeScreens(_ parts: ScreenParts) -> [Screen] { kinds.map { $0.init(parts) } }
}
