public import AppLifecycle
import HostTime
import Synchronization

extension Device {
  /// Where this device is, and what its applications may know of that. Any thread; does not block.
  public var location: DeviceLocation { part { DeviceLocation($0) } }
}

/// The location services of a device: where its places come from, and who may know them.
///
/// What is set here is what a person does with the device; an application uses `CLLocationManager`. Nothing runs while no
/// manager wants a place. While the application is suspended none is delivered: when it runs again it gets the newest. Any
/// thread; nothing blocks.
public final class DeviceLocation: Suspendable {
  /// Metres that a device has to move so that it does not stand still.
  static let stillDistance = 20.0
  /// Seconds for which it stands still in the background before updates pause that may.
  static let stillLimit = 900.0
  /// Places that wait for a blocked main queue: an hour of them. Beyond that the oldest go.
  static let pendingLimit = 3600

  typealias ManagerID = UInt64

  /// A call of a manager's delegate.
  enum Delivery: Sendable {
    case location(CLLocation)
    case failure(CLError)
    case authorization
    case paused
    case resumed
  }

  struct Entry: Sendable {
    let manager: ManagerReference
    var subscription = Subscription()
    var pending: [Delivery] = []
    var isScheduled = false

    /// Places that wait are not delivered any more.
    mutating func dropPlaces() { pending.removeAll { if case .location = $0 { true } else { false } } }
  }

  enum Phase { case running, suspended, terminated }

  struct State {
    var entries: [ManagerID: Entry] = [:]
    var lastID: ManagerID = 0
    var phase = Phase.running
    /// Since when the application is in the background; nil in front.
    var backgroundSince: HostTime?
    /// What an application wanted to know that was terminated, to be launched again for it.
    var afterEnd: Subscription?

    var authorization = CLAuthorizationStatus.notDetermined
    var answer = CLAuthorizationStatus.authorizedAlways
    var usage = LocationUsage.ofProgram
    var onUpdate: (@Sendable (CLLocation) -> Void)?
    var onDiagnostic: (@Sendable (String) -> Void)?

    var source: (any PlaceSource)?
    var isSourceOn = false
    /// Counts the runs of sources: what an earlier one still says does not count.
    var run = 0
    /// The present place, if it is known.
    var newest: Place?
    /// The newest place that was ever known.
    var lastKnown: Place?
    /// Why there is no place at present; nil if there is one, or nothing was said yet.
    var trouble: String?
    /// Where the device was when it last moved, and when that was.
    var anchor: (place: Place, at: HostTime)?

    /// Whether the device was told that updates keep the application running.
    var isToldToKeep = false
    var isTelling = false
    var worker: (any Worker)?
  }

  let clock: any HostClock
  let mainQueue: any DeliveryQueue
  /// Whether the application has the background mode `location`.
  let hasMode: Bool
  weak let device: Device?
  let state = Mutex(State())
  /// Held while a source is started or stopped, so that this happens in order. Taken before `state`.
  let transition = Mutex<Void>(())

  init(_ device: Device) {
    clock = device.clock
    mainQueue = device.mainQueue
    hasMode = device.modes.contains(.location)
    self.device = device
  }

  deinit {
    let (source, worker) = state.withLock { ($0.source, $0.worker) }
    source?.stop()
    worker?.cancel()
  }

  // MARK: What a person sets

  /// Where places come from from now on. A track begins now.
  public func setSource(_ source: LocationSource) {
    let new = source.make(clock)
    let old = transition.withLock { _ in
      let old = state.withLock { state in
        defer {
          state.source = new
          state.isSourceOn = false
          state.run += 1
          state.newest = nil
          state.trouble = nil
          state.anchor = nil
        }
        return state.source
      }
      old?.stop()
      return old
    }
    withExtendedLifetime(old) {}
    settle()
  }

  /// What the person answers when the application asks for permission. `notDetermined`: nothing. Permission for the use at
  /// any time also answers the request for the use in front.
  public var answer: CLAuthorizationStatus {
    get { state.withLock { $0.answer } }
    set { state.withLock { $0.answer = newValue } }
  }

  /// The application's permission: `notDetermined` until it has asked, then what the person has answered, or has set
  /// afterwards in the settings, which is this. It outlives the application.
  public var authorization: CLAuthorizationStatus {
    get { state.withLock { $0.authorization } }
    set { authorize(newValue) }
  }

  /// The uses that the application's `Info.plist` describes. By default those in the `Info.plist` beside the program, or all
  /// if there is none.
  public var usage: LocationUsage {
    get { state.withLock { $0.usage } }
    set { state.withLock { $0.usage = newValue } }
  }

  // MARK: What can be observed

  /// Called with each place right before a manager's delegate gets it, on the main queue. Must not block.
  public var onUpdate: (@Sendable (CLLocation) -> Void)? {
    get { state.withLock { $0.onUpdate } }
    set {
      var handler = newValue
      state.withLock { swap(&$0.onUpdate, &handler) }
    }
  }

  /// Called with a sentence for a person when places stop coming and say why, when they come again, and when a request for
  /// permission is put to nobody. On the thread that found out. Must not block.
  public var onDiagnostic: (@Sendable (String) -> Void)? {
    get { state.withLock { $0.onDiagnostic } }
    set {
      var handler = newValue
      state.withLock { swap(&$0.onDiagnostic, &handler) }
    }
  }

  // MARK: Suspendable

  /// No place is delivered from here on.
  public func suspend() {
    state.withLock { state in
      state.phase = .suspended
      for id in state.entries.keys { state.entries[id]?.dropPlaces() }
    }
    settle()
  }

  /// The newest place is delivered, and those that follow.
  public func resume() {
    let now = clock.now
    let isSourceOn = state.withLock { state in
      state.phase = .running
      for id in state.entries.keys where state.entries[id]?.subscription.requestDeadline != nil {
        state.entries[id]?.subscription.requestDeadline = now.advanced(bySeconds: Subscription.requestLimit)
      }
      return state.isSourceOn
    }
    settle()
    // A source that is only started now tells it by itself.
    if isSourceOn { offerNewest() }
    schedule()
  }

  /// Updates that need the application in use may end here.
  public func enterBackground() {
    let now = clock.now
    state.withLock { $0.backgroundSince = now }
    settle()
  }

  /// Updates that were paused go on.
  public func enterForeground() {
    state.withLock { state in
      state.backgroundSince = nil
      for id in state.entries.keys {
        state.entries[id]?.subscription.comeToFront()
        guard state.entries[id]?.subscription.isPaused == true else { continue }
        state.entries[id]?.subscription.isPaused = false
        state.entries[id]?.pending.append(.resumed)
      }
    }
    settle()
    schedule()
  }

  /// The managers are gone with the application.
  public func terminate() {
    let old = state.withLock { state in
      state.phase = .terminated
      state.backgroundSince = nil
      state.afterEnd =
        state.afterEnd ?? state.entries.values.map(\.subscription).first { $0.isMonitoring }
      defer { state.entries = [:] }
      return state.entries
    }
    withExtendedLifetime(old) {}
    settle()
  }

  /// New managers count again.
  public func launch() {
    state.withLock { state in
      state.phase = .running
      state.afterEnd = nil
    }
    settle()
  }
}

/// A manager that is not kept.
final class ManagerReference: Sendable {
  weak let manager: CLLocationManager?
  init(_ manager: CLLocationManager) { self.manager = manager }
}
