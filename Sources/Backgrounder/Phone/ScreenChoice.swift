import ArgumentParser
import Continuo
import Foundation
import QueuePlayer

/// Blocks the calling thread for so many seconds.
typealias Blocker = @Sendable (Double) -> Void

/// The screens by the names that the command line has for them.
enum ScreenChoice: String, CaseIterable, ExpressibleByArgument {
  case audio, location, whatever, fetch, listen, upload, download, session, voip, refresh

  /// Whether nothing is to be seen before its button was tapped.
  var waitsForTap: Bool { ![.fetch, .listen, .session, .voip, .refresh].contains(self) }

  /// Whether it has something to ask a web service for.
  var usesService: Bool { [.fetch, .upload, .download, .session].contains(self) }

  /// What screens are made of.
  struct Parts {
    var songs: [URL] = []
    /// The application's modes, as its `Info.plist` says.
    var modes: BackgroundModes
    var service: WebService?
    /// How many seconds an upload, all downloads, or the web service take where there is no service.
    var work: Double
    /// Where downloads are put.
    var folder: URL?
    /// How many seconds a service has for its answer to a background fetch.
    var fetchSeconds: Double
    /// Where to listen, or where the server is that calls.
    var port: UInt16
    /// Whether the socket that listens stays open in the background.
    var leavesOpen = false
    /// The clock by which screens wait.
    var clock: any Clock<Duration> = ContinuousClock()
    /// Blocks a thread: an upload's without a service, or the main thread as a fault.
    var block: Blocker = { Thread.sleep(forTimeInterval: $0) }
    /// Prints the application's lines.
    var print: Printer = { Swift.print($0) }
  }

  /// A new screen.
  @MainActor
  func makeScreen(_ parts: Parts) -> Screen {
    switch self {
    case .audio:
      AudioScreen(
        songs: parts.songs, restoring: PlaybackEnvironment.current.takeRestorableSnapshots().first,
        print: parts.print)
    case .location:
      LocationScreen(tracksInBackground: parts.modes.contains(.location), print: parts.print)
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
