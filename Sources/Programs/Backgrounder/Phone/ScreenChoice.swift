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

  /// The parameters of all screens.
  struct Parts: Sendable {
    var songs: [URL] = []
    /// The application's background modes, as in its `Info.plist`.
    var modes = BackgroundModes()
    var service: WebService?
    /// The duration of an upload, all downloads or the web service in seconds, if no service is given. Also
    /// that of a refresh.
    var work: Double
    /// The destination folder of downloads.
    var folder: URL?
    /// The time limit for a service's response to a background fetch, in seconds.
    var fetchSeconds = 0.0
    /// The port to listen on (0: any free one), or the port of the server that calls.
    var port: UInt16 = 0
    /// Whether the listening socket stays open in the background.
    var leavesOpen = false
    /// The clock by which screens wait.
    var clock: any Clock<Duration> = ContinuousClock()
    /// Blocks a thread: an upload's without a service, or the main thread as a fault.
    var block: Blocker = { Thread.sleep(forTimeInterval: $0) }
    /// Prints the application's lines.
    var print: Printer = { Swift.print($0) }
  }

  /// Creates a screen of this kind.
  @MainActor func makeScreen(_ parts: Parts) -> Screen {
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
