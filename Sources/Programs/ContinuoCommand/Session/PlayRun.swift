import AppLifecycle
import Clocks
import Continuo
import ControlProtocol
import ControlServer
import Dispatch
import Foundation
import Jukebox
import JukeboxPlayback
import MPDService
import MusicFiles
import RunTimeline
import TextFormatting

/// The run of `continuo play`: plays the queue of a session to its end, for a person or a script.
@MainActor
final class PlayRun: SessionDelegate {
  private let options: Play
  private let session: Session
  private let events: EventWriter?
  /// Whether each time step is written as an event.
  private let writesTimes: Bool
  private var timeLine = EventLine()
  private let remote: RemoteControl
  /// The reader of the current song's tags. The service's reader has the whole queue to read.
  private lazy var tags = TagReader(clock: session.clock) { [weak self] songs in
    DispatchQueue.main.async { MainActor.assumeIsolated { self?.take(songs) } }
  }
  /// The bound control socket. It is served once music plays, which it must not delay, or after
  /// `socketDelay`.
  private var socket: ListeningSocket?
  private var isServed = false
  private var display: RunDisplay
  private var waits = NetworkWaits()
  private var terminal: Terminal?
  private var schedule: Schedule?
  private var hasSounded = false
  private var problems: Int
  private let missing: Set<SongLocator>
  /// Whether the run itself terminated the application, not a client, who may launch it again.
  private var hasTerminated = false
  private var wasLaunched = false
  /// The limited wait for the sound server; nil without a limit.
  private var server: NamedServer?

  /// The number of songs that the player gets in advance. The engine decodes 1.5 s ahead, so this is enough
  /// for songs of 1/20 s.
  nonisolated static let upcomingLimit = 32
  /// The delay in seconds after which the control socket is served even if nothing plays yet.
  private static let socketDelay = 0.25
  /// The duration of a notice about a key's effect, in seconds.
  private static let noticeTime = 1.5

  /// Creates a run. `problems` is the number of names that could not be played; `missing` are the missing
  /// files that are in the queue nevertheless.
  init(_ session: Session, options: Play, problems: Int, missing: Set<SongLocator>, events: EventWriter?) {
    self.missing = missing
    self.session = session
    self.options = options
    self.problems = problems
    self.events = events
    writesTimes = events != nil && !options.eventsWithout.contains(EventNames.time)
    remote = RemoteControl(device: session.device, host: session.host)
    // Standard output is reserved for the events or the sound if they go there.
    let isTaken = options.events == "-" || options.player.output == .wav(path: "-")
    display = RunDisplay(
      isTaken ? .nothing : Terminal.isPresent && TerminalLook.current.movesCursor ? .statusLine : .lines)
    session.delegate = self
  }

  // MARK: Start and end

  /// Launches the application, which starts playback. `probe` probes the output's server; nil waits for the server
  /// without a limit. `socket` is the bound control socket, if any.
  func start(probe: NamedServer.Probe?, socket: consuming ListeningSocket?) {
    self.socket = socket
    write(
      .begin(
        arguments: RawArguments.forRecords(),
        secondsSince1970: Date().timeIntervalSince1970, host: session.clock.now))
    remote.quit = { [weak self] in self?.end() }
    remote.refuse = { [weak self] reason in self?.complain(reason) }
    if display.form != .nothing, Terminal.isPresent {
      terminal = Terminal(look: .current) { [weak self] key in self?.press(key) }
    }
    session.host.onEnd { [weak self] in self?.queueEnded() }
    session.start()
    if let probe {
      server = NamedServer(clock: session.clock, probe: probe) { [weak self] in self?.giveUp() }
    }
    after(Self.socketDelay) { $0.serve() }
  }

  private func end() { session.end(ExitStatus(hasSounded: hasSounded, problems: problems).rawValue) }

  private func queueEnded() {
    write(.finished(host: session.clock.now))
    end()
  }

  func redraw() {
    terminal?.resume()
    drawStatus()
  }

  func ending() {
    writeLines(now: nil)
    terminal?.finish()
  }

  private func giveUp() {
    guard !session.isEnded, session.service.application?.player.currentItem != nil else { return }
    let place = options.player.server.map { "\($0): " } ?? ""
    complain("\(place)no audio server answered within \(Int(ServerWait.limit)) s")
    session.end(ExitStatus.unavailable.rawValue)
  }

  private func after(_ seconds: Double, _ body: @escaping @MainActor (PlayRun) -> Void) {
    DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
      MainActor.assumeIsolated { if let self, !self.session.isEnded { body(self) } }
    }
  }

  /// Opens the control socket, if one is bound, and publishes the player on the session bus, unless a file is
  /// written. Only the first call has an effect.
  private func serve() {
    guard !isServed else { return }
    isServed = true
    var needsTags = !options.player.writesFile && session.service.joinDesktop()
    if let socket = socket.take() {
      do {
        try session.service.open(socket)
        needsTags = true
      } catch {
        complain("no control socket: \(error)")
      }
    }
    if needsTags { session.service.readTags() }
  }

  // MARK: Events

  func started(_ application: JukeboxApplication) {
    // A strong reference, because the run lives as long as the process, and a weak one would be looked up at
    // each step.
    application.onStep = { time in self.reached(time) }
    // The system may fetch at any time. The application has nothing to fetch, and answers that at once.
    session.device.application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
    remote.application = application
    // Must precede the start of playback, or the first step might be missed.
    updateTimeObserver()
    if wasLaunched { session.service.goOn() } else { play() }
    wasLaunched = true
    hasTerminated = false
  }

  /// Starts playback: at the beginning of the queue or, with `--start`, at that position of the first song that is
  /// not a missing file.
  private func play() {
    guard let start = options.start else {
      try? session.host.change { $0.play() }
      return
    }
    try? session.host.change { machine throws(JukeboxError) in
      let position = (0..<machine.queue.count).first { position in
        machine.queue[position: position].map { missing.contains($0.song.locator) } != true
      }
      try machine.seek(position: position ?? 0, to: start)
    }
  }

  func saw(_ event: JukeboxEvent) {
    write(WatchRecord.Event(event, session.host).flatMap { EventLine($0, host: session.clock.now) })
    switch event {
    case .currentItem(let song):
      waits.current = song?.id
      show(song)
    case .didPlayToEndTime: hasSounded = true
    // A missing file was reported at startup.
    case .failed(let song, _) where missing.contains(song.song.locator): break
    case .failed(let song, let reason):
      problems += 1
      complain(reason, of: song)
    case .station(let song, let name): learn(song, station: name)
    case .timedMetadata(let song, "icy/StreamTitle", let title, _): learn(song, title: title)
    case .learned(let song, let metadata):
      if let name = metadata.displayName, display.learn(name, of: song.id) { took(name) }
    case .network(let song, let report):
      if let wait = waits.take(report, of: song.id) { complain(wait, of: song) }
    case .timeJumped, .interruption, .stalled, .timedMetadata: break
    case .loaded(let song, let ranges, _, _):
      display.load(ranges, of: song, at: currentTime.seconds)
      drawStatus()
    case .timeControlStatus(let status, _):
      drawStatus()
      if let song = display.song, let wait = waits.take(status) { complain(wait, of: song) }
      if status == .playing { began() }
    case .playerFailed(let error):
      problems += 1
      complain("playback stops: \(JukeboxPlayer.reason(error))")
      end()
    }
  }

  /// Records that playback has begun. Starts the schedule and the control socket, the first time.
  private func began() {
    hasSounded = true
    guard schedule == nil else { return }
    schedule = Schedule(options.schedule) { [weak self] command in self?.perform(command) }
    serve()
  }

  private func reached(_ time: CMTime) {
    guard let id = display.song?.id else { return }
    let now = session.clock.now
    if let events, writesTimes {
      events.write(
        timeLine.setTime(
          index: session.host.index(of: id), value: time.value, timescale: time.timescale,
          state: display.state, host: now))
    }
    let shown = display.reach(time)
    if shown.hasLines { writeLines(now: now) }
    if shown.isDrawn { drawStatus(time) }
  }

  func noted(_ diagnostic: PlaybackDiagnostic, isNews: Bool) {
    switch diagnostic {
    case .outputOpened(let route):
      server?.outputOpened()
      if isNews, let warning = SoundOutput.warning(route: route) { complain(warning) }
    case .outputUnavailable(let message, let retryAfter?):
      server?.outputFailed()
      complain("\(message); retry in \(retryAfter) s")
    case .outputUnavailable(let message, nil):
      complain(message)
      session.end(ExitStatus.unavailable.rawValue)
    case .rateUnavailable(let message): complain(message)
    case .replayGainIgnored(let message): complain(TerminalText.sanitized(message))
    // The state of the application is reported by its own events.
    case .startDeferred: break
    case .stepsCoalesced(let count):
      complain("observers lag by more than a second: \(count) time steps skipped")
    }
  }

  func recorded(_ event: LifecycleRecord.Event) {
    write(EventLine(event, host: session.clock.now))
    switch event {
    case .state(let state):
      display.reach(state, at: currentTime)
      write(EventLine(.applicationState(state.rawValue), host: session.clock.now))
      updateTimeObserver()
      writeLines(now: session.clock.now)
      drawStatus()
    case .interruptionBegan, .interruptionEnded:
      display.setInterrupted(event == .interruptionBegan, at: currentTime)
      writeLines(now: session.clock.now)
      drawStatus()
    case .terminated(let report): applicationEnded(report)
    default: break
    }
  }

  /// Ends the run after a termination of the application, unless a launch may follow. A launch is in the
  /// schedule, or comes from the client that terminated the application. The queue and the position survive.
  private func applicationEnded(_ report: TerminationReport?) {
    let mayBeLaunched = report == nil && !hasTerminated
    if mayBeLaunched || schedule?.includes(.launch) ?? false { return }
    if report == nil { end() } else { session.end(ExitStatus.terminated.rawValue) }
  }

  /// Performs a command of a key or of `--at`.
  func perform(_ command: PlayerCommand) {
    // The device records its own commands.
    if !command.isOfDevice {
      session.timeline?.record(.pressed(command.description))
      write(.command(command, host: session.clock.now))
    }
    if command == .terminate { hasTerminated = true }
    remote.perform(command)
  }

  private func updateTimeObserver() {
    session.service.application?.observedStep = writesTimes ? 1 : display.shownStep
  }

  /// Performs the command of a key, and shows its effect if nothing else does.
  private func press(_ key: TerminalKey) {
    guard let command = key.command else { return showKeys() }
    perform(command)
    guard session.service.application != nil else { return }
    switch command {
    case .volume, .mute: show(notice: session.host.read { $0.isMuted ? "muted" : "volume \($0.volume) %" })
    case .speed: show(notice: session.host.read { "speed \($0.speed)" })
    default: break
    }
  }

  private func show(notice: String) {
    let number = display.show(notice: notice)
    drawStatus()
    after(Self.noticeTime) { run in
      run.display.takeBack(notice: number)
      run.drawStatus()
    }
  }

  // MARK: Output

  private func write(_ line: EventLine?) {
    guard let events, let line, !options.eventsWithout.contains(line.name) else { return }
    events.write(line)
  }

  private func show(_ song: QueuedSong?) {
    display.show(song, place: song.map { place(of: $0) } ?? "", now: session.clock.now)
    guard let song, display.form != .nothing || session.timeline != nil else { return }
    if display.form == .lines { after(SongLines.patience) { $0.writeLines(now: $0.session.clock.now) } }
    tags.read([(song.id, song.song.locator)])
    drawStatus()
  }

  /// Returns the position among the songs whose files are not missing, such as `2/4`.
  private func place(of song: QueuedSong) -> String {
    let position = session.host.index(of: song.id)
    return session.host.read { machine in
      var before = 0, count = machine.queue.count
      if !missing.isEmpty {
        machine.queue.forEach(in: 0..<machine.queue.count) { index, queued in
          guard missing.contains(queued.song.locator) else { return }
          count -= 1
          if index < position { before += 1 }
        }
      }
      return "\(position + 1 - before)/\(count)"
    }
  }

  private func learn(_ song: QueuedSong, station: String? = nil, title: String? = nil) {
    if let name = display.note(station: station, title: title, of: song.id) { took(name) }
  }

  /// Shows a new name of the current song.
  private func took(_ name: SongName) {
    session.timeline?.record(.itemNamed(name.description))
    writeLines(now: session.clock.now)
    drawStatus()
  }

  private func take(_ songs: [(id: SongID, metadata: SongMetadata)]) {
    guard !session.isEnded else { return }
    for (id, metadata) in songs {
      if let name = metadata.displayName, display.note(name, of: id) { took(name) }
    }
    writeLines(now: session.clock.now)
  }

  /// Writes the lines that are ready at `now`; all lines for nil.
  private func writeLines(now: HostTime?) {
    for line in display.takeLines(now: now) { StandardOutput.writeLine(line) }
  }

  /// The position in the current song; zero without a player.
  private var currentTime: CMTime { session.service.application?.player.currentTime() ?? .zero }

  private func drawStatus(_ time: CMTime? = nil) {
    guard display.form == .statusLine, let terminal, let application = session.service.application else {
      return
    }
    let player = application.player
    terminal.draw(
      display.statusLine(
        application.timeControl.status, isMuted: player.isMuted, time: time ?? player.currentTime(),
        duration: player.currentItem?.duration ?? .indefinite))
  }

  /// Shows the list of keys. Beside a status line, a second call removes the list.
  private func showKeys() {
    if display.form == .statusLine, let terminal {
      terminal.toggle(TerminalKey.help)
    } else {
      for line in TerminalKey.help { StandardOutput.writeLine(line) }
    }
  }

  private func complain(_ reason: String, of song: QueuedSong) {
    complain("\(TerminalText.sanitized(song.song.locator.displayName)): \(reason)")
  }

  func complain(_ text: String) {
    if display.form == .statusLine, let terminal {
      terminal.complain(text)
    } else {
      StandardOutput.complain(text)
    }
  }
}
