import AppLifecycle
import AudioCore
import Continuo
import Foundation
import PlaybackEngine

/// One run of `continuo play`: the device, the application that it carries, and a person or a script who watches.
/// Everything happens on the main queue.
@MainActor
final class PlaySession {
  private let options: PlayOptions
  private let files: [MediaPath]
  private let clock = SystemClock.shared
  private let device: Device
  private let output: SoundOutput
  private let tags = SongTags()
  private let events: EventWriter?
  private let timeline: TimelineRecorder?
  private let speaksOnOutput: Bool
  private let remote: RemoteControl
  private var application: PlaybackApplication?
  private var terminal: Terminal?
  private var schedule: Schedule?
  private var applicationState = ApplicationState.notRunning
  private var currentName = ""
  private var played = 0
  private var problems: Int
  /// What the next launch begins with.
  private var restoration: PlaybackApplication.Restoration?
  private var isOutputOpen = false
  private var isEnded = false

  init(
    options: PlayOptions, files: [MediaPath], problems: Int, modes: BackgroundModes, output: SoundOutput,
    events: EventWriter?, timeline: TimelineRecorder?
  ) {
    self.options = options
    self.files = files
    self.problems = problems
    self.events = events
    self.timeline = timeline
    self.output = output
    // Standard output belongs to the events if they go there.
    speaksOnOutput = options.events != "-"
    device = Device(modes: modes, clock: clock, settings: options.application.lifecycleSettings)
    Device.current = device
    remote = RemoteControl(device: device)
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

  // MARK: From start to end

  /// The session of this process.
  static var current: PlaySession?

  /// Ends the session, or the process before there is one.
  static func end(status: Int32) {
    guard let current else { CleanUp.exit(status) }
    current.end(status: status)
  }

  /// Starts playback. Returns at once.
  func start(isAwaited: Bool) {
    remote.quit = { [weak self] in self?.end(status: nil) }
    remote.refuse = { [weak self] reason in self?.complain(reason) }
    if speaksOnOutput, Terminal.isPresent {
      terminal = Terminal { [weak self] key in self?.perform(key.command) }
    }
    connectLifecycle()
    device.launch()
    if isAwaited { giveUpLater() }
  }

  /// Ends the session and the process. `status` overrides what became of the queue.
  func end(status: Int32?) {
    guard !isEnded else { return }
    isEnded = true
    application?.stop()
    terminal?.finish()
    // Finishes the WAV file, if there is one.
    PlaybackEnvironment.current.suspension.closeAll()
    CleanUp.exit(status ?? ExitStatus(played: played, problems: problems).rawValue)
  }

  /// A server that was named and does not answer is not replaced by another, and not waited for for ever.
  private func giveUpLater() {
    DispatchQueue.main.asyncAfter(deadline: .now() + SoundOutput.serverTimeout) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, !self.isOutputOpen, !self.isEnded, self.application?.player.currentItem != nil else {
          return
        }
        self.complain("no audio server answered within \(Int(SoundOutput.serverTimeout)) s")
        self.end(status: ExitStatus.unavailable.rawValue)
      }
    }
  }

  // MARK: The application

  private func startApplication() {
    let application = PlaybackApplication(
      files: files, startingAt: restoration?.index ?? 0, on: device.application)
    self.application = application
    remote.application = application
    application.onEvent = { [weak self] event in self?.take(event) }
    application.onSessionFailure = { [weak self] error in
      self?.complain("the audio session: \(error.localizedDescription)")
    }
    application.onJump = { [weak self] in self?.timeline?.record(.jumped) }
    application.onPlayerFailure = { [weak self] error in
      guard let self else { return }
      self.problems += 1
      self.complain("playback stops: \(PlaybackApplication.reason(error))")
      self.end(status: nil)
    }
    application.state = applicationState
    // Before playback starts, or the first step might be over.
    updateTimeObserver()
    application.start(restoration)
  }

  /// What the application's observers saw.
  private func take(_ event: PlayerEvent) {
    if case .didPlayToEndTime = event { played += 1 }
    if case .failed = event { problems += 1 }
    write(event)
    switch event {
    case .currentItem(let index?, _): show(index)
    case .currentItem(nil, _): timeline?.record(.noItem)
    case .time(_, let value, let timescale, _): show(value, timescale)
    case .timeControlStatus(let status, _):
      timeline?.record(.timeControl(status))
      drawStatus()
      if status == .playing, schedule == nil {
        schedule = Schedule(options.schedule) { [weak self] command in self?.perform(command) }
      }
    case .failed(let index, _, let error):
      complain("\(TerminalText.sanitized(files[index].description)): \(error)")
    case .finished: end(status: nil)
    case .applicationState, .didPlayToEndTime: break
    }
  }

  private func note(_ diagnostic: PlaybackDiagnostic) {
    switch diagnostic {
    case .outputOpened: isOutputOpen = true
    case .outputUnavailable(let message, let retryAfter?):
      complain("\(message); trying again in \(retryAfter) s")
    case .outputUnavailable(let message, nil):
      complain(message)
      end(status: ExitStatus.unavailable.rawValue)
    case .stepsCoalesced(let count):
      complain("observers are more than a second behind: \(count) time steps left out")
    }
  }

  // MARK: Showing

  private func show(_ index: Int) {
    guard speaksOnOutput || timeline != nil else { return }
    currentName = tags.name(of: files[index], index: index, limit: 0.05)
    timeline?.record(.item(index: index, name: currentName))
    guard speaksOnOutput else { return }
    let line = "\(index + 1)/\(files.count)  \(TerminalText.sanitized(currentName))"
    if terminal == nil { StandardOutput.write(line + "\n") } else { drawStatus() }
  }

  private func show(_ value: Int64, _ timescale: Int32) {
    if terminal != nil {
      drawStatus(CMTime(value: value, timescale: timescale))
    } else if speaksOnOutput, applicationState == .background {
      StandardOutput.write("Background: \(ElapsedTime.text(value: value, timescale: timescale))\n")
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

  private func connectLifecycle() {
    let feed = LifecycleFeed { [weak self] record in MainActor.assumeIsolated { self?.take(record) } }
    let reports = Reports()
    device.onRecord = { [timeline] record in
      if let entry = Timeline.Entry(record.event) { timeline?.record(entry, at: record.time) }
      // Here and not on the main queue: that may be what hangs.
      if case .terminated(let report?) = record.event { reports.write(report) }
      feed.append(record)
    }
    device.connect()
  }

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
    application?.state = state
    write(.applicationState(state))
    updateTimeObserver()
    drawStatus()
    // With a launch, and with a termination since.
    if state == .active, application == nil { startApplication() }
  }

  /// Nothing of the application is left but what its next launch begins with. Without one in the schedule that was it.
  private func applicationEnded(_ report: TerminationReport?) {
    if let application {
      let snapshots = PlaybackEnvironment.current.suspension.takeRestorableSnapshots()
      restoration = snapshots.first.flatMap { application.restoration($0) }
      application.stop()
      self.application = nil
    }
    if schedule?.includes(.launch) ?? false { return }
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
    terminal?.say("continuo: \(text)")
    if terminal == nil { StandardOutput.complain(text) }
  }
}
