/// The life cycle of one application as a value: an event goes in, what is to be done comes out, in order.
///
/// It knows nothing of threads, time and audio. `Device` is its host. The order of callbacks and states is that of
/// Apple's documentation ("Managing your app's life cycle", "About the background execution sequence").
public struct LifecycleMachine: Hashable, Sendable {
  /// What happens to the application.
  public enum Event: Hashable, Sendable {
    /// A person starts it. Opens a lock as well, since nobody can start anything behind one.
    case launch
    /// The home button.
    case home
    /// A person brings it to the front. Opens a lock as well.
    case foreground
    /// The screen is locked.
    case lock
    /// The screen is unlocked; the application returns to the front if it was there when the lock closed.
    case unlock
    /// The system ends it.
    case terminate
    /// This is now all that asks for it to be kept running, whether or not it counts.
    case keepersChanged(Set<BackgroundKeeper>)
    /// Someone uses the controls of a lock screen: an application with the audio mode runs again, in the background.
    /// It is suspended again unless something keeps it running when everything that follows is done.
    case remoteControl
    /// Everything that earlier events asked for has been done, and nothing else has come meanwhile. Suspension is
    /// decided only then, so that what a callback like `didEnterBackground` begins (a background task) comes in
    /// time.
    case settled
  }

  /// A call into the application, named after the delegate's method and the notification.
  public enum Callback: String, Hashable, Sendable, CaseIterable {
    /// It was started. In the state inactive.
    case didFinishLaunching
    /// It is in front and takes input.
    case didBecomeActive
    /// It is about to be interrupted or sent to the background.
    case willResignActive
    /// It is out of sight.
    case didEnterBackground
    /// It is on its way to the front. In the state background, whether or not it was suspended.
    case willEnterForeground
    /// It is about to be ended. Never called on a suspended application.
    case willTerminate
  }

  /// What the host has to do.
  public enum Action: Hashable, Sendable {
    /// Call into the application.
    case call(Callback)
    /// The application has reached this state; tell who watches.
    case enter(ApplicationState)
    /// Stop what must stand still. Comes before the state that stands for it.
    case suspend
    /// Let it go on.
    case resume
  }

  /// Where the application is once all actions so far are done.
  public private(set) var state: ApplicationState
  /// The application's entitlement.
  public let modes: BackgroundModes
  /// Whether the screen is locked.
  public private(set) var isLocked = false
  /// Whether `suspend` was asked for later than `resume`. Also true after a termination, until the next launch.
  public private(set) var isStopped = false
  private var returnsOnUnlock = false
  private var keepers: Set<BackgroundKeeper> = []

  /// An application that was never launched.
  public init(modes: BackgroundModes) {
    self.init(modes: modes, state: .notRunning)
  }

  /// An application in any state, for what no event leads to yet.
  init(modes: BackgroundModes, state: ApplicationState) {
    self.modes = modes
    self.state = state
    isStopped = state == .suspended
  }

  /// What asks for the application to be kept running *and* counts, by its modes.
  public var effectiveKeepers: Set<BackgroundKeeper> {
    keepers.filter { keeper in keeper.requiredMode.map(modes.contains) ?? true }
  }

  /// Takes an event and returns what is to be done, in that order. An event that does not fit the state changes
  /// nothing and returns nothing.
  public mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .launch: return launch()
    case .home: return isLocked ? [] : enterBackground()
    case .foreground: return enterForeground()
    case .lock: return lock()
    case .unlock: return unlock()
    case .terminate: return terminate()
    case .keepersChanged(let keepers):
      self.keepers = keepers
      return []
    case .remoteControl: return wake()
    case .settled: return suspendIfNothingKeepsIt()
    }
  }

  private mutating func launch() -> [Action] {
    guard state == .notRunning else { return [] }
    openLock()
    state = .active
    let resume: [Action] = isStopped ? [.resume] : []
    isStopped = false
    return [.enter(.inactive)] + resume + [
      .call(.didFinishLaunching), .call(.didBecomeActive), .enter(.active),
    ]
  }

  private mutating func enterBackground() -> [Action] {
    let wasActive = state == .active
    guard wasActive || state == .inactive else { return [] }
    state = .background
    return (wasActive ? [.call(.willResignActive), .enter(.inactive)] : [])
      + [.call(.didEnterBackground), .enter(.background)]
  }

  private mutating func enterForeground() -> [Action] {
    guard state == .background || state == .suspended else { return [] }
    openLock()
    state = .active
    let resume: [Action] = isStopped ? [.resume] : []
    isStopped = false
    return resume + [
      .call(.willEnterForeground), .enter(.inactive), .call(.didBecomeActive), .enter(.active),
    ]
  }

  private mutating func wake() -> [Action] {
    guard state == .suspended, modes.contains(.audio) else { return [] }
    state = .background
    isStopped = false
    return [.resume, .enter(.background)]
  }

  private mutating func lock() -> [Action] {
    guard !isLocked else { return [] }
    isLocked = true
    returnsOnUnlock = state == .active || state == .inactive
    return enterBackground()
  }

  private mutating func unlock() -> [Action] {
    let returns = isLocked && returnsOnUnlock
    openLock()
    return returns ? enterForeground() : []
  }

  private mutating func openLock() {
    isLocked = false
    returnsOnUnlock = false
  }

  private mutating func terminate() -> [Action] {
    guard state != .notRunning else { return [] }
    let wasRunning = !isStopped
    state = .notRunning
    isStopped = true
    returnsOnUnlock = false
    return (wasRunning ? [.call(.willTerminate), .suspend] : []) + [.enter(.notRunning)]
  }

  private mutating func suspendIfNothingKeepsIt() -> [Action] {
    guard state == .background, effectiveKeepers.isEmpty else { return [] }
    state = .suspended
    isStopped = true
    return [.suspend, .enter(.suspended)]
  }
}
