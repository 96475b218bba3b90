import AppLifecycle
import Continuo
import ControlProtocol
import ControlServer
import Foundation
import HostTime
import Jukebox
import JukeboxPlayback
import MPDService
import MusicFiles
import RunTimeline
import Synchronization
import TextFormatting

/// One run of `continuo play`: the device, the application that it carries, and a person or a script who watches.
/// Everything happens on the main queue.
@MainActor
final class PlaySession {
  private let options: PlayOptions
  private let clock = SystemClock.shared
  private let device: Device
  private let output: SoundOutput
  /// Beside that of the served jukebox, which has a whole queue to read.
  private lazy var tags = TagReader(clock: clock) { [weak self] songs in
    DispatchQueue.main.async { MainActor.assumeIsolated { self?.take(songs) } }
  }
  private var lines = SongLines()
  private let events: EventWriter?
  private let timeline: TimelineRecorder?
  private let speaksOnOutput: Bool
  private let remote: RemoteControl
  private let host: JukeboxHost
  private let served: JukeboxService
  /// Bound, and to be served once music plays: the start of that comes first.
  var socket: ListeningSocket?
  private var application: JukeboxApplication? { served.application }
  private var terminal: Terminal?
  private var schedule: Schedule?
  private var applicationState = ApplicationState.notRunning
  private var currentSong: QueuedSong?
  private var currentName = ""
  private var played = 0
  private var problems: Int
  /// A client has ended the application, who may launch it again.
  private let isEndedByClient = Flag()
  private var wasLaunched = false
  private var isOutputOpen = false
  private var isEnded = false

  init(
    options: PlayOptions, files: [MediaPath], problems: Int, modes: BackgroundModes, output: SoundOutput,
    events: EventWriter?, timeline: TimelineRecorder?
  ) {
    self.options = options
    self.problems = problems
    self.events = events
    self.timeline = timeline
    self.output = output
    // Standard output belongs to the events if they go there.
    speaksOnOutput = options.events != "-"
    device = Device(modes: modes, clock: clock, settings: options.application.lifecycleSettings)
    Device.current = device
    var generator = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &generator, upcomingLimit: Self.upcomingLimit)
    do throws(JukeboxError) {
      try machine.add(files.map { Song(path: $0.bytes) })
    } catch {
      StandardOutput.complain(error.ack.message)
      CleanUp.exit(ExitStatus.usage.rawValue)
    }
    host = JukeboxHost(machine)
    served = JukeboxService(
      JukeboxService.Parts(
        home: .workingDirectory(), plugin: options.sound.output == .simulated ? "simulated" : "pulse",
        onTerminate: { [isEndedByClient] in isEndedByClient.set() }),
      host: host, device: device, clock: clock)
    remote = RemoteControl(device: device, host: host)
    var environment = PlaybackEnvironment(clock: clock, device: output.device)
    let relay = DiagnosticRelay()
    environment.onDiagnostic = { diagnostic in MainActor.assumeIsolated { relay.session?.note(diagnostic) } }
    PlaybackEnvironment.current = environment
    relay.session = self
  }

  /// Carries diagnostics to the session, which does not exist yet when the environment is made.
  @MainActor
  private final class DiagnosticRelay {
    weak var session: PlaySession?
    nonisolated init() {}
  }

  /// Songs that the player is handed ahead. The engine decodes 1.5 s ahead: enough even for songs of a twentieth of a
  /// second.
  private static let upcomingLimit = 32
  /// Seconds after which the control socket is served even if nothing plays yet.
  private static let socketDelay = 0.25

  /// A fact that any thread may note.
  private final class Flag: Sendable {
    private let isRaised = Atomic(false)

    func set() { isRaised.store(true, ordering: .releasing) }
    /// Whether it was set since the last call.
    func take() -> Bool { isRaised.exchange(false, ordering: .acquiringAndReleasing) }
  }

  // MARK: From start to end

  /// The session of this process.
  static var current: PlaySession?

  /// Ends the session, or the process before there is one.
  static func end(status: Int32) {
    guard let current else { CleanUp.exit(status) }
    current.end(status: status)
  }

  /// The process goes on after a stop.
  func resume() {
    terminal?.resume()
    drawStatus()
  }

  /// Starts playback. Returns at once.
  func start(isAwaited: Bool) {
    remote.quit = { [weak self] in self?.end(status: nil) }
    remote.refuse = { [weak self] reason in self?.complain(reason) }
    if speaksOnOutput, Terminal.isPresent {
      terminal = Terminal { [weak self] key in self?.perform(key.command) }
    }
    host.onEnd { [weak self] in self?.finish() }
    served.connectDevice(timeline: timeline) { [weak self] record in self?.take(record) }
    device.launch()
    if isAwaited { giveUpLater() }
    after(Self.socketDelay) { $0.serve() }
  }

  /// The queue is at its end.
  private func finish() {
    write(.finished)
    end(status: nil)
  }

  /// Ends the session and the process. `status` overrides what became of the queue.
  func end(status: Int32?) {
    guard !isEnded else { return }
    isEnded = true
    application?.observesTime = false
    served.stopApplication()
    writeLines(now: nil)
    terminal?.finish()
    // Finishes the WAV file, if there is one.
    PlaybackEnvironment.current.closePlayers()
    served.close()
    CleanUp.exit(status ?? ExitStatus(played: played, problems: problems).rawValue)
  }

  /// A server that was named and does not answer is not replaced by another, and not waited for for ever.
  private func giveUpLater() {
    after(SoundOutput.serverTimeout) { session in
      guard !session.isOutputOpen, session.application?.player.currentItem != nil else { return }
      session.complain("no audio server answered within \(Int(SoundOutput.serverTimeout)) s")
      session.end(status: ExitStatus.unavailable.rawValue)
    }
  }

  private func after(_ seconds: Double, _ body: @escaping @MainActor (PlaySession) -> Void) {
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
      MainActor.assumeIsolated { if let self, !self.isEnded { body(self) } }
    }
  }

  /// Answers clients from now on.
  private func serve() {
    guard let socket = socket.take() else { return }
    do {
      try served.open(socket)
      served.readTags()
    } catch {
      complain("no control socket: \(error)")
    }
  }

  // MARK: The application

  private func startApplication() {
    do {
      try JukeboxApplication.activateSession()
    } catch {
      complain("the audio session: \(error.localizedDescription)")
    }
    let application = served.startApplication { [weak self] event in self?.take(event) }
    application.onStep = { [weak self] time in self?.reached(time) }
    // Whenever the system likes. There is nothing to fetch: the answer is that at once.
    device.application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
    remote.application = application
    // Before playback starts, or the first step might be over.
    updateTimeObserver()
    if wasLaunched { served.goOn() } else { try? host.change { $0.play() } }
    wasLaunched = true
  }

  /// What the application's observers saw.
  private func take(_ event: JukeboxApplication.Event) {
    switch event {
    case .song(.current(let song)):
      currentSong = song
      write(.currentItem(index: song.map { host.index(of: $0) }, url: song?.url))
      if let song { show(song) } else { timeline?.record(.noItem) }
    case .song(.playedToEnd(let song)):
      played += 1
      write(.didPlayToEndTime(index: host.index(of: song)))
    case .song(.failed(let song, let reason)):
      problems += 1
      write(.failed(index: host.index(of: song), url: song.url, error: reason))
      complain("\(TerminalText.sanitized(MediaPath(bytes: song.song.path).description)): \(reason)")
    case .song(.timeJumped): timeline?.record(.jumped)
    case .interruption: break
    case .timeControlStatus(let status, let reason):
      write(.timeControlStatus(status, reason: reason))
      timeline?.record(.sound(Timeline.Sound(status)))
      drawStatus()
      if status == .playing { began() }
    case .playerFailed(let error):
      problems += 1
      complain("playback stops: \(JukeboxPlayer.reason(error))")
      end(status: nil)
    }
  }

  /// The first sound.
  private func began() {
    guard schedule == nil else { return }
    schedule = Schedule(options.schedule) { [weak self] command in self?.perform(command) }
    serve()
  }

  private func reached(_ time: CMTime) {
    guard let currentSong else { return }
    write(
      .time(
        index: host.index(of: currentSong), value: time.value, timescale: time.timescale,
        state: applicationState))
    show(time.value, time.timescale)
  }

  private func note(_ diagnostic: PlaybackDiagnostic) {
    _ = served.note(diagnostic)
    switch diagnostic {
    case .outputOpened: isOutputOpen = true
    case .outputUnavailable(let message, let retryAfter?):
      complain("\(message); trying again in \(retryAfter) s")
    case .outputUnavailable(let message, nil):
      complain(message)
      end(status: ExitStatus.unavailable.rawValue)
    case .rateUnavailable(let message): complain(message)
    case .stepsCoalesced(let count):
      complain("observers are more than a second behind: \(count) time steps left out")
    }
  }

  // MARK: Showing

  private func show(_ song: QueuedSong) {
    guard speaksOnOutput || timeline != nil else { return }
    let index = host.index(of: song)
    currentName = song.fileName
    timeline?.record(.item(index: index, name: currentName))
    if speaksOnOutput, terminal == nil {
      lines.add(song, place: "\(index + 1)/\(host.read { $0.queue.count })", now: clock.now)
      after(SongLines.patience) { $0.writeLines(now: $0.clock.now) }
    }
    tags.read([(song.id, song.song.path)])
    drawStatus()
  }

  /// What songs say about themselves.
  private func take(_ songs: [(id: SongID, metadata: SongMetadata)]) {
    guard !isEnded else { return }
    for (id, metadata) in songs {
      guard let name = metadata.displayName else { continue }
      lines.note(name, of: id)
      if id == currentSong?.id {
        currentName = name
        timeline?.record(.itemNamed(name))
        drawStatus()
      }
    }
    writeLines(now: clock.now)
  }

  /// Writes the lines that are ready; all of them without a moment.
  private func writeLines(now: HostTime?) {
    for line in lines.take(now: now) { StandardOutput.writeLine(line) }
  }

  private func show(_ value: Int64, _ timescale: Int32) {
    if terminal != nil {
      drawStatus(CMTime(value: value, timescale: timescale))
    } else if speaksOnOutput, applicationState == .background {
      lines.add("Background: \(ElapsedTime.text(value: value, timescale: timescale))")
      writeLines(now: clock.now)
    }
  }

  /// A periodic observer runs only where somebody looks at it: each call costs a wake-up.
  private func updateTimeObserver() {
    let isInBackground = applicationState == .background
    application?.observesTime = events != nil || terminal != nil || speaksOnOutput && isInBackground
  }

  private func drawStatus(_ time: CMTime? = nil) {
    guard let terminal, let player = application?.player else { return }
    let time = time ?? player.currentTime()
    let duration = player.currentItem?.duration ?? .indefinite
    terminal.draw(
      StatusLine(
        title: currentName, status: statusWord(player),
        elapsed: ElapsedTime.text(value: time.value, timescale: max(1, time.timescale)),
        duration: duration.isNumeric
          ? ElapsedTime.text(value: duration.value, timescale: duration.timescale) : nil,
        progress: duration.isNumeric && duration.seconds > 0 ? time.seconds / duration.seconds : nil))
  }

  private func statusWord(_ player: AVQueuePlayer) -> String {
    if applicationState == .suspended { return "suspended" }
    let word =
      switch player.timeControlStatus {
      case .paused: "paused"
      case .playing: player.isMuted ? "muted" : "playing"
      case .waitingToPlayAtSpecifiedRate: "waiting"
      }
    return applicationState == .background ? "\(word) in the background" : word
  }

  // MARK: The life cycle

  /// What the device recorded.
  private func take(_ record: LifecycleRecord) {
    switch record.event {
    case .state(let state): applicationStateChanged(state)
    case .terminated(let report): applicationEnded(report)
    case .refused(let refusal): complain("\(refusal)")
    default: break
    }
  }

  private func applicationStateChanged(_ state: ApplicationState) {
    applicationState = state
    write(.applicationState(state))
    updateTimeObserver()
    drawStatus()
    // With a launch, and with a termination since.
    if state == .active, application == nil { startApplication() }
  }

  /// Nothing of the application is left but the queue and the place in it. Without a launch to come that was it: one
  /// in the schedule, or that of the client who ended it.
  private func applicationEnded(_ report: TerminationReport?) {
    served.stopApplication()
    let mayBeLaunched = isEndedByClient.take() && report == nil
    if mayBeLaunched || schedule?.includes(.launch) ?? false { return }
    end(status: report == nil ? nil : ExitStatus.terminated.rawValue)
  }

  private func perform(_ command: PlayerCommand) {
    // The device records what is its business.
    if !command.isOfDevice { timeline?.record(.pressed(command.description)) }
    remote.perform(command)
  }

  // MARK: Telling

  private func write(_ event: PlayerEvent) { events?.write(event, host: clock.now) }

  private func complain(_ text: String) {
    if let terminal { terminal.complain(text) } else { StandardOutput.complain(text) }
  }
}
