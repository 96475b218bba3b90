import AppLifecycle
import Clocks

/// The phone of one program as a value: takes events and times, and returns the actions to carry out in order.
///
/// The life cycle itself runs in the application's own device, at the other end of the link. This machine
/// sends the events to that device, stops the application's processes once it is suspended, and kills them
/// once it has terminated. For a program without a link the machine runs a life cycle of its own, without
/// calls into the program.
struct PhoneMachine {
  enum Input: Hashable {
    /// The processes were started.
    case started
    /// A user or system event. `Action.finished` returns `token`, if any.
    case press(LifecycleHappening, token: UInt64? = nil)
    case report(PhoneReport)
    /// The application has closed its end of the link, or does not read it.
    case linkEnded
    /// The result of `Action.stop`: all threads have stopped, or some have not within the time limit. Reports
    /// from before the stop were handled first.
    case stood(isComplete: Bool)
    /// The stopped application has work to do: data for a watched descriptor.
    case woken
    /// The first process has ended.
    case ended(ProcessEnd)
    case timePassed
  }

  enum Action: Hashable {
    /// Start the processes, then send `started`. End the phone if they cannot be started.
    case start
    case send(PhoneOrder)
    /// Stop all threads, then send `stood`.
    case stop
    case resume
    case kill
    /// The application reached this state.
    case state(ApplicationState, HostTime)
    /// The application's device recorded an event.
    case record(LifecycleRecord.Event, HostTime)
    case location(latitude: Double, longitude: Double, HostTime)
    case report(PhoneReport.Fault, HostTime)
    case complain(String)
    /// The event with this token is done, waits for a stopped application, was dropped with an ended one, or
    /// was refused for a reason.
    case finished(token: UInt64, refusal: String?)
    /// The application has ended and may be launched again.
    case over(Ending)
  }

  enum Ending: Hashable {
    /// Ended by the user or the system.
    case terminated
    /// Ended by the system for a fault.
    case faulted
    /// Ended by itself, or from outside the phone.
    case byItself(ProcessEnd)
  }

  /// The time limit for a woken application to leave the state `suspended`, in seconds. Afterwards it is stopped
  /// again.
  static let wakeLimit = 1.0
  /// The program's name, for messages.
  let name: String
  /// The maximum time between the report `still` and the stop, in seconds. A background task that begins in
  /// between takes the suspension back.
  let grace: Double

  private var processes = StopSchedule()
  private var link = ProgramLink.none
  /// The application's state as reported to the user. Becomes `suspended` after the stop of its processes, or
  /// after the time limit of the stop.
  private(set) var state = ApplicationState.notRunning
  /// The state of the application's device.
  private var reached = ApplicationState.notRunning
  /// The facts about the application. `modes` are those given to `init` until the application has a device
  /// and reports its own.
  private(set) var profile = ApplicationProfile()
  private var standIn: StandIn?
  private var presses = PressQueue()
  /// Whether the application was last started in the background, for a session or a fetch.
  private(set) var launchesInBackground = false
  /// The reason for which the process is being killed; nil if it is not being killed.
  private var ending: Ending?
  /// The event for which the program starts again once its killed process has ended.
  private var nextLaunch: PhonePress?
  private var now = HostTime(nanoseconds: .min)
  private var actions: [Action] = []

  init(name: String, grace: Double, modes: BackgroundModes = BackgroundModes()) {
    self.name = name
    self.grace = grace
    profile.modes = modes
  }

  var isRunning: Bool { processes.phase != .none }

  /// Whether neither the stop of a suspended application nor the end of killed processes is pending.
  var isSettled: Bool {
    guard isRunning else { return true }
    return ending == nil && (reached != .suspended || isStopped)
  }

  /// Whether the stop of the processes is over, even if some threads have not stopped within the time limit.
  var isStopped: Bool { processes.phase == .stopped }

  /// The earliest time at which `timePassed` has an effect; nil if none.
  var nextDeadline: HostTime? {
    [processes.nextDeadline, standIn?.nextDeadline, isLinkAwaited ? link.limit : nil].compactMap(\.self).min()
  }

  /// Whether the link's limit has an effect.
  private var isLinkAwaited: Bool { presses.areWaiting || link.isClosed }

  mutating func handle(_ input: Input, at moment: HostTime) -> [Action] {
    now = max(now, moment)
    switch input {
    case .started: start()
    case .press(let happening, let token): press(PhonePress(happening: happening, token: token))
    case .report(let report): if isRunning { receive(report) }
    case .linkEnded: loseLink()
    case .stood(let isComplete): stand(isComplete)
    case .woken: wake()
    case .ended(let end): endProcess(end)
    case .timePassed: break
    }
    checkTime()
    defer { actions = [] }
    return actions
  }

  private mutating func checkTime() {
    if processes.isStopDue(at: now) { stop() }
    if processes.isWakeDue(at: now) { wake() }
    if let limit = link.limit, now >= limit {
      if link.isHeld { sendWaiting() } else if isLinkAwaited { doWithoutLink() }
    }
    if standIn?.nextDeadline.map({ now >= $0 }) ?? false { tellStandIn(.timePassed) }
  }

  // MARK: Start and end

  private mutating func start() {
    processes.start()
    // An event that has started the program waits longer for the first report, because nobody would repeat it.
    let limit = presses.areWaiting ? ProgramLink.launchLimit : ProgramLink.helloLimit
    link = .awaited(until: now.advanced(bySeconds: limit))
    reached = .notRunning
    standIn = nil
    ending = nil
  }

  private mutating func endProcess(_ end: ProcessEnd) {
    guard isRunning else { return }
    processes.end()
    link = .none
    standIn = nil
    profile.end()
    for press in presses.takeAll() { finish(press) }
    if ending == nil, case .killed(let signal) = end {
      actions.append(.complain("\(name) has crashed: killed by signal \(signal) from outside the phone"))
    }
    show(.notRunning, now)
    if let press = nextLaunch.take() {
      start(for: press)
    } else {
      actions.append(.over(ending ?? .byItself(end)))
    }
    ending = nil
  }

  private mutating func kill(_ ending: Ending) {
    self.ending = ending
    processes.cancelStop()
    actions.append(.kill)
  }

  private mutating func finish(_ press: PhonePress, refusal: String? = nil) {
    if let token = press.token { actions.append(.finished(token: token, refusal: refusal)) }
  }

  private mutating func show(_ next: ApplicationState, _ time: HostTime) {
    guard next != state else { return }
    state = next
    actions.append(.state(next, time))
  }

  // MARK: Events

  private mutating func press(_ press: PhonePress) {
    guard "\(press.happening)".utf8.count <= PhoneOrder.limit else {
      return finish(press, refusal: "its identifier is longer than \(PhoneOrder.limit) bytes")
    }
    profile.note(press.happening)
    guard isRunning else { return start(for: press) }
    guard ending == nil else {
      // The transfer service repeats a wake that meets an ending process.
      let isLaunch = press.happening == .launch
      guard isLaunch || profile.launchesInBackground(press.happening) && !press.isForSession else {
        return finish(press)
      }
      // A launch by the user takes precedence.
      if let other = nextLaunch { finish(isLaunch ? other : press) }
      if isLaunch || nextLaunch == nil { nextLaunch = press }
      return
    }
    switch link {
    case .awaited, .closed: keep(press)
    // Until its launch, the device ignores events that do not launch it. So such events are kept for later.
    case .held(_?):
      if !press.launches(inBackground: launchesInBackground) {
        keep(press)
      } else if hasRoom(for: press) {
        send(press)
      }
    case .held: tellApplication(press)
    case .none: tellStandIn(press)
    }
  }

  /// Starts the program for an event that launches the application; refuses other events. Call only if the program
  /// is not running.
  private mutating func start(for press: PhonePress) {
    launchesInBackground = profile.launchesInBackground(press.happening)
    guard press.happening == .launch || launchesInBackground else {
      return finish(press, refusal: "the application is not running")
    }
    actions.append(.start)
    presses.keep(press)
  }

  /// Keeps an event for later, or refuses it if too many wait. Of several events for the same session, keeps only
  /// the first.
  private mutating func keep(_ press: PhonePress) {
    if press.isForSession, presses.waits(for: press.happening) { return finish(press) }
    if hasRoom(for: press) { presses.keep(press) }
  }

  /// Returns whether another event may wait or be sent. Refuses `press` if not.
  private mutating func hasRoom(for press: PhonePress) -> Bool {
    if presses.hasRoom { return true }
    finish(press, refusal: "too many events wait for the application")
    return false
  }

  /// Sends an event to the application. For a stopped application, `terminate` and `quit` kill the process, and an
  /// event that does not wake the application waits for one that does.
  private mutating func tellApplication(_ press: PhonePress) {
    let isStanding = processes.isStanding
    if isStanding, press.happening == .terminate || press.happening == .quit {
      // A suspended application gets no call.
      finish(press)
      return kill(.terminated)
    }
    guard !isStanding || profile.wakes(press.happening) else {
      // Of several equal events the application gets the last.
      _ = presses.takeWaiting { $0.happening == press.happening }
      guard hasRoom(for: press) else { return }
      presses.keep(PhonePress(happening: press.happening))
      return finish(press)
    }
    guard isStanding || hasRoom(for: press) else { return }
    resume()
    sendWaiting()
    send(press)
  }

  private mutating func sendWaiting() {
    link = .held(launchBy: nil)
    for press in presses.takeWaiting() { send(press) }
  }

  private mutating func send(_ press: PhonePress) {
    actions.append(.send(presses.send(press)))
  }

  // MARK: Reports

  private mutating func receive(_ report: PhoneReport) {
    switch report {
    case .hello(let modes, let reached):
      profile.modes = modes
      if !link.isHeld { link = .held(launchBy: nil) }
      standIn = nil
      enter(reached, now)
      if profile.isInterrupted { send(PhonePress(happening: .interruptionBegan)) }
      if reached == .notRunning {
        link = .held(launchBy: now.advanced(bySeconds: ProgramLink.launchLimit))
        for press in presses.takeLaunches(inBackground: launchesInBackground) { send(press) }
      } else {
        // A device that is active from the beginning cannot be launched in the background.
        if launchesInBackground, reached != .background { send(PhonePress(happening: .home)) }
        sendWaiting()
      }
    case .event(.state(let reached), let time): enter(reached, time)
    case .event(let event, let time):
      profile.record(event, time)
      actions.append(.record(event, time))
    case .refused(let reason): actions.append(.complain(reason))
    case .still(let left, let wake, let returnsOnUnlock):
      guard reached == .suspended, processes.phase == .running, presses.areFinished else { return }
      profile.returnsOnUnlock = returnsOnUnlock
      processes.planStop(
        at: now.advanced(bySeconds: min(left, grace)), wakingAt: wake.map { now.advanced(bySeconds: $0) })
    // The descriptors come with the packets, and are not the machine's.
    case .watch, .socket: break
    case .location(let latitude, let longitude, let time):
      actions.append(.location(latitude: latitude, longitude: longitude, time))
    case .done(let number, _):
      if let press = presses.finish(number) { finish(press) }
    case .terminated(let fault, let time):
      actions.append(.record(.terminated(nil), time))
      profile.lastFault = fault
      if let fault { actions.append(.report(fault, time)) }
      kill(fault == nil ? .terminated : .faulted)
    }
  }

  private mutating func enter(_ next: ApplicationState, _ time: HostTime) {
    reached = next
    if case .held(_?) = link, next != .notRunning { sendWaiting() }
    // A suspension is reported after the stop of the processes, and the end after their end.
    guard next != .suspended, next != .notRunning else { return }
    // A background task may have begun just before the stop.
    resume()
    if ending == nil { show(next, time) }
  }

  // MARK: Stops

  private mutating func stop() { if processes.stop() { actions.append(.stop) } }

  private mutating func stand(_ isComplete: Bool) {
    guard processes.phase == .stopping, ending == nil else { return }
    processes.stand()
    if !isComplete {
      actions.append(.complain("not all threads of \(name) stand still after a second"))
    }
    show(.suspended, now)
  }

  /// Resumes a stopped application, whose own device determines the work to do. Plans a stop after `wakeLimit`.
  private mutating func wake() {
    guard isStopped else { return }
    // Waiting events are sent before the application resumes, so that it handles them first.
    if link.isHeld { sendWaiting() }
    resume()
    processes.planStop(
      at: now.advanced(bySeconds: Self.wakeLimit), wakingAt: processes.wake(after: now))
  }

  private mutating func resume() { if processes.resume() { actions.append(.resume) } }

  // MARK: Programs without a link

  private mutating func loseLink() {
    if link.isHeld { link = .closed(until: now.advanced(bySeconds: ProgramLink.endLimit)) }
  }

  private mutating func doWithoutLink() {
    let reason =
      link.isClosed
      ? "has closed its connection to the phone"
      : "has not made itself known: it uses no device of Continuo"
    link = .none
    actions.append(.complain("\(name) \(reason); it gets no calls, and is stopped and ended all the same"))
    let runs = processes.phase == .running
    standIn = StandIn(isInFront: runs, at: now)
    if runs { show(.active, now) }
    for press in presses.takeAll() { tellStandIn(press) }
  }

  private mutating func tellStandIn(_ press: PhonePress) {
    tellStandIn(.happened(press.happening, token: press.token))
  }

  private mutating func tellStandIn(_ event: LifecycleMachine.Event) {
    for step in standIn?.handle(event, at: now) ?? [] { carryOut(step) }
  }

  private mutating func carryOut(_ step: LifecycleMachine.Action) {
    switch step {
    case .enter(.suspended): reached = .suspended
    case .enter(.notRunning): break
    case .enter(let next): enter(next, now)
    case .suspend: stop()
    case .enterForeground, .resume: resume()
    case .terminate: kill(.terminated)
    case .finished(let token): actions.append(.finished(token: token, refusal: nil))
    case .note(.refused(let refusal)): actions.append(.complain("\(refusal)"))
    default: break
    }
  }
}
