import AppLifecycle
import AudioCore
import Continuo
import Foundation
import PlaybackEngine

/// One run of `continuo play`: an application with one player, the device that carries it, and a person or a script
/// who watches. Everything happens on the main queue.
@MainActor
final class PlaySession {
  private let options: PlayOptions
  private let files: [MediaPath]
  private let clock = SystemClock.shared
  private let player: AVQueuePlayer
  private let feeder: QueueFeeder
  private let device: Device
  private let output: SoundOutput
  private let tags = SongTags()
  private let events: EventWriter?
  private let speaksOnOutput: Bool
  private var terminal: Terminal?
  private var remote: RemoteControl?
  private var observations: [NSKeyValueObservation] = []
  private var notifications: [any NSObjectProtocol] = []
  private var timeObserver: Any?
  private var timers: [any DispatchSourceTimer] = []
  private var applicationState = ApplicationState.notRunning
  private var currentIndex: Int?
  private var currentName = ""
  private var played = 0
  private var problems: Int
  private var isStarted = false
  private var isOutputOpen = false
  private var isEnded = false

  init(
    options: PlayOptions, files: [MediaPath], problems: Int, modes: BackgroundModes, output: SoundOutput,
    events: EventWriter?
  ) {
    self.options = options
    self.files = files
    self.problems = problems
    self.events = events
    self.output = output
    // Standard output belongs to the events if they go there.
    speaksOnOutput = options.events != "-"
    device = Device(modes: modes, clock: clock)
    var environment = PlaybackEnvironment(clock: clock, device: output.device)
    let relay = DiagnosticRelay()
    environment.onDiagnostic = { diagnostic in MainActor.assumeIsolated { relay.session?.note(diagnostic) } }
    PlaybackEnvironment.current = environment
    player = AVQueuePlayer()
    feeder = QueueFeeder(files: files, player: player)
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
    connectLifecycle()
    device.launch()
    feeder.onFailure = { [weak self] index, error in self?.itemFailed(index, error) }
    feeder.topUp()
    player.play()
    if speaksOnOutput, Terminal.isPresent {
      terminal = Terminal { [weak self] key in self?.remote?.perform(key.command) }
    }
    observePlayer()
    remote = RemoteControl(
      player: player, feeder: feeder, device: device,
      quit: { [weak self] in self?.end(status: nil) },
      refuse: { [weak self] reason in self?.complain(reason) })
    updateTimeObserver()
    if isAwaited { giveUpLater() }
  }

  /// Ends the session and the process. `status` overrides what became of the queue.
  func end(status: Int32?) {
    guard !isEnded else { return }
    isEnded = true
    if let timeObserver { player.removeTimeObserver(timeObserver) }
    terminal?.finish()
    // Finishes the WAV file, if there is one.
    PlaybackEnvironment.current.suspension.closeAll()
    CleanUp.exit(status ?? ExitStatus(played: played, problems: problems).rawValue)
  }

  /// A server that was named and does not answer is not replaced by another, and not waited for for ever.
  private func giveUpLater() {
    DispatchQueue.main.asyncAfter(deadline: .now() + SoundOutput.serverTimeout) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, !self.isOutputOpen, !self.isEnded, self.player.currentItem != nil else { return }
        self.complain("no audio server answered within \(Int(SoundOutput.serverTimeout)) s")
        self.end(status: ExitStatus.unavailable.rawValue)
      }
    }
  }

  // MARK: What the player does

  private func observePlayer() {
    observations = [
      player.observe(\.currentItem, options: [.initial]) { [weak self] _, _ in
        MainActor.assumeIsolated { self?.currentItemChanged() }
      },
      player.observe(\.timeControlStatus, options: [.initial]) { [weak self] _, _ in
        MainActor.assumeIsolated { self?.timeControlChanged() }
      },
      player.observe(\.status) { [weak self] player, _ in
        MainActor.assumeIsolated {
          if player.status == .failed { self?.playerFailed(player.error) }
        }
      },
    ]
    let center = NotificationCenter.default
    notifications = [
      center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: nil) {
        [weak self] note in
        let item = note.object as? AVPlayerItem
        MainActor.assumeIsolated { self?.itemEnded(item) }
      },
      center.addObserver(forName: .AVPlayerItemFailedToPlayToEndTime, object: nil, queue: nil) {
        [weak self] note in
        let item = note.object as? AVPlayerItem
        let error = note.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? any Error
        MainActor.assumeIsolated {
          guard let self, let index = self.feeder.index(of: item) else { return }
          self.itemFailed(index, error)
        }
      },
    ]
  }

  private func currentItemChanged() {
    let index = feeder.index(of: player.currentItem)
    feeder.topUpSoon()
    guard let index else {
      // Nothing is current: the end, unless files are still to be handed over.
      guard player.currentItem == nil, feeder.isExhausted else { return }
      currentIndex = nil
      write(.currentItem(index: nil, url: nil))
      write(.finished)
      end(status: nil)
      return
    }
    guard index != currentIndex else { return }
    currentIndex = index
    write(.currentItem(index: index, url: files[index].fileURL))
    guard speaksOnOutput else { return }
    currentName = tags.name(of: files[index], index: index, limit: 0.05)
    let line = "\(index + 1)/\(files.count)  \(TerminalText.sanitized(currentName))"
    if terminal == nil { StandardOutput.write(line + "\n") } else { drawStatus() }
  }

  private func timeControlChanged() {
    let status = player.timeControlStatus
    switch status {
    case .paused: write(.timeControlStatus(.paused, reason: nil))
    case .playing: write(.timeControlStatus(.playing, reason: nil))
    case .waitingToPlayAtSpecifiedRate:
      write(
        .timeControlStatus(.waitingToPlayAtSpecifiedRate, reason: player.reasonForWaitingToPlay?.rawValue))
    }
    drawStatus()
    guard status == .playing, !isStarted else { return }
    isStarted = true
    startSchedule()
  }

  private func itemEnded(_ item: AVPlayerItem?) {
    guard let index = feeder.index(of: item) else { return }
    played += 1
    write(.didPlayToEndTime(index: index))
  }

  private func itemFailed(_ index: Int, _ error: (any Error)?) {
    problems += 1
    feeder.topUpSoon()
    let reason = error.map { Self.reason($0) } ?? "unknown error"
    write(.failed(index: index, url: files[index].fileURL, error: reason))
    complain("\(TerminalText.sanitized(files[index].description)): \(reason)")
  }

  /// Nothing can be decoded any more: no memory, no descriptors. The player stays where it is for good.
  private func playerFailed(_ error: (any Error)?) {
    problems += 1
    complain("playback stops: \(error.map { Self.reason($0) } ?? "unknown error")")
    end(status: nil)
  }

  private static func reason(_ error: any Error) -> String {
    let error = error as NSError
    return error.localizedFailureReason ?? error.localizedDescription
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

  // MARK: Time

  /// A periodic observer runs only where somebody looks at it: each call costs a wake-up.
  private func updateTimeObserver() {
    let isInBackground = applicationState == .background
    let isWanted = events != nil || terminal != nil || speaksOnOutput && isInBackground
    if isWanted, timeObserver == nil {
      timeObserver = player.addPeriodicTimeObserver(
        forInterval: CMTime(value: 1, timescale: 100), queue: .main
      ) { [weak self] time in
        MainActor.assumeIsolated { self?.timeReached(time) }
      }
    } else if !isWanted, let observer = timeObserver {
      player.removeTimeObserver(observer)
      timeObserver = nil
    }
  }

  private func timeReached(_ time: CMTime) {
    guard let index = currentIndex else { return }
    write(.time(index: index, value: time.value, timescale: time.timescale, state: applicationState))
    if terminal != nil {
      drawStatus(time)
    } else if speaksOnOutput, applicationState == .background {
      StandardOutput.write("Background: \(ElapsedTime.text(value: time.value, timescale: time.timescale))\n")
    }
  }

  private func drawStatus(_ time: CMTime? = nil) {
    guard let terminal else { return }
    let time = time ?? player.currentTime()
    let duration = player.currentItem?.duration ?? .indefinite
    terminal.draw(
      StatusLine(
        title: currentName, status: statusWord,
        elapsed: ElapsedTime.text(value: time.value, timescale: max(1, time.timescale)),
        duration: duration.isNumeric
          ? ElapsedTime.text(value: duration.value, timescale: duration.timescale) : nil,
        progress: duration.isNumeric && duration.seconds > 0 ? time.seconds / duration.seconds : nil))
  }

  private var statusWord: String {
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
    let changes = StateChanges { [weak self] state in
      MainActor.assumeIsolated { self?.applicationStateChanged(state) }
    }
    device.onStateChange = { changes.append($0) }
    device.connect()
    do {
      try AVAudioSession.sharedInstance().setCategory(.playback)
      try AVAudioSession.sharedInstance().setActive(true)
    } catch {
      complain("the audio session: \(error.localizedDescription)")
    }
  }

  private func applicationStateChanged(_ state: ApplicationState) {
    applicationState = state
    write(.applicationState(state))
    updateTimeObserver()
    drawStatus()
    if state == .notRunning { end(status: nil) }
  }

  // MARK: Commands at times

  private func startSchedule() {
    for scheduled in options.schedule {
      let timer = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
      timer.schedule(deadline: .now() + scheduled.time.inSeconds, leeway: .nanoseconds(0))
      timer.setEventHandler { [weak self] in
        MainActor.assumeIsolated { self?.remote?.perform(scheduled.command) }
      }
      timer.resume()
      timers.append(timer)
    }
  }

  // MARK: Telling

  private func write(_ event: PlayerEvent) { events?.write(event, host: clock.now) }

  private func complain(_ text: String) {
    terminal?.say("continuo: \(text)")
    if terminal == nil { StandardOutput.complain(text) }
  }
}
