import AppLifecycle
import Clocks
import ControlProtocol
import ControlServer
import CurlTransport
import Dispatch
import Glibc
import RunTimeline
import SystemSupport
import TransferService

/// The run of `continuo phone run`: carries out the actions of a `PhoneMachine` on the program's processes.
@MainActor
final class PhoneRun {
  struct Parts {
    /// The program and its arguments.
    var arguments: [String]
    var modes: BackgroundModes?
    var grace: Double
    var schedule: [ScheduledCommand]
    var events: EventWriter?
    var timeline: TimelineFile?
  }

  private(set) static var current: PhoneRun?
  /// The time limit for all threads to stop, in seconds, and the interval of checks.
  private static let standLimit = 1.0
  private static let standInterval = 0.001

  private let parts: Parts
  private let clock = SystemClock.shared
  var now: HostTime { clock.now }
  private(set) var machine: PhoneMachine
  private var process: PhoneProcess? { didSet { running.replace(with: process) } }
  private let running = RunningProcess()
  private var link: DescriptorSource?
  /// The background transfers of the application, which continue while it is stopped or has ended.
  private let transfers: TransferHost
  private var transferCalls: DescriptorSource?
  private var schedule: Schedule?
  private var terminal: Terminal?
  private var server: MPDServer?
  private var completions: [UInt64: @MainActor (_ refusal: String?) -> Void] = [:]
  private var lastToken: UInt64 = 0
  /// The time of the next `timePassed`.
  private var alarm: HostTime?
  /// The exit status once the transfers are done that keep the phone after the application's end; nil if a user
  /// controls the phone.
  private var statusAfterTransfers: Int32?
  /// Whether the last event came from a client of the socket, who may launch the application again.
  private var mayBeLaunched = false
  private var isEnded = false

  init(_ parts: Parts) {
    self.parts = parts
    machine = PhoneMachine(name: parts.arguments.first ?? "", grace: parts.grace)
    transfers = TransferHost(transport: CurlHTTPTransport.shared(clock: clock), clock: clock) { session in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { PhoneRun.current?.wake(for: session) }
      }
    }
  }

  /// Starts the program. Ends the command if it cannot be started.
  func start(socket: consuming ListeningSocket?) {
    Self.current = self
    CleanUp.add(running.end)
    if isatty(STDIN_FILENO) == 1 {
      terminal = Terminal(look: .current) { [weak self] key in self?.press(key) }
    }
    startProcess()
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

  static func end(_ status: Int32) {
    guard let current else { CleanUp.exit(status) }
    current.end(status)
  }

  func end(_ status: Int32) {
    guard !isEnded else { return }
    isEnded = true
    link?.cancel()
    transferCalls?.cancel()
    process?.end()
    transfers.end()
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
    case let command? where command.happening != nil: perform(command)
    default: StandardOutput.complain("keys: h home button, f foreground, q quit")
    }
  }

  /// Performs a command of a key or of `--at`.
  private func perform(_ command: PlayerCommand) {
    if command == .quit { return quit() }
    guard let happening = command.happening else { return }
    mayBeLaunched = false
    statusAfterTransfers = nil
    press(happening) { if let refusal = $0 { StandardOutput.complain("\(command): \(refusal)") } }
  }

  /// Force-quits the application, which cancels its background transfers, and ends the command.
  private func quit() {
    readTransferCalls()
    transfers.quit()
    end(ExitStatus.played.rawValue)
  }

  /// Performs a command of a client. `completion` is called once the application has handled the event.
  func perform(
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

  /// Ends a phone that no user controls and whose application has nothing more to do.
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
  }

  private func setAlarm() {
    guard let next = machine.nextDeadline, alarm.map({ next < $0 }) ?? true else { return }
    alarm = next
    after(next.seconds(since: clock.now)) { run in
      guard run.alarm == next else { return }
      run.alarm = nil
      run.handle(.timePassed)
    }
  }

  private func after(_ seconds: Double, _ body: @escaping @MainActor (PhoneRun) -> Void) {
    DispatchQueue.main.asyncAfter(deadline: .now() + max(0, seconds)) { [weak self] in
      MainActor.assumeIsolated { if let self, !self.isEnded { body(self) } }
    }
  }

  // MARK: Actions

  private func carryOut(_ action: PhoneMachine.Action) {
    switch action {
    case .start: startProcess()
    case .send(let order): send(order)
    case .stop:
      process?.session.signal(SIGSTOP)
      let limit = clock.now.advanced(bySeconds: Self.standLimit)
      after(0) { $0.confirmStop(until: limit) }
    case .resume: process?.session.signal(SIGCONT)
    case .kill: process?.session.signal(SIGKILL)
    case .state(let state, let time):
      parts.timeline?.record(.state(state), at: time)
      if let line = EventLine(.applicationState(state.rawValue), host: time) { parts.events?.write(line) }
      entered(state)
    case .record(let event, let time):
      if let entry = Timeline.Entry(event) { parts.timeline?.record(entry, at: time) }
    case .report(let fault, let time):
      parts.timeline?.record(.terminated("\(fault.code): \(fault.reason)"), at: time)
      ReportStore.write(fault.text, code: fault.code)
    case .complain(let text): StandardOutput.complain(text)
    case .finished(let token, let refusal): completions.removeValue(forKey: token)?(refusal)
    case .over(let ending): applicationEnded(ending)
    }
  }

  /// Passes `stood` to the machine once all threads of the program have stopped, or at `limit`.
  private func confirmStop(until limit: HostTime) {
    guard let process, machine.isStopping else { return }
    // Also stops threads and processes created since the last attempt.
    let stands = process.session.stop()
    guard stands || clock.now >= limit else {
      return after(Self.standInterval) { $0.confirmStop(until: limit) }
    }
    // Reports from before the stop come first, because a background task in them resumes the program.
    readReports()
    handle(.stood(isComplete: stands))
  }

  private func entered(_ state: ApplicationState) {
    // The last calls of the application come first.
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
    if schedule?.includes(.launch) ?? false { return }
    let status =
      switch ending {
      case .terminated: ExitStatus.played.rawValue
      case .faulted: ExitStatus.terminated.rawValue
      case .byItself(.exited(let status)): status
      case .byItself(.killed(let signal)): 128 + signal
      }
    switch ending {
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
      link = DescriptorSource(descriptor: process.link, queue: .main) { [weak self] in
        MainActor.assumeIsolated { self?.readReports() }
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
    link?.cancel()
    link = nil
    transferCalls?.cancel()
    transferCalls = nil
    transfers.disconnect()
    guard let end = ended.end() else { return }
    process = nil
    handle(.ended(end))
  }

  private func send(_ order: PhoneOrder) {
    guard let process else { return }
    let bytes = Array("\(order)".utf8)
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    while Glibc.send(process.link, bytes, bytes.count, flags) < 0 {
      if errno == EINTR { continue }
      // The link holds all events that may be unfinished. So the application reads none, and its link counts as
      // closed.
      return handle(.linkEnded)
    }
  }

  private func readTransferCalls() {
    guard transferCalls != nil, !transfers.receive() else { return }
    transferCalls?.cancel()
    transferCalls = nil
  }

  private func readReports() {
    guard let process, link != nil else { return }
    var bytes = [UInt8](repeating: 0, count: PhoneReport.limit)
    while true {
      let count = recv(process.link, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else {
        link?.cancel()
        link = nil
        return handle(.linkEnded)
      }
      if let report = PhoneReport(String(decoding: bytes[..<count], as: UTF8.self)) {
        handle(.report(report))
      }
    }
  }
}
