package import AppLifecycle
import Clocks
import ControlProtocol
import ControlServer
import CurlTransport
import Dispatch
import Glibc
package import RunTimeline
import SystemSupport
import TransferService

/// A run of a phone, as of `continuo phone run`: carries out the actions of a `PhoneMachine` on the program's
/// processes.
@MainActor
package final class PhoneRun {
  package struct Parts {
    /// The program and its arguments.
    var arguments: [String]
    var modes: BackgroundModes?
    var grace = 0.0
    var schedule: [ScheduledCommand] = []
    var events: EventWriter?
    var timeline: TimelineFile?
    /// Whether the keys of a terminal are events.
    package var readsKeys = true
    /// Whether the phone prints the refusals of the application's device.
    package var saysRefusals = true
    /// Whether the phone outlives a terminated application, because a later event may launch that again.
    package var staysForLaunch = false
    /// Whether the program starts with the phone, and not with the first event that launches the application.
    package var startsProgram = true
    /// Called with the records that the phone makes in place of a stopped application: its suspension, the
    /// sockets reclaimed then, and the arrival of VoIP data, before it resumes.
    package var onRecord: (@MainActor (LifecycleRecord) -> Void)?

    package init(arguments: [String], modes: BackgroundModes? = nil, timeline: TimelineFile? = nil) {
      self.arguments = arguments
      self.modes = modes
      self.timeline = timeline
    }
  }

  private(set) static var current: PhoneRun?

  private let parts: Parts
  private let clock = SystemClock.shared
  var now: HostTime { clock.now }
  private(set) var machine: PhoneMachine
  private var process: PhoneProcess? { didSet { running.replace(with: process) } }
  private let running = RunningProcess()
  private var stop: ProgramStop?
  private var link: DescriptorSource?
  /// The background transfers of the application, which continue while it is stopped or has ended.
  private let transfers: TransferHost
  private var transferCalls: DescriptorSource?
  private var schedule: Schedule?
  private var terminal: Terminal?
  private var server: MPDServer?
  private var completions: [UInt64: @MainActor (_ refusal: String?) -> Void] = [:]
  private var lastToken: UInt64 = 0
  private var onSettled: [@MainActor () -> Void] = []
  /// The time of the next `timePassed`.
  private var alarm: HostTime?
  /// The exit status after the transfers that keep the phone running after the application's end. Nil if no
  /// transfers do so, or if a user controls the phone.
  private var statusAfterTransfers: Int32?
  /// Whether the last command came from a client, who may launch the application again.
  private var mayBeLaunched = false
  /// Whether the system has terminated the application for a fault.
  package private(set) var hasFaulted = false
  private var isEnded = false

  /// Runs a program on a phone without a control socket; never returns. Call on the main thread. `begin` is
  /// called once the program was started, or at once without `startsProgram`.
  package static func run(_ parts: Parts, begin: @MainActor (PhoneRun) -> Void) -> Never {
    run(parts, bind: { nil }, begin: begin)
  }

  static func run(
    _ parts: Parts, bind: @MainActor () -> ListeningSocket?, begin: @MainActor (PhoneRun) -> Void = { _ in }
  ) -> Never {
    // Must precede everything that a signal would have to clean up.
    let signals = Signals(end: { PhoneRun.end($0) }, redraw: { PhoneRun.current?.redraw() })
    StandardOutput.waitForNobody()
    if let timeline = parts.timeline { CleanUp.add(timeline.writeAtEnd) }
    let run = PhoneRun(parts)
    run.start(socket: bind())
    begin(run)
    signals.mainQueueRuns()
    withExtendedLifetime(signals) { MainLoop.shared.run() }
  }

  private init(_ parts: Parts) {
    self.parts = parts
    machine = PhoneMachine(
      name: parts.arguments.first ?? "", grace: parts.grace, modes: parts.modes ?? BackgroundModes())
    let transport = CurlHTTPTransport(clock: clock, options: .ofSessions)
    transfers = TransferHost(transport: transport, clock: clock) { session in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { PhoneRun.current?.wake(for: session) }
      }
    }
  }

  /// Starts the run, and the program if `startsProgram`. Ends the command if the program cannot be started.
  private func start(socket: consuming ListeningSocket?) {
    Self.current = self
    CleanUp.add(running.end)
    if parts.readsKeys, isatty(STDIN_FILENO) == 1 {
      terminal = Terminal(look: .current) { [weak self] key in self?.press(key) }
    }
    if parts.startsProgram { startProcess() }
    schedule = Schedule(parts.schedule) { [weak self] command in self?.perform(command) }
    guard let socket else { return }
    do {
      var limits = ServerLimits()
      limits.ending = 0.1
      server = try MPDServer(socket: socket, handler: PhoneDesk(), limits: limits)
    } catch {
      StandardOutput.complain("no control socket: \(error)")
    }
  }

  package static func end(_ status: Int32) {
    guard let current else { CleanUp.exit(status) }
    current.end(status)
  }

  func end(_ status: Int32) {
    guard !isEnded else { return }
    isEnded = true
    running.ending.enter()
    link = nil
    transferCalls = nil
    process?.end()
    transfers.end()
    running.ending.leave()
    terminal?.finish()
    for completion in completions.values { completion("the phone has ended") }
    server?.stop()
    CleanUp.exit(status)
  }

  func redraw() { terminal?.resume() }

  // MARK: Events

  private func press(_ key: TerminalKey) {
    switch key.command {
    case .quit?: quit()
    case .toggle?: perform(.system(.touch("tap")))
    case let command? where command.happening != nil: perform(command)
    default: StandardOutput.complain("keys: h home button, f foreground, space tap, q quit")
    }
  }

  /// Performs a command of a key or of `--at`.
  private func perform(_ command: PlayerCommand) {
    if command == .quit { return quit() }
    guard let happening = command.happening else { return }
    mayBeLaunched = false
    press(happening) { [weak self] refusal in
      if let refusal { StandardOutput.complain("\(command): \(refusal)") }
      // It may have been the last command for which the end had to wait.
      guard let self, !isEnded, !machine.isRunning || machine.state == .suspended else { return }
      endAfterTransfers()
    }
  }

  /// Force-quits the application, which cancels its background transfers, and ends the command.
  private func quit() {
    readTransferCalls()
    transfers.quit()
    end(ExitStatus.played.rawValue)
  }

  /// Performs a command of a client. `completion` is called once the event is finished, as
  /// `PhoneMachine.Action.finished` describes, or the phone ends. `refusal` is the reason for a refusal, or the
  /// phone's end; nil otherwise.
  package func perform(
    _ happening: LifecycleHappening, forClient completion: @escaping @MainActor (_ refusal: String?) -> Void
  ) {
    mayBeLaunched = true
    statusAfterTransfers = nil
    press(happening, completion)
  }

  private func wake(for session: String) {
    press(.backgroundSession(session)) { [weak self] refusal in
      guard let self, let refusal, !isEnded else { return }
      StandardOutput.complain("\(machine.name) is not woken for a background session: \(refusal)")
      transfers.failedToWake(for: session)
      if !machine.isRunning { endAfterTransfers() }
    }
  }

  /// Ends a phone that runs only for the application's transfers, once none of them may wake the application and
  /// no scheduled command is pending.
  private func endAfterTransfers() {
    if let statusAfterTransfers, !transfers.mayWake, schedule?.isEmpty ?? true { end(statusAfterTransfers) }
  }

  private func press(
    _ happening: LifecycleHappening, _ completion: @escaping @MainActor (_ refusal: String?) -> Void
  ) {
    lastToken += 1
    completions[lastToken] = completion
    parts.timeline?.record(.pressed(happening.description))
    handle(.press(happening, token: lastToken))
  }

  private func handle(_ input: PhoneMachine.Input) {
    guard !isEnded else { return }
    for action in machine.handle(input, at: clock.now) { carryOut(action) }
    setAlarm()
    guard machine.isSettled else { return }
    let ready = onSettled
    onSettled = []
    for body in ready { body() }
  }

  /// Calls `body` once no stop and no end of the application is in progress.
  package func whenSettled(_ body: @escaping @MainActor () -> Void) {
    if machine.isSettled { body() } else { onSettled.append(body) }
  }

  private func setAlarm() {
    guard let next = machine.nextDeadline, alarm.map({ next < $0 }) ?? true else { return }
    alarm = next
    DispatchQueue.main.asyncAfter(deadline: .now() + max(0, next.seconds(since: clock.now))) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.alarm == next else { return }
        self.alarm = nil
        self.handle(.timePassed)
      }
    }
  }

  // MARK: Actions

  private func carryOut(_ action: PhoneMachine.Action) {
    switch action {
    case .start: startProcess()
    case .send(let order): send(order)
    case .stop: stop?.begin()
    case .resume: stop?.resume()
    case .kill: process?.tree.signal(SIGKILL)
    case .state(let state, let time):
      if state == .suspended { suspended(at: time) }
      parts.timeline?.record(.state(state), at: time)
      if let line = EventLine(.applicationState(state.rawValue), host: time) { parts.events?.write(line) }
      entered(state)
    case .record(let event, let time):
      if let entry = Timeline.Entry(event) { parts.timeline?.record(entry, at: time) }
    case .location(let latitude, let longitude, let time):
      parts.timeline?.record(.place(latitude: latitude, longitude: longitude), at: time)
    case .report(let fault, let time):
      hasFaulted = true
      parts.timeline?.record(.terminated("\(fault.code): \(fault.reason)"), at: time)
      ReportStore.write(fault.text, code: fault.code)
    case .complain(let text): StandardOutput.complain(text)
    case .finished(let token, let refusal): completions.removeValue(forKey: token)?(refusal)
    case .over(let ending): applicationEnded(ending)
    }
  }

  /// Handles the result of a stop. Returns whether the program remains stopped.
  private func stood(_ isComplete: Bool) -> Bool {
    // Reports from before the stop come first, because a background task in them resumes the program.
    readReports()
    handle(.stood(isComplete: isComplete))
    return machine.isStopped
  }

  private func voipDataArrived() {
    parts.onRecord?(LifecycleRecord(time: now, event: .happened(.voipData)))
    handle(.woken)
  }

  /// Reports the suspension, and reclaims the sockets that the application has passed for that.
  private func suspended(at time: HostTime) {
    parts.onRecord?(LifecycleRecord(time: time, event: .state(.suspended)))
    guard let reclaimed = stop?.reclaimSockets(), !reclaimed.isEmpty else { return }
    parts.onRecord?(LifecycleRecord(time: now, event: .socketsReclaimed(reclaimed)))
  }

  private func entered(_ state: ApplicationState) {
    // Transfer calls that the application made before the change of state are handled first.
    readTransferCalls()
    switch state {
    case .active: transfers.applicationEntered(.front)
    case .background: transfers.applicationEntered(.background)
    case .suspended:
      transfers.applicationEntered(.suspended)
      endAfterTransfers()
    // Inactive is also an application that is being launched in the background.
    case .inactive, .notRunning: break
    }
  }

  private func applicationEnded(_ ending: PhoneMachine.Ending) {
    let fetches = machine.profile.modes.contains(.fetch) && schedule?.includes(.fetch) == true
    if fetches || schedule?.includes(.launch) == true { return }
    let status =
      switch ending {
      case .terminated: ExitStatus.played.rawValue
      case .faulted: ExitStatus.terminated.rawValue
      case .byItself(.exited(let status)): status
      case .byItself(.killed(let signal)): 128 + signal
      }
    switch ending {
    case .terminated where parts.staysForLaunch, .faulted where parts.staysForLaunch: break
    case .terminated where transfers.mayWake, .faulted where transfers.mayWake:
      StandardOutput.complain("\(machine.name): its background transfers continue, and will launch it again")
      if !mayBeLaunched, terminal == nil { statusAfterTransfers = status }
    case .terminated where mayBeLaunched: break
    default: end(status)
    }
  }

  // MARK: Program

  private func startProcess() {
    do throws(SystemCallError) {
      let process = try PhoneProcess(
        parts.arguments, modes: parts.modes, launchesInBackground: machine.launchesInBackground,
        takesInput: terminal == nil
      ) { process in
        DispatchQueue.main.async { MainActor.assumeIsolated { PhoneRun.current?.processEnded(process) } }
      }
      self.process = process
      stop = ProgramStop(
        of: process.tree, onStood: { [weak self] in self?.stood($0) ?? false },
        onData: { [weak self] in self?.voipDataArrived() })
      link = DescriptorSource(descriptor: process.link, queue: .main) { [weak self] in
        MainActor.assumeIsolated { self?.readReports(atMost: 64) }
      }
      transfers.connect(process.transfers, isWoken: machine.launchesInBackground)
      transferCalls = DescriptorSource(descriptor: process.transfers, queue: .main) { [weak self] in
        MainActor.assumeIsolated { self?.readTransferCalls() }
      }
      handle(.started)
    } catch {
      StandardOutput.complain("\(machine.name): \(SystemError.text(error.code))")
      end(ExitStatus.noInput.rawValue)
    }
  }

  private func processEnded(_ ended: PhoneProcess) {
    guard ended === process, !isEnded else { return }
    readReports()
    link = nil
    transferCalls = nil
    transfers.disconnect()
    stop = nil
    guard let end = ended.end() else { return }
    process = nil
    handle(.ended(end))
  }

  private func send(_ order: PhoneOrder) {
    guard let process else { return }
    // If this fails, the application has closed its end, or reads nothing: the socket has room for
    // `PressQueue.limit` small packets. Both count as a closed link.
    if !PassedDescriptor.send(Array("\(order)".utf8), with: nil, over: process.link) { handle(.linkEnded) }
  }

  private func readTransferCalls() {
    if transferCalls != nil, !transfers.receive() { transferCalls = nil }
  }

  /// Handles the reports that have arrived. The limit leaves the main thread to others; `link` calls again.
  private func readReports(atMost limit: Int = .max) {
    guard let process, link != nil else { return }
    for _ in 0..<limit {
      let packet = PassedDescriptor.receive(from: process.link, limit: PhoneReport.limit)
      if packet == nil, errno == EAGAIN { return }
      guard let packet, !packet.bytes.isEmpty else {
        link = nil
        return handle(.linkEnded)
      }
      let report = PhoneReport(String(decoding: packet.bytes, as: UTF8.self))
      switch report {
      case .watch?: stop?.setWatched(packet.descriptor)
      case .socket?: stop?.keep(packet.descriptor)
      // A suspension that is taken back reclaims nothing.
      case .event(.state(let next), _)? where next != .suspended: stop?.dropSockets()
      case .refused? where !parts.saysRefusals: continue
      default: break
      }
      if let report { handle(.report(report)) }
    }
  }
}
