import Clocks
import Dispatch
import Synchronization

/// The application's side of the task scheduler: its handlers and running tasks.
final class ScheduledTaskTable: Suspendable, ScheduledTaskRunner {
  private struct Launcher {
    let queue: DispatchQueue?
    let handler: @Sendable (BGTask) -> Void
  }

  private struct State {
    var launchers: [String: Launcher] = [:]
    var tasks: [UInt64: BGTask] = [:]
  }

  let scheduler: BGTaskScheduler
  private weak let device: Device?
  private let state = Mutex(State())

  init(device: Device) {
    self.device = device
    scheduler = BGTaskScheduler(device: device)
  }

  // MARK: Requests

  func register(
    _ identifier: String, _ queue: DispatchQueue?, _ handler: @escaping @Sendable (BGTask) -> Void
  ) -> ScheduledTaskRegistration {
    guard let device else { return .notPermitted }
    let outcome = device.perform(as: .application) { state, _ in
      state.taskRunner = self
      return state.machine.registerTask(identifier)
    }
    if outcome == .granted {
      // Nil represents the device's main queue, which in virtual time differs from Dispatch's.
      let queue = queue.flatMap { MainDispatchQueue.isMain($0) ? nil : $0 }
      state.withLock { $0.launchers[identifier] = Launcher(queue: queue, handler: handler) }
    }
    return outcome
  }

  func submit(_ request: ScheduledTaskRequest) -> ScheduledTaskRefusal? {
    guard let device else { return .unavailable }
    return device.perform(as: .application) { state, _ in state.machine.submitTask(request) }
  }

  func cancel(_ identifier: String?) {
    device?.perform(as: .application) { state, _ in state.machine.cancelTask(identifier) }
  }

  var requests: [ScheduledTaskRequest] { device?.shared.withLock { $0.machine.taskRequests } ?? [] }

  func enqueue(_ work: @escaping @Sendable () -> Void) { device?.mainQueue.enqueue(work) }

  // MARK: Running tasks

  func launch(_ task: ScheduledTask) {
    let made =
      task.request.kind == .refresh
      ? BGAppRefreshTask(task, table: self) : BGProcessingTask(task, table: self)
    let launcher = state.withLock { state in
      state.tasks[task.number] = made
      return state.launchers[task.request.identifier]
    }
    guard let launcher else { return complete(made, success: false) }
    run(task.number, on: launcher.queue) { launcher.handler(made) }
  }

  func expire(_ number: UInt64) {
    let (task, queue) = state.withLock { state in
      let task = state.tasks[number]
      return (task, task.flatMap { state.launchers[$0.identifier]?.queue })
    }
    guard let handler = task?.takeExpirationHandler() else { return }
    run(number, on: queue, handler)
  }

  /// Runs `work` on the given queue, unless the task is over when its turn comes. Without a queue runs it directly: the
  /// caller is already on the main queue.
  private func run(
    _ number: UInt64, on queue: DispatchQueue?, _ work: @escaping @Sendable () -> Void
  ) {
    guard let queue, let device else { return work() }
    queue.async { [self] in
      guard state.withLock({ $0.tasks[number] != nil }) else { return }
      Device.withCurrent(device, operation: work)
    }
  }

  func setExpirationHandler(of task: BGTask, _ hasHandler: Bool) {
    device?.handle(.expirationHandlerChanged(task.number, hasHandler), as: .application)
  }

  func complete(_ task: BGTask, success: Bool) {
    state.withLock { _ = $0.tasks.removeValue(forKey: task.number) }
    device?.handle(.scheduledTaskCompleted(task.number, success: success), as: .application)
  }

  // MARK: Suspendable

  func suspend() { dropTasks() }
  func resume() {}

  func terminate() {
    dropTasks()
    let launchers = state.withLock { state in
      defer { state.launchers = [:] }
      return state.launchers
    }
    withExtendedLifetime(launchers) {}
  }

  /// Releases all tasks: each was completed, expired or ended before a suspension or termination.
  private func dropTasks() {
    let tasks = state.withLock { state in
      defer { state.tasks = [:] }
      return state.tasks
    }
    for task in tasks.values { task.end() }
  }
}
