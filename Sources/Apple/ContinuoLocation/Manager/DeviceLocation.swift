public import AppLifecycle
import Clocks
import Synchronization

extension Device {
  /// The location services of this device. Any thread. The first use in a process reads the `Info.plist`
  /// beside the program; later ones do not block.
  public var location: DeviceLocation { part { DeviceLocation($0) } }
}

/// The location services of a device: the source of its locations and the permission of its application.
///
/// The properties represent the user's actions; an application uses `CLLocationManager`. A suspended
/// application receives no locations. On resumption it receives the newest one. Any thread; nothing blocks.
public final class DeviceLocation: Suspendable {
  /// The movement in metres below which a device counts as stationary. If the location's accuracy is coarser,
  /// it replaces this value.
  static let stillDistance = 20.0
  /// The time in seconds after which updates of a stationary device in the background may pause.
  static let stillLimit = 900.0
  /// The maximum number of deliveries pending for one manager while the main queue is blocked: locations of
  /// an hour, one per second. Above it the oldest is dropped.
  static let pendingLimit = 3600

  typealias ManagerID = UInt64

  /// A call of a manager's delegate.
  enum Delivery: Equatable, Sendable {
    case location(CLLocation)
    case failure(CLError)
    case authorization
    case paused
    case resumed

    var isLocation: Bool { if case .location = self { true } else { false } }
  }

  struct Entry: Sendable {
    let manager: ManagerReference
    var subscription = Subscription()
    var pending: [Delivery] = []
    var isScheduled = false

    mutating func dropPlaces() { pending.removeAll(where: \.isLocation) }

    mutating func apply(_ change: (inout Entry) -> Void) { change(&self) }

    mutating func refuse() {
      pending.append(.failure(CLError(.denied)))
      subscription.requestDeadline = nil
    }

    mutating func tellOfTrouble() {
      guard !subscription.isToldOfTrouble else { return }
      subscription.isToldOfTrouble = true
      subscription.requestDeadline = nil
      pending.append(.failure(CLError(.locationUnknown)))
    }
  }

  enum Phase { case running, suspended, terminated }

  struct State {
    var entries: [ManagerID: Entry] = [:]
    var lastID: ManagerID = 0
    var phase = Phase.running
    /// The time at which the application entered the background; nil in the foreground.
    var backgroundSince: HostTime?
    /// The subscription to significant changes for which a terminated application is launched; nil if none.
    var afterEnd: Subscription?

    var authorization = CLAuthorizationStatus.notDetermined
    var answer = CLAuthorizationStatus.authorizedAlways
    /// Whether the user has answered a request for "always" with "when in use". Further requests have no effect.
    var hasDeclinedAlways = false
    var usage = LocationUsage.ofProgram
    var isLinkedBeforeIOS9 = false
    var onPermissionRequest: (@Sendable (String) -> Void)?
    var onUpdate: (@Sendable (CLLocation) -> Void)?
    var onDiagnostic: (@Sendable (String) -> Void)?

    var source: (any PlaceSource)?
    var isSourceOn = false
    /// The number of the current run of a source. Reports of earlier runs are ignored.
    var run = 0
    /// The latest location of the source's current run; nil before the first.
    var newest: Place?
    var lastKnown: Place?
    /// The reason why no location is available; nil with a location, or before the first report.
    var trouble: String?
    /// The location at which the device last moved, and the time of that movement or of the latest start of
    /// updates.
    var anchor: (place: Place, at: HostTime)?

    /// Whether the last report to the device was that updates keep the application running.
    var isToldToKeep = false
    var isTelling = false

    /// Ends the source's current run and discards its reports.
    mutating func endRun() {
      isSourceOn = false
      run += 1
      (newest, trouble) = (nil, nil)
    }

    /// Changes every entry, or only that of the given manager.
    mutating func changeEntries(of only: ManagerID? = nil, _ change: (inout Entry) -> Void) {
      for id in entries.keys where only == nil || only == id {
        entries[id]?.apply(change)
      }
    }
  }

  let clock: any HostClock
  let mainQueue: any DeliveryQueue
  let hasMode: Bool
  weak let device: Device?
  let state = Mutex(State())
  /// The worker for deadlines, created with the first deadline.
  let timer = LazyWorker()
  /// Held while a source is started or stopped, to keep starts and stops in order. Acquired before `state`.
  let transition = Mutex<Void>(())

  init(_ device: Device) {
    clock = device.clock
    mainQueue = device.mainQueue
    hasMode = device.modes.contains(.location)
    self.device = device
  }

  deinit {
    state.withLock { $0.source }?.stop()
    timer.cancel()
  }

  // MARK: User settings

  /// Replaces the source of locations. If the source is a track, the device starts to follow it now.
  public func setSource(_ source: LocationSource) {
    let new = source.make(clock)
    let old = transition.withLock { _ in
      let old = state.withLock { state in
        defer { state.source = new }
        state.endRun()
        state.anchor = nil
        return state.source
      }
      old?.stop()
      return old
    }
    withExtendedLifetime(old) {}
    settle()
  }

  /// The user's answer to permission requests; `authorizedAlways` by default. `notDetermined` means no
  /// answer.
  public var answer: CLAuthorizationStatus {
    get { state.withLock { $0.answer } }
    set { state.withLock { $0.answer = newValue } }
  }

  /// The authorization, which outlives the application. Set it as a user does in the settings.
  public var authorization: CLAuthorizationStatus {
    get { state.withLock { $0.authorization } }
    set { authorize(newValue) }
  }

  /// The usage descriptions in the application's `Info.plist`. By default those of the file beside the
  /// program, general texts if that file does not exist, and none if it cannot be read.
  public var usage: LocationUsage {
    get { state.withLock { $0.usage } }
    set { state.withLock { $0.usage = newValue } }
  }

  /// Whether the application counts as linked before iOS 9. Then `allowsBackgroundLocationUpdates` is true for
  /// each new manager of an application with the background mode `location`; otherwise it is false.
  public var isLinkedBeforeIOS9: Bool {
    get { state.withLock { $0.isLinkedBeforeIOS9 } }
    set { state.withLock { $0.isLinkedBeforeIOS9 = newValue } }
  }

  // MARK: Observers

  /// Called when the user is asked for permission, with the text from `usage` that the question shows, on the
  /// main queue. Must not block.
  public var onPermissionRequest: (@Sendable (String) -> Void)? {
    get { state.withLock { $0.onPermissionRequest } }
    set {
      var handler = newValue
      state.withLock { swap(&$0.onPermissionRequest, &handler) }
    }
  }

  /// Called with each location immediately before a manager's delegate, on the main queue. Must not block.
  public var onUpdate: (@Sendable (CLLocation) -> Void)? {
    get { state.withLock { $0.onUpdate } }
    set {
      var handler = newValue
      state.withLock { swap(&$0.onUpdate, &handler) }
    }
  }

  /// Called with a message for the user when locations become unavailable or available again, and when a
  /// permission request is ignored, on the detecting thread. Must not block.
  public var onDiagnostic: (@Sendable (String) -> Void)? {
    get { state.withLock { $0.onDiagnostic } }
    set {
      var handler = newValue
      state.withLock { swap(&$0.onDiagnostic, &handler) }
    }
  }

  // MARK: Suspendable

  /// Stops the delivery of locations.
  public func suspend() {
    state.withLock { state in
      state.phase = .suspended
      state.changeEntries { $0.dropPlaces() }
    }
    settle()
  }

  /// Delivers the newest location and continues the delivery.
  public func resume() {
    let now = clock.now
    let isSourceOn = state.withLock { state in
      state.phase = .running
      state.changeEntries { entry in
        guard entry.subscription.requestDeadline != nil else { return }
        entry.subscription.requestDeadline = now.advanced(bySeconds: Subscription.requestLimit)
      }
      return state.isSourceOn
    }
    settle()
    // A source that is started now reports its newest location itself.
    if isSourceOn { offerNewest() }
    schedule()
  }

  /// Stops updates that are permitted only in the foreground.
  public func enterBackground() {
    let now = clock.now
    let wasActive = device?.hasBeenActive ?? true
    state.withLock { state in
      state.backgroundSince = now
      // The application was launched in the background, so its updates did not begin in the foreground.
      if !wasActive { state.changeEntries { $0.subscription.beganInFront = false } }
    }
    settle()
  }

  /// Continues updates that were paused, or that are permitted only in the foreground.
  public func enterForeground() {
    state.withLock { state in
      state.backgroundSince = nil
      state.changeEntries { entry in
        entry.subscription.comeToFront()
        guard entry.subscription.isPaused else { return }
        entry.subscription.isPaused = false
        entry.pending.append(.resumed)
      }
    }
    settle()
    schedule()
  }

  /// Discards the managers of the terminated application. Keeps a subscription to significant changes, which may launch
  /// the application again.
  public func terminate() {
    let old = state.withLock { state in
      state.phase = .terminated
      state.backgroundSince = nil
      state.afterEnd = state.afterEnd ?? state.entries.values.map(\.subscription).first { $0.isMonitoring }
      defer { state.entries = [:] }
      return state.entries
    }
    withExtendedLifetime(old) {}
    settle()
  }

  /// Accepts managers again after a termination.
  public func launch() {
    state.withLock { state in
      state.phase = .running
      state.afterEnd = nil
    }
    settle()
  }
}

/// A weak reference to a manager. An object of its own, so that it can be taken from an entry under the lock and loaded
/// later. A load under the lock may hold the last reference to the manager, whose `deinit` takes the same lock.
final class ManagerReference: Sendable {
  weak let manager: CLLocationManager?
  init(_ manager: CLLocationManager) { self.manager = manager }
}
