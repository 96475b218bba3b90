import AppLifecycle
import Clocks
import Continuo
import Foundation
import Jukebox
import JukeboxPlayback
import MPDService
import MusicFiles
import MusicLibrary
import RunTimeline
import Transfer

/// The reactions of `play` and `serve` to the events of their session. Called on the main queue.
@MainActor
protocol SessionDelegate: AnyObject {
  /// The application was launched and has a player, which has no command from the jukebox yet.
  func started(_ application: JukeboxApplication)
  func saw(_ event: JukeboxEvent)
  /// The device recorded an event. A terminated application no longer exists at that time; an application
  /// that became active for the first time has not started yet.
  func recorded(_ event: LifecycleRecord.Event)
  /// The player or its output reported a diagnostic. `isNews`: whether the operator should be notified.
  func noted(_ diagnostic: PlaybackDiagnostic, isNews: Bool)
  /// The process was continued after a stop, or its terminal has a new size.
  func redraw()
  /// The session ends. The application may still exist.
  func ending()
  func complain(_ text: String)
}

/// A run of a player: the device with its application, the jukebox, and the clients. The application and the
/// calls of the delegate run on the main queue; the device and the replies to clients have their own threads.
@MainActor
final class Session {
  struct Parts {
    var machine: JukeboxMachine
    /// The directory to which clients' relative names refer.
    var home = MusicHome.workingDirectory()
    /// The library of the songs in `home`; nil without one.
    var library: MusicDatabase?
    var playlists: PlaylistFolder?
    var stickers: StickerStore?
    var modes: BackgroundModes
    var settings = LifecycleSettings()
    /// The clock, the output, the players' network settings and the main queue.
    var environment: PlaybackEnvironment
    /// The addresses that URLs of other users' clients may reach; nil allows no URLs.
    var reachOfOthers: NetworkReach? = .publicOnly
    /// The settings for playlists and tags from the network.
    var network = NetworkSettings()
    var plugin: String
    var timeline: TimelineFile?
    var exit: @MainActor (Int32) -> Void = { CleanUp.exit($0) }
  }

  let clock: any HostClock
  let device: Device
  let host: JukeboxHost
  nonisolated let service: JukeboxService
  weak var delegate: (any SessionDelegate)?
  private(set) var isEnded = false
  let timeline: TimelineFile?
  private let exit: @MainActor (Int32) -> Void
  /// The environment in which players must be created.
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
      readPlaylist: NetworkReader(parts.network, clock: clock).readPlaylist,
      readTag: NetworkReader(parts.network, clock: clock).readTag, plugin: parts.plugin,
      output: parts.environment.device, clock: clock)
    environment.onDiagnostic = { [weak self] diagnostic in
      MainActor.assumeIsolated { self?.note(diagnostic) }
    }
  }

  // MARK: Process

  private(set) static var current: Session?

  /// Makes this session the current one. From now on, the process must end by `CleanUp.exit`.
  func makeCurrent() {
    StandardOutput.waitForNobody()
    if let timeline { CleanUp.add(timeline.writeAtEnd) }
    CleanUp.add { [service] in service.leaveDesktop() }
    Device.current = device
    PlaybackEnvironment.setCurrent(environment)
    Self.current = self
  }

  static func end(_ status: Int32) {
    guard let current else { CleanUp.exit(status) }
    current.end(status)
  }

  // MARK: Start and end

  /// Connects the device's life cycle and launches the application.
  func start() {
    service.connectDevice(
      onRecord: { [timeline] record in
        if let entry = Timeline.Entry(record.event) { timeline?.record(entry, at: record.time) }
        if case .terminated(let report?) = record.event { ReportStore.write(report) }
      },
      take: { [weak self] record in self?.take(record.event) })
    device.launch()
  }

  /// Ends the session and the process. Only the first call has an effect.
  func end(_ status: Int32) {
    guard !isEnded else { return }
    isEnded = true
    delegate?.ending()
    service.stopApplication()
    // Completes the WAV file, if one is written.
    environment.closePlayers()
    service.close()
    exit(status)
  }

  // MARK: Events

  private func take(_ event: LifecycleRecord.Event) {
    if case .terminated = event { service.stopApplication() }
    if case .refused(let refusal) = event { delegate?.complain("\(refusal)") }
    delegate?.recorded(event)
    // Happens at a launch, also after a termination.
    if event == .state(.active), service.application == nil { startApplication() }
  }

  private func startApplication() {
    do {
      try JukeboxApplication.activateSession()
    } catch {
      delegate?.complain("cannot activate the audio session: \(error.localizedDescription)")
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
