import HostTime

/// A task of a background session.
struct TransferKey: Hashable, Comparable, Sendable {
  /// The session's identifier.
  let session: String
  /// The task's number in it.
  let task: Int

  static func < (left: TransferKey, right: TransferKey) -> Bool {
    (left.session, left.task) < (right.session, right.task)
  }
}

/// When the device makes the transfers of background sessions, and when it wakes the application for them.
///
/// A value: it knows no thread, no clock and no network. Events go in with their time, commands come out.
struct TransferServiceMachine: Hashable, Sendable {
  /// Where the application is.
  enum Application: Hashable, Sendable {
    case front
    case background
    case suspended
    case gone
  }

  /// What is known of a task when it is resumed for the first time.
  struct Wishes: Hashable, Sendable {
    /// Before which it is not to begin.
    var earliest: HostTime?
    /// Whether the device chooses the time.
    var isDiscretionary = false
    /// When it fails if it is not done.
    var deadline = HostTime.distantFuture
  }

  enum Event: Hashable, Sendable {
    /// A task was made.
    case added(TransferKey)
    /// It is to begin, or to go on.
    case resumed(TransferKey, Wishes)
    /// It is to stand still.
    case held(TransferKey)
    /// Its transfer has ended, or cannot go on without the application.
    case ended(TransferKey)
    /// The application has said how it goes on.
    case answered(TransferKey)
    /// The application has heard of its end.
    case removed(TransferKey)
    case application(Application)
    /// The application was told that it was woken for this session.
    case told(String)
    /// The session is there, with a delegate; whether the application is woken for it.
    case connected(String, sendsLaunchEvents: Bool)
    /// The session is there no more.
    case disconnected(String)
    /// The person has ended the application.
    case quit
    /// There is power.
    case powered
    /// No event, only time has passed.
    case time
  }

  enum Command: Hashable, Sendable {
    /// The task's transfer begins, or goes on.
    case start(TransferKey)
    /// It stands still.
    case hold(TransferKey)
    /// It takes longer than it may: it has failed. `ended` is not expected.
    case expire(TransferKey)
    /// The person has ended the application, and so this task. `ended` is not expected.
    case cancel(TransferKey)
    /// The application is resumed or launched for this session.
    case wake(String)
    /// The session's delegate hears of this task, behind those before.
    case deliver(TransferKey)
    /// The session's delegate hears that this was all for which the application was woken.
    case finishEvents(String)
  }

  /// Seconds for which tasks made in the background wait after the first wake; doubled with each.
  static let firstDelay = 60.0

  struct Item: Hashable, Sendable {
    var wishes: Wishes?
    var isHeld = false
    var isRunning = false
    var isDone = false
    var isDelivered = false
    /// Before which it does not begin because the device chooses the time; nil if it does not.
    var chosen: HostTime?
    var waitsForLimiter = false

    /// When it may begin; nil if it does not wait for a moment.
    func moment(isPowered: Bool) -> HostTime? {
      [wishes?.earliest, isPowered ? nil : chosen].compactMap { $0 }.max()
    }
  }

  struct Session: Hashable, Sendable {
    var isConnected = false
    var sendsLaunchEvents = true
    /// Whether a task has ended since the application was last woken for it.
    var hasNews = false
    var wake = Wake.none
  }

  enum Wake: Hashable, Sendable {
    case none
    /// It is woken, and was not told yet.
    case asked
    /// It was told, and waits for the last message.
    case told
  }

  /// What holds back tasks that are made in the background.
  struct Limiter: Hashable, Sendable {
    /// Seconds; 0 if it holds back none.
    var delay = 0.0
    /// When it lets them go; nil if it holds back none.
    var end: HostTime?
  }

  private(set) var items: [TransferKey: Item] = [:]
  private(set) var sessions: [String: Session] = [:]
  private(set) var application: Application
  private(set) var limiter = Limiter()
  private(set) var isPowered = false
  /// How long the device lets tasks wait whose time it chooses, in seconds.
  let discretionaryDelay: Double
  /// The tasks that are done, in the order in which they ended.
  private var done: [TransferKey] = []
  /// The tasks that the present event concerns; nil: all. With thousands of tasks that wait it is not to be all.
  private var concerned: Set<TransferKey>? = []
  /// When `Event.time` changes something; nil: not before another event. It may be earlier than that, since nobody looks for the
  /// next moment when a task goes.
  private(set) var nextMoment: HostTime?
  private var now = HostTime(nanoseconds: .min)
  private var commands: [Command] = []

  /// A service without tasks.
  init(discretionaryDelay: Double, application: Application) {
    self.discretionaryDelay = discretionaryDelay
    self.application = application
  }

  /// Takes an event and returns what is to be done, in order. What does not apply changes nothing.
  mutating func handle(_ event: Event, at moment: HostTime) -> [Command] {
    now = max(now, moment)
    commands = []
    concerned = []
    take(event)
    steer()
    defer { commands = [] }
    return commands
  }

  /// When time changes something for the task; nil: not before another event.
  private func moment(of key: TransferKey) -> HostTime? {
    guard let item = items[key], !item.isDone, let wishes = item.wishes else { return nil }
    let deadline = wishes.deadline < .distantFuture ? wishes.deadline : nil
    guard !item.isRunning, !item.isHeld, !item.waitsForLimiter,
      let start = item.moment(isPowered: isPowered), start > now
    else { return deadline }
    return deadline.map { min($0, start) } ?? start
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .added(let key):
      guard items[key] == nil else { return }
      concern(key)
      items[key] = Item()
      if sessions[key.session] == nil { sessions[key.session] = Session() }
    case .resumed(let key, let wishes): resume(key, wishes)
    case .held(let key):
      guard var item = items[key], !item.isDone, !item.isHeld, item.wishes != nil else { return }
      item.isHeld = true
      if item.isRunning { commands.append(.hold(key)) }
      item.isRunning = false
      concern(key)
      items[key] = item
    case .ended(let key): end(key)
    case .answered(let key):
      guard items[key]?.isDone == true else { return }
      concern(key)
      items[key]?.isDone = false
      items[key]?.isDelivered = false
      items[key]?.isRunning = false
      done.removeAll { $0 == key }
    case .removed(let key):
      items[key] = nil
      done.removeAll { $0 == key }
    case .application(let next): move(to: next)
    case .told(let session): if sessions[session]?.wake == .asked { sessions[session]?.wake = .told }
    case .connected(let name, let sendsLaunchEvents):
      var session = sessions[name] ?? Session()
      session.isConnected = true
      session.sendsLaunchEvents = sendsLaunchEvents
      sessions[name] = session
    case .disconnected(let session): sessions[session]?.isConnected = false
    case .quit: quit()
    case .powered:
      isPowered = true
      concerned = nil
    case .time: break
    }
  }

  private mutating func concern(_ key: TransferKey) { concerned?.insert(key) }

  private mutating func resume(_ key: TransferKey, _ wishes: Wishes) {
    guard var item = items[key], !item.isDone else { return }
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

  private mutating func end(_ key: TransferKey) {
    guard items[key]?.isDone == false else { return }
    items[key]?.isRunning = false
    items[key]?.isDone = true
    done.append(key)
    sessions[key.session]?.hasNews = true
  }

  /// All tasks are over. The application hears of it when a person launches it again.
  private mutating func quit() {
    for key in items.keys.sorted() where items[key]?.isDone == false {
      commands.append(.cancel(key))
      end(key)
    }
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
      // One that was asked for a moment ago is on its way.
      if before == .front || before == .background {
        for name in sessions.keys { sessions[name]?.wake = .none }
      }
      guard next == .gone else { return }
      for name in sessions.keys {
        sessions[name]?.isConnected = false
        // What was on its way to the delegate was not heard.
        for key in items.keys where key.session == name { items[key]?.isDelivered = false }
      }
    }
  }

  // MARK: What follows

  private mutating func steer() {
    if let nextMoment, nextMoment <= now { concerned = nil }
    expire()
    limit()
    for key in concernedKeys {
      guard let item = items[key], item.wishes != nil, !item.isHeld, !item.isRunning, !item.isDone,
        !item.waitsForLimiter, item.moment(isPowered: isPowered).map({ $0 <= now }) ?? true
      else { continue }
      items[key]?.isRunning = true
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

  private var concernedKeys: [TransferKey] { concerned?.sorted() ?? items.keys.sorted() }

  private mutating func findNextMoment() {
    let before = concerned == nil || items.isEmpty ? nil : nextMoment
    let moments = concernedKeys.compactMap { moment(of: $0) }
    nextMoment = (moments + [before, limiter.end].compactMap { $0 }).min()
  }

  private mutating func expire() {
    for key in concernedKeys {
      guard let item = items[key], !item.isDone, let wishes = item.wishes, wishes.deadline <= now else {
        continue
      }
      commands.append(.expire(key))
      end(key)
    }
  }

  /// The delay is over: it begins again if tasks have waited for it, since they may end and wake the application, and is
  /// forgotten otherwise.
  private mutating func limit() {
    guard let end = limiter.end, end <= now else { return }
    concerned = nil
    let waiting = items.keys.filter { items[$0]?.waitsForLimiter == true }
    for key in waiting { items[key]?.waitsForLimiter = false }
    limiter =
      waiting.isEmpty ? Limiter() : Limiter(delay: limiter.delay, end: now.advanced(bySeconds: limiter.delay))
  }

  private mutating func wake(_ name: String) {
    guard let session = sessions[name], session.wake == .none, session.hasNews, session.sendsLaunchEvents,
      items.allSatisfy({ $0.key.session != name || $0.value.isDone || $0.value.wishes == nil })
    else { return }
    sessions[name]?.wake = .asked
    sessions[name]?.hasNews = false
    // Sessions that are done at one moment are one wake.
    if !commands.contains(where: { if case .wake = $0 { true } else { false } }) {
      limiter.delay = limiter.delay == 0 ? Self.firstDelay : limiter.delay * 2
      limiter.end = now.advanced(bySeconds: limiter.delay)
    }
    commands.append(.wake(name))
  }

  private mutating func deliver(_ name: String) {
    guard let session = sessions[name], session.isConnected, session.wake != .asked else { return }
    for key in done where key.session == name && items[key]?.isDelivered == false {
      items[key]?.isDelivered = true
      sessions[name]?.hasNews = false
      commands.append(.deliver(key))
    }
    if session.wake == .told {
      sessions[name]?.wake = .none
      commands.append(.finishEvents(name))
    }
  }
}
