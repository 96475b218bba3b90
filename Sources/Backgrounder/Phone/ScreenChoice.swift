import ArgumentParser
import Continuo
import Foundation
import QueuePlayer

/// The screens, by their names on the command line.
enum ScreenChoice: String, CaseIterable, ExpressibleByArgument {
  case audio, location, whatever, fetch, listen, upload, download, session, voip, refresh

  /// Whether the screen has no effect until its button is tapped.
  var waitsForTap: Bool { ![.fetch, .listen, .session, .voip, .refresh].contains(self) }

  /// Whether the screen can send requests to a web service.
  var usesService: Bool { [.fetch, .upload, .download, .session].contains(self) }

  /// The parameters of all screens.
  struct Parts {
    var songs: [URL] = []
    /// The application's background modes, as in its `Info.plist`.
    var modes: BackgroundModes
    var service: WebService?
    /// The duration of an upload, all downloads or the web service in seconds, if no service is given. Also
    /// that of a refresh.
    var work: Double
    /// The destination folder of downloads.
    var folder: URL?
    /// The time limit for a service's response to a background fetch, in seconds.
    var fetchSeconds: Double
    /// The port to listen on, or the port of the server that calls.
    var port: UInt16
    /// Whether the listening socket stays open in the background.
    var leavesOpen = false
  }

  /// Creates a screen of this kind.
  @MainActor
  func makeScreen(_ parts: Parts) -> Screen {
    switch self {
    case .audio:
      AudioScreen(
        songs: parts.songs, restoring: PlaybackEnvironment.current.takeRestorableSnapshots().first)
    case .location: LocationScreen(tracksInBackground: parts.modes.contains(.location))
    case .whatever: WhateverScreen()
    case .fetch: FetchScreen(service: parts.service, seconds: parts.fetchSeconds)
    case .listen: ListenScreen(port: parts.port, staysOpen: parts.leavesOpen)
    case .upload: UploadScreen(service: parts.service, seconds: parts.work)
    case .download: DownloadScreen(service: parts.service, folder: parts.folder, seconds: parts.work)
    case .session: SessionScreen(service: parts.service, seconds: parts.work)
    case .voip: VoIPScreen(port: parts.port)
    case .refresh: RefreshScreen(seconds: parts.work)
    }
  }
}
