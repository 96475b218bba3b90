import AppLifecycle
import Continuo
import Foundation
import HostTime
import Jukebox
import JukeboxPlayback
import MPDService
import MusicFiles
import MusicLibrary
import RunTimeline
import Transfer

/// What `play` and `serve` do with what happens in their session: all in which they differ. Called on the main queue.
@MainActor
protocol SessionDelegate: AnyObject {
  /// The application was launched and has a player, which the jukebox has told nothing yet.
  func started(_ application: JukeboxApplication)
  /// What the application's observers saw.
  func saw(_ event: JukeboxEvent)
  /// What the device recorded. An application that was terminated is gone by then, one that became active for the first
  /// time has not started yet.
  func recorded(_ event: LifecycleRecord.Event)
  /// A report about the output; `isNews` if clients did not know it.
  func noted(_ diagnostic: PlaybackDiagnostic, isNews: Bool)
  /// The process goes on after a stop, or its terminal has got another size.
  func redraw()
  /// The session ends; there may still be an application.
  func ending()
  /// Gets a line for a person about what could not be done.
  func complain(_ text: String)
}

/// One run of a player: the device and the application that it carries, the jukebox, and the clients that ask for music.
/// The device and the answers to clients have threads of their own; all else happens on the main queue.
@MainActor
final class Session {
  /// What a session is made of.
  struct Parts {
    var machine: JukeboxMachine
    /// What clients' relative names are seen from.
    var home = MusicHome.workingDirectory()
    /// The songs below the home; nil if none are to be looked for.
    var library: MusicLibrary?
    /// Where clients' playlists are kept; nil if they are not.
    var playlists: PlaylistFolder?
    /// What clients note about songs; nil if that is not kept.
    var stickers: StickerStore?
    var modes: BackgroundModes
    var settings = LifecycleSettings()
    /// Clock, output and main queue.
    var environment: PlaybackEnvironment
    /// Where URLs of other users' clients may lead; nil: they may name none.
    var reachOfOthers: NetworkReach? = .publicOnly
    /// How playlists come from the network.
    var network = NetworkSettings()
    /// What drives the output, for clients.
    var plugin: String
    var timeline: TimelineRecorder?
    /// Ends the process with that status.
    var exit: @MainActor (Int32) -> Void = { CleanUp.exit($0) }
  }

  let clock: any HostClock
  let device: Device
  let host: JukeboxHost
  nonisolated let service: JukeboxService
  weak var delegate: (any SessionDelegate)?
  private(set) var isEnded = false
  let timeline: TimelineRecorder?
  private let exit: @MainActor (Int32) -> Void
  /// Where players have to be made.
  private(set) var environment: PlaybackEnvironment

  init(_ parts: Parts) {
    environment = parts.environment
    clock = environment.clock
    timeline = parts.timeline
    exit = parts.exit
    host = JukeboxHost(parts.machine, mainQueue: environment.mainQueue)
    device = Device(
      modes: parts.modes, clock: clock, mainQueue: environment.mainQueue,
      isOnMainQueue: environment.isOnMainQueue, settings: parts.settings)
    service = JukeboxService(
      host: host, device: device, home: parts.home, library: parts.library, playlists: parts.playlists,
      stickers: parts.stickers, reachOfOthers: parts.reachOfOthers,
      readPlaylist: NetworkPlaylists(parts.network, clock: clock).read,
      readTag: NetworkTags(parts.network, clock: clock).read, plugin: parts.plugin, clock: clock)
    environment.onDiagnostic = { [weak self] diagnostic in
      MainActor.assumeIsolated { self?.note(diagnostic) }
    }
  }

  // MARK: The process

  /// The session of this process.
  private(set) static var current: Session?

  /// Makes this session, its device and its environment those of the process, which ends by `CleanUp.exit` from now on.
  func makeCurrent() {
    StandardOutput.waitForNobody()
    if let timeline { CleanUp.add(timeline.writeAtEnd) }
    Device.current = device
    PlaybackEnvironment.current = environment
    Self.current = self
  }

  /// Ends the session of the process, or the process before there is one.
  static func end(_ status: Int32) {
    guard let current else { CleanUp.exit(status) }
    current.end(status)
  }

  // MARK: From start to end

  /// Launches the application, in the session's environment.
  func start() {
    let reports = Reports()
    service.connectDevice(
      onRecord: { [timeline] record in
        if let entry = Timeline.Entry(record.event) { timeline?.record(entry, at: record.time) }
        if case .terminated(let report?) = record.event { reports.write(report) }
      },
      take: { [weak self] record in self?.take(record.event) })
    device.launch()
  }

  /// Ends the session and the process, the first time.
  func end(_ status: Int32) {
    guard !isEnded else { return }
    isEnded = true
    delegate?.ending()
    service.stopApplication()
    // Finishes the WAV file, if there is one.
    environment.closePlayers()
    service.close()
    exit(status)
  }

  // MARK: What happens

  private func take(_ event: LifecycleRecord.Event) {
    if case .terminated = event { service.stopApplication() }
    if case .refused(let refusal) = event { delegate?.complain("\(refusal)") }
    delegate?.recorded(event)
    // With a launch, and with a termination since.
    if event == .state(.active), service.application == nil { startApplication() }
  }

  private func startApplication() {
    do {
      try JukeboxApplication.activateSession()
    } catch {
      delegate?.complain("the audio session: \(error.localizedDescription)")
    }
    let application = service.startApplication { [weak self] event in self?.take(event) }
    delegate?.started(application)
  }

  private func take(_ event: JukeboxEvent) {
    if let timeline, let entry = Timeline.Entry(event, host) { timeline.record(entry) }
    delegate?.saw(event)
  }

  private func note(_ diagnostic: PlaybackDiagnostic) {
    let isNews = service.note(diagnostic)
    delegate?.noted(diagnostic, isNews: isNews)
  }
}
