import AppLifecycle
import AudioCore
import Continuo
import ControlProtocol
import ControlServer
import Dispatch
import Foundation
import Jukebox

/// One run of `continuo serve`: the device and the application that it carries, the jukebox, and the clients that ask
/// for music. The device and the answers to clients have threads of their own; the application is on the main queue.
@MainActor
final class ServeSession {
  private let clock: any HostClock = SystemClock.shared
  private let device: Device
  private let host: JukeboxHost
  private let sound: SoundState
  private let watches: WatchDesk
  private let keeper: StateKeeper?
  private let timeline: TimelineRecorder?
  private let output: SoundOutput
  private let desk: ControlDesk
  private let relay: OutputRelay
  private let tagReader: TagReader
  private var server: ControlServer?
  private var application: ServedApplication?
  private var isEnded = false

  /// What a session is made of.
  struct Parts {
    var machine: JukeboxMachine
    var state: StateDirectory?
    var home: MusicHome
    var modes: BackgroundModes
    var settings: LifecycleSettings
    var output: SoundOutput
    /// What drives the output, for clients.
    var plugin: String
    var timeline: TimelineRecorder?
  }

  init(_ parts: Parts) {
    let clock = clock
    let host = JukeboxHost(parts.machine)
    self.host = host
    output = parts.output
    timeline = parts.timeline
    sound = SoundState(clock: clock)
    watches = WatchDesk(host: host, clock: clock)
    keeper = parts.state.map { directory in
      StateKeeper(host, in: directory, clock: clock) { StandardOutput.complain($0) }
    }
    device = Device(modes: parts.modes, clock: clock, settings: parts.settings)
    Device.current = device
    relay = OutputRelay()
    let tagReader = TagReader(clock: clock) { metadata in
      try? host.change { $0.setMetadata(metadata) }
    }
    self.tagReader = tagReader
    desk = ControlDesk(
      playback: PlaybackCommands(
        host: host, sound: sound, home: parts.home, clock: clock, started: clock.now),
      queue: QueueCommands(host: host, home: parts.home),
      library: LibraryCommands(host: host, home: parts.home, tagReader: tagReader),
      application: ApplicationCommands(device: device, clock: clock),
      outputs: OutputCommands(sound: sound, plugin: parts.plugin) { [relay] _ in
        DispatchQueue.main.async { MainActor.assumeIsolated { relay.session?.outputSwitched() } }
      },
      home: parts.home)
    var environment = PlaybackEnvironment(clock: clock, device: parts.output.device)
    environment.onDiagnostic = { [relay] diagnostic in
      MainActor.assumeIsolated { relay.session?.note(diagnostic) }
    }
    PlaybackEnvironment.current = environment
    relay.session = self
    // What was restored says nothing of its files yet.
    tagReader.read(
      host.read { machine in
        var songs: [(id: SongID, path: [UInt8])] = []
        machine.queue.forEach(in: 0..<machine.queue.count) { songs.append(($1.id, $1.song.path)) }
        return songs
      })
  }

  /// Carries what concerns the output to the session, which does not exist yet when the environment is made.
  @MainActor
  private final class OutputRelay {
    weak var session: ServeSession?
    nonisolated init() {}
  }

  // MARK: From start to end

  /// The session of this process.
  static var current: ServeSession?

  /// What the server's clients meet.
  var handler: ServedClients { ServedClients(desk: desk, watches: watches, device: device) }

  /// Launches the application. Clients of `server` hear of all that changes from now on.
  func start(_ server: ControlServer) {
    self.server = server
    watches.setServer(server)
    host.onChange { [keeper] changed in
      keeper?.note(changed)
      server.notify(Subsystems(changed))
    }
    connectLifecycle()
    device.launch()
  }

  /// Makes files the queue and plays, if there is no queue.
  func playIfEmpty(_ files: [MediaPath]) {
    let songs = files.map { Song(path: $0.bytes) }
    let ids = try? host.change { machine throws(JukeboxError) -> [SongID] in
      guard machine.queue.isEmpty else { return [] }
      let ids = try machine.add(songs)
      machine.play()
      return ids
    }
    tagReader.read(zip(ids ?? [], songs).map { ($0, $1.path) })
  }

  /// Ends the session and the process, with everything kept.
  func end(status: Int32) {
    guard !isEnded else { return }
    isEnded = true
    keeper?.save()
    application?.stop()
    PlaybackEnvironment.current.suspension.closeAll()
    watches.setServer(nil)
    server?.stop()
    CleanUp.exit(status)
  }

  // MARK: The application

  private func startApplication() {
    do {
      // Music is for the background too.
      try AVAudioSession.sharedInstance().setCategory(.playback)
      try AVAudioSession.sharedInstance().setActive(true)
    } catch {
      StandardOutput.complain("the audio session: \(error.localizedDescription)")
    }
    let application = ServedApplication(host: host, sound: sound) { [watches, timeline, clock] event in
      watches.tell(event)
      if let entry = Timeline.Entry(event) { timeline?.record(entry, at: clock.now) }
    }
    self.application = application
    watches.setApplication(application)
    updateHold()
    // What was to be done while there was no player is said anew.
    let seconds = host.seconds
    try? host.change { $0.relaunch(at: seconds) }
  }

  private func stopApplication() {
    watches.setApplication(nil)
    application?.stop()
    application = nil
    keeper?.note(.player)
  }

  private func note(_ diagnostic: PlaybackDiagnostic) {
    switch diagnostic {
    case .outputOpened(let route):
      sound.route = route
      if sound.setOutputProblem(nil) { StandardOutput.complain("playing to \(route)") }
      server?.notify([.player, .output])
    case .outputUnavailable(let message, let retryAfter):
      if sound.setOutputProblem(message) {
        StandardOutput.complain(retryAfter == nil ? message : "\(message); waiting for it")
      }
      server?.notify(.player)
    case .stepsCoalesced(let count):
      StandardOutput.complain("watchers are more than a second behind: \(count) time steps left out")
    }
  }

  private func outputSwitched() {
    updateHold()
    server?.notify([.player, .output])
  }

  private func updateHold() { host.setHeld(sound.isSwitchedOff || device.isInterrupted) }

  // MARK: The life cycle

  private func connectLifecycle() {
    let feed = LifecycleFeed { [weak self] record in MainActor.assumeIsolated { self?.take(record) } }
    let reports = Reports()
    device.onRecord = { [timeline, sound, watches, server, device] record in
      if let entry = Timeline.Entry(record.event) { timeline?.record(entry, at: record.time) }
      // Here and not on the main queue: that may be what hangs.
      switch record.event {
      case .state(let state):
        let isStill = state == .suspended || state == .notRunning || device.isInterrupted
        let isNews = sound.set(.application, isStill)
        watches.tell(.applicationState(state.rawValue), at: record.time)
        server?.notify(isNews ? [.options, .player, .application] : [.options, .application])
      case .terminated(let report?): reports.write(report)
      default: break
      }
      feed.append(record)
    }
    device.add(ServedPlace(host))
    device.connect()
  }

  private func take(_ record: LifecycleRecord) {
    switch record.event {
    case .state(.active) where application == nil: startApplication()
    case .terminated: stopApplication()
    case .interruptionBegan: interruptionBegan()
    case .interruptionEnded(let shouldResume): interruptionEnded(shouldResume: shouldResume)
    case .refused(let refusal): StandardOutput.complain("\(refusal)")
    default: break
    }
  }

  /// The players have paused themselves; what the jukebox wants is held back until it is over.
  private func interruptionBegan() { updateHold() }

  private func interruptionEnded(shouldResume: Bool) {
    if !shouldResume { try? host.change { $0.pause(true) } }
    updateHold()
    sound.set(.application, device.state == .suspended || device.state == .notRunning)
    server?.notify(.player)
  }
}

/// Holds the place in the song that is heard while its player is ended.
private final class ServedPlace: Suspendable {
  private let host: JukeboxHost

  init(_ host: JukeboxHost) { self.host = host }

  func suspend() {}
  func resume() {}
  // Added before the players: what they had reached is where the next one begins.
  func terminate() { host.place.freeze() }
}
