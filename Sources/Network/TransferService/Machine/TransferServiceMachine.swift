import Clocks

package struct TransferKey: Hashable, Comparable, Codable, Sendable {
  package let session: String
  package let task: Int

  package init(session: String, task: Int) {
    self.session = session
    self.task = task
  }

  package static func < (left: TransferKey, right: TransferKey) -> Bool {
    (left.session, left.task) < (right.session, right.task)
  }
}

/// Schedules the transfers of background sessions, and decides when to wake the application for them. A value
/// without threads, clocks and network. Events go in with their time, commands come out.
package struct TransferServiceMachine: Hashable, Sendable {
  package enum Application: String, Hashable, Codable, Sendable {
    case front
    case background
    case suspended
    case gone
  }

  enum Event: Hashable, Sendable {
    /// The task exists. If it is not ready, its transfer waits for `ready`.
    case added(TransferKey, isReady: Bool = true)
    /// The files of the task are in place.
    case ready(TransferKey)
    case resumed(TransferKey, Wishes)
    /// The application has paused a task.
    case held(TransferKey)
    /// The application has cancelled a download and wants its resume data.
    case cancelled(TransferKey)
    case ended(TransferKey)
    /// A task needs the application's answer to continue.
    case asked(TransferKey)
    /// The task no longer waits for the application's answer.
    case answered(TransferKey)
    /// The application has received the end of the task.
    case removed(TransferKey)
    case application(Application)
    /// The application was notified that it was woken for this session.
    case told(String)
    /// The process has ended. Wakes that have not reached it are requested again.
    case wakesLost
    /// The application could not be woken for this session.
    case notWoken(String)
    /// The session exists, with a delegate. `sendsLaunchEvents`: whether the application is woken for it.
    case connected(String, sendsLaunchEvents: Bool)
    case disconnected(String)
    /// The session's delegate has no method for delayed requests.
    case startsUnasked(String)
    /// The user has quit the application.
    case quit
    case powered
    case time
  }

  enum Command: Hashable, Sendable {
    case start(TransferKey)
    case hold(TransferKey)
    /// Stop the download, which has started or not, so that it can be resumed by another task.
    case stop(TransferKey)
    /// Fail the task, because its deadline has passed. The machine has ended it already.
    case expire(TransferKey)
    /// Cancel the task, because the user has quit the application. The machine has ended it already.
    case cancel(TransferKey)
    /// Resume or launch the application for this session.
    case wake(String)
    /// Notify the session's delegate of this task's end, after earlier ends.
    case deliver(TransferKey)
    /// Ask the session's delegate about this task's delay, or for the credentials that a server requests.
    case ask(TransferKey)
    /// Notify the session's delegate that all events were delivered for which the application was woken.
    case finishEvents(String)
  }

  /// The time, in seconds, for which tasks first resumed in the background wait after the first wake. A wake
  /// during this time doubles it.
  static let firstDelay = 60.0

  private(set) var items: [TransferKey: Item] = [:]
  private(set) var sessions: [String: Session] = [:]
  private(set) var application: Application
  private(set) var limiter = Limiter()
  private(set) var isPowered = false
  /// The delay in seconds of tasks whose time the device chooses.
  let discretionaryDelay: Double
  /// The tasks that have ended or wait for the application's answer, in the order in which they did so.
  private var done: [TransferKey] = []
  /// The tasks that the current event concerns; nil for all tasks. Limits the work when thousands of tasks
  /// wait.
  private var concerned: Set<TransferKey>? = []
  /// The next time at which `Event.time` has an effect; nil if none. This time may be too early, for example
  /// after the end of a task.
  private(set) var nextMoment: HostTime?
  private var now = HostTime(nanoseconds: .min)
  private var commands: [Command] = []

  init(discretionaryDelay: Double, application: Application) {
    self.discretionaryDelay = discretionaryDelay
    self.application = application
  }

  /// Handles an event and returns the commands to carry out, in order. Inapplicable events have no effect.
  mutating func handle(_ event: Event, at moment: HostTime) -> [Command] {
    now = max(now, moment)
    commands = []
    concerned = []
    take(event)
    steer()
    defer { commands = [] }
    return commands
  }

  /// Returns the task's deadline, or its start time if that comes first; nil if it waits for neither.
  private func moment(of key: TransferKey) -> HostTime? {
    guard let item = items[key], !item.isOver, let wishes = item.wishes else { return nil }
    let deadline = wishes.deadline < .distantFuture ? wishes.deadline : nil
    guard !item.isRunning, !item.isHeld, !item.waitsForLimiter,
      let start = item.moment(isPowered: isPowered), start > now
    else { return deadline }
    return deadline.map { min($0, start) } ?? start
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .added(let key, let isReady):
      guard items[key] == nil else { return }
      concern(key)
      items[key] = Item(isReady: isReady)
      if sessions[key.session] == nil { sessions[key.session] = Session() }
    case .ready(let key):
      concern(key)
      items[key]?.isReady = true
    case .resumed(let key, let wishes): resume(key, wishes)
    case .held(let key):
      guard var item = items[key], !item.isOver, !item.isHeld, item.wishes != nil else { return }
      item.isHeld = true
      if item.isRunning { commands.append(.hold(key)) }
      item.isRunning = false
      concern(key)
      items[key] = item
    case .cancelled(let key): commands.append(.stop(key))
    case .ended(let key): end(key)
    case .asked(let key): ask(key)
    case .answered(let key): if items[key]?.isAsking == true { reopen(key) }
    case .removed(let key):
      items[key] = nil
      done.removeAll { $0 == key }
    case .application(let next): move(to: next)
    case .told(let session): if sessions[session]?.wake == .asked { sessions[session]?.wake = .told }
    case .wakesLost:
      guard application == .suspended || application == .gone else { return }
      for name in sessions.keys.sorted() where sessions[name]?.wake == .asked { commands.append(.wake(name)) }
    case .notWoken(let session): if sessions[session]?.wake == .asked { sessions[session]?.wake = .none }
    case .connected(let name, let sendsLaunchEvents):
      var session = sessions[name] ?? Session()
      session.isConnected = true
      session.sendsLaunchEvents = sendsLaunchEvents
      session.startsUnasked = false
      sessions[name] = session
    case .disconnected(let session): sessions[session]?.isConnected = false
    case .startsUnasked(let session): sessions[session]?.startsUnasked = true
    case .quit: quit()
    case .powered:
      isPowered = true
      concerned = nil
    case .time: break
    }
  }

  private mutating func concern(_ key: TransferKey) { concerned?.insert(key) }

  private mutating func resume(_ key: TransferKey, _ wishes: Wishes) {
    guard var item = items[key], !item.isOver else { return }
    concern(key)
    item.isHeld = false
    if item.wishes == nil {
      item.wishes = wishes
      let isInBackground = application != .front
      if wishes.isDiscretionary || isInBackground {
        item.chosen = now.advanced(bySeconds: discretionaryDelay)
      }
      item.waitsForLimiter = isInBackground && limiter.end.map { $0 > now } ?? false
    }
    items[key] = item
  }

  private mutating func ask(_ key: TransferKey) {
    guard items[key]?.isDone == false else { return }
    end(key)
    items[key]?.isAsking = true
  }

  /// Ends the wait for the application's answer.
  private mutating func reopen(_ key: TransferKey) {
    concern(key)
    items[key]?.isAsking = false
    items[key]?.isDone = false
    items[key]?.isDelivered = false
    items[key]?.hasWoken = false
    items[key]?.wishes?.earliest = nil
    done.removeAll { $0 == key }
  }

  private mutating func end(_ key: TransferKey) {
    if items[key]?.isAsking == true { reopen(key) }
    guard items[key]?.isDone == false else { return }
    items[key]?.isRunning = false
    items[key]?.isDone = true
    done.append(key)
    sessions[key.session]?.hasNews = true
  }

  /// Ends all tasks. The application is notified when the user launches it again.
  private mutating func quit() {
    for key in items.keys.sorted() where items[key]?.isOver == false {
      commands.append(.cancel(key))
      end(key)
    }
    // The tasks that have ended so far no longer wake the application.
    for key in items.keys { items[key]?.hasWoken = true }
    for name in sessions.keys {
      sessions[name]?.hasNews = false
      sessions[name]?.isConnected = false
    }
    limiter = Limiter()
  }

  private mutating func move(to next: Application) {
    let before = application
    application = next
    switch next {
    case .front:
      limiter = Limiter()
      concerned = nil
      for key in items.keys { items[key]?.waitsForLimiter = false }
      for name in sessions.keys where sessions[name]?.wake == .asked { sessions[name]?.wake = .none }
    case .background: break
    case .suspended, .gone:
      // Keep a wake that was requested while the application did not run, because it is in progress.
      if before == .front || before == .background {
        for name in sessions.keys { sessions[name]?.wake = .none }
      }
      // The application may have been stopped before it received these ends and questions. A challenge can
      // still be answered later, unless the process has ended.
      for (key, item) in items
      where item.isDelivered && !item.hasWoken && (next == .gone || !item.isAsking || item.isDelayed) {
        sessions[key.session]?.hasNews = true
      }
      guard next == .gone else { return }
      for name in sessions.keys { sessions[name]?.isConnected = false }
      // Messages in transit to the delegate were lost, so deliver them again.
      for key in items.keys { items[key]?.isDelivered = false }
    }
  }

  private mutating func steer() {
    if let nextMoment, nextMoment <= now { concerned = nil }
    expire()
    limit()
    for key in concernedKeys {
      guard let item = items[key], item.wishes != nil, item.isReady, !item.isHeld, !item.isRunning,
        !item.isDone,
        !item.waitsForLimiter, item.moment(isPowered: isPowered).map({ $0 <= now }) ?? true
      else { continue }
      if item.wishes?.earliest != nil, asks(key.session) {
        ask(key)
        continue
      }
      items[key]?.isRunning = true
      items[key]?.wishes?.earliest = nil
      commands.append(.start(key))
    }
    for name in sessions.keys.sorted() {
      switch application {
      case .front, .background: deliver(name)
      case .suspended, .gone: wake(name)
      }
    }
    findNextMoment()
  }

  /// Whether the session's delegate is asked about a delayed task, now or once the application was woken.
  private func asks(_ name: String) -> Bool {
    guard let session = sessions[name] else { return false }
    return switch application {
    case .front, .background: session.isConnected || !session.startsUnasked
    case .suspended, .gone: session.sendsLaunchEvents && !session.startsUnasked
    }
  }

  private var concernedKeys: [TransferKey] { concerned?.sorted() ?? items.keys.sorted() }

  private mutating func findNextMoment() {
    let before = concerned == nil || items.isEmpty ? nil : nextMoment
    let moments = concernedKeys.compactMap { moment(of: $0) }
    nextMoment = (moments + [before, limiter.end].compactMap { $0 }).min()
  }

  private mutating func expire() {
    for key in concernedKeys {
      guard let item = items[key], !item.isOver, let wishes = item.wishes, wishes.deadline <= now else {
        continue
      }
      commands.append(.expire(key))
      end(key)
    }
  }

  /// Ends an expired delay. Restarts it if tasks have waited for it, because these tasks may end and wake the
  /// application.
  private mutating func limit() {
    guard let end = limiter.end, end <= now else { return }
    concerned = nil
    let waiting = items.keys.filter { items[$0]?.waitsForLimiter == true }
    for key in waiting { items[key]?.waitsForLimiter = false }
    limiter =
      waiting.isEmpty ? Limiter() : Limiter(delay: limiter.delay, end: now.advanced(bySeconds: limiter.delay))
  }

  private mutating func wake(_ name: String) {
    let own = items.filter { $0.key.session == name && $0.value.wishes != nil }.values
    // A delayed task does not wait for the session's other tasks, which may be due much later.
    guard let session = sessions[name], session.wake == .none, session.hasNews, session.sendsLaunchEvents,
      own.allSatisfy(\.isDone) || own.contains(where: { $0.isDelayed && !$0.hasWoken })
    else { return }
    sessions[name]?.wake = .asked
    sessions[name]?.hasNews = false
    for key in done where key.session == name { items[key]?.hasWoken = true }
    // Sessions that complete at the same time count as one wake.
    if !commands.contains(where: { if case .wake = $0 { true } else { false } }) {
      limiter.delay = limiter.delay == 0 ? Self.firstDelay : limiter.delay * 2
      limiter.end = now.advanced(bySeconds: limiter.delay)
    }
    commands.append(.wake(name))
  }

  /// Whether transfers of an application that has ended may launch it again.
  var mayWake: Bool {
    sessions.contains { name, session in
      let begun = items.filter { $0.key.session == name && $0.value.wishes != nil && !$0.value.isDone }
      return session.sendsLaunchEvents && (session.wake == .asked || session.hasNews || !begun.isEmpty)
        && begun.allSatisfy { !$0.value.isHeld }
    }
  }

  private mutating func deliver(_ name: String) {
    guard let session = sessions[name], session.isConnected, session.wake != .asked else { return }
    for key in done where key.session == name && items[key]?.isDelivered == false {
      items[key]?.isDelivered = true
      sessions[name]?.hasNews = false
      commands.append(items[key]?.isAsking == true ? .ask(key) : .deliver(key))
    }
    if session.wake == .told {
      sessions[name]?.wake = .none
      commands.append(.finishEvents(name))
    }
  }
}
