import Clocks

@testable import AppLifecycle

/// Carries a machine's actions out in its head: calls return at once, or when told to.
struct MachineDriver {
  var machine: LifecycleMachine
  private(set) var now = HostTime(nanoseconds: 0)
  /// All actions so far but notes; ids are left out of sight by `Line`.
  private(set) var lines: [Line] = []
  private(set) var notes: [LifecycleRecord.Event] = []
  private(set) var reports: [TerminationReport] = []
  private(set) var finished: [UInt64] = []
  /// Checks every action.
  private(set) var rules = ActionRules()
  /// The call that waits for its return.
  private(set) var open: LifecycleMachine.CallID?
  /// Whether calls return at once.
  var returnsAtOnce = true
  /// What the application does in a call, before it returns.
  var inCall: ((LifecycleCallback, inout MachineDriver) -> Void)?
  /// What the application does in the launch handler of a task of the scheduler, before it returns.
  var inTask: ((ScheduledTask, inout MachineDriver) -> Void)?
  private var lastTask = 0

  /// An action without its id.
  enum Line: Hashable {
    case call(LifecycleCallback)
    case expire(Int)
    case launchTask(String)
    case tellSession(String)
    case expireTask(UInt64)
    case enter(ApplicationState)
    case act(LifecycleMachine.Action)
  }

  init(modes: String = "audio", settings: LifecycleSettings = LifecycleSettings()) {
    machine = LifecycleMachine(modes: BackgroundModes(list: modes), settings: settings)
  }

  mutating func submit(_ identifier: String, _ kind: ScheduledTaskRequest.Kind)
    -> ScheduledTaskRefusal?
  {
    machine.submitTask(ScheduledTaskRequest(identifier: identifier, kind: kind))
  }

  mutating func register(_ identifier: String) -> ScheduledTaskRegistration {
    machine.registerTask(identifier)
  }

  mutating func send(_ event: LifecycleMachine.Event) {
    take(machine.handle(event, at: now))
    while machine.pending == nil {
      let more = machine.handle(.settled, at: now)
      if more.isEmpty { break }
      take(more)
    }
    rules.check(machine, at: now)
  }

  mutating func happen(_ happening: LifecycleHappening, token: UInt64? = nil) {
    send(.happened(happening, token: token))
  }

  private mutating func take(_ actions: [LifecycleMachine.Action]) {
    for action in actions {
      rules.take(action)
      switch action {
      case .note(let event): notes.append(event)
      case .report(let report): reports.append(report)
      case .finished(let token): finished.append(token)
      case .call(let id, let callback):
        lines.append(.call(callback))
        open = id
        inCall?(callback, &self)
        if returnsAtOnce { returnCall() }
      case .expire(let id, let task):
        lines.append(.expire(task.rawValue))
        open = id
        if returnsAtOnce { returnCall() }
      case .launchTask(let id, let task):
        lines.append(.launchTask(task.request.identifier))
        open = id
        inTask?(task, &self)
        if returnsAtOnce { returnCall() }
      case .tellSession(let id, let session):
        lines.append(.tellSession(session))
        open = id
        if returnsAtOnce { returnCall() }
      case .expireTask(let id, let number):
        lines.append(.expireTask(number))
        open = id
        if returnsAtOnce { returnCall() }
      case .reachMainQueue(let id):
        open = id
        returnCall()
      case .enter(let state): lines.append(.enter(state))
      case .suspend, .reclaimSockets, .resume, .enterBackground, .enterForeground,
        .expectInterruption,
        .beginInterruption,
        .endInterruption,
        .terminate, .quit,
        .launch:
        lines.append(.act(action))
      }
    }
  }

  /// The call that is open returns.
  mutating func returnCall() {
    guard let id = open else { return }
    open = nil
    send(.callReturned(id))
  }

  /// Lets time pass, with an event at each deadline.
  mutating func advance(_ seconds: Double) {
    let end = now.advanced(bySeconds: seconds)
    var steps = 0
    while let next = machine.nextDeadline, next <= end, steps < 100 {
      now = max(now, next)
      send(.timePassed)
      steps += 1
    }
    rules.expect(steps < 100, "time does not get on")
    now = end
  }

  /// Begins a task; its number if it was granted.
  @discardableResult
  mutating func begin(_ name: String? = nil, hasHandler: Bool = true) -> UIBackgroundTaskIdentifier? {
    lastTask += 1
    let id = UIBackgroundTaskIdentifier(rawValue: lastTask)
    send(.taskBegan(id, name: name, hasHandler: hasHandler))
    return machine.tasks.contains { $0.id == id } ? id : nil
  }

  mutating func end(_ id: UIBackgroundTaskIdentifier) { send(.taskEnded(id)) }

  mutating func forget() {
    lines = []
    notes = []
  }

  var remaining: Double { machine.backgroundTimeRemaining(at: now) }
}
