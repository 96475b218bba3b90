import ArgumentParser
import Continuo
import Foundation

/// The screens by the names that the command line has for them.
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
    /// The clock by which screens wait.
    var clock: any Clock<Duration> = ContinuousClock()
    /// Blocks a thread: an upload's without a service, or the main thread as a fault.
    var block: Blocker = { Thread.sleep(forTimeInterval: $0) }
    /// Prints the application's lines.
    var print: Printer = { Swift.print($0) }
  }

  /// Creates a screen of this kind.
  @MainActor func makeScreen(_ parts: Parts) -> Screen {
    switch self {
    case .audio:
      AudioScreen(
        songs: parts.songs, restoring: PlaybackEnvironment.current.takeRestorableSnapshots().first,
        print: parts.print)
    case .location: LocationScreen(tracksInBackground: parts.modes.contains(.location), print: parts.print)
    case .whatever: WhateverScreen(clock: parts.clock, print: parts.print)
    case .fetch: FetchScreen(service: parts.service, seconds: parts.fetchSeconds, print: parts.print)
    case .listen: ListenScreen(port: parts.port, staysOpen: parts.leavesOpen, print: parts.print)
    case .upload:
      UploadScreen(service: parts.service, seconds: parts.work, block: parts.block, print: parts.print)
    case .download:
      DownloadScreen(
        service: parts.service, folder: parts.folder, seconds: parts.work, clock: parts.clock,
        print: parts.print)
    case .session:
      SessionScreen(service: parts.service, seconds: parts.work, clock: parts.clock, print: parts.print)
    case .voip: VoIPScreen(port: parts.port, print: parts.print)
    case .refresh: RefreshScreen(seconds: parts.work, clock: parts.clock, print: parts.print)
    }
  }
}
