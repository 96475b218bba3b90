import AppLifecycle
import Clocks
// Re-exported, as in Apple's CoreLocation.
@_exported public import Foundation
import Synchronization

/// Delivers to an application the location of the device that is `Device.current` at the manager's creation.
/// `DeviceLocation.setSource(_:)` sets the source. The delegate is called on the main queue. Updates end when
/// the manager is released. Any thread; nothing blocks after the first use of `Device.location`.
open class CLLocationManager: NSObject, @unchecked Sendable {
  // Unchecked: the compiler cannot check an open class. Its state is constant or protected by a lock.
  private struct Own: @unchecked Sendable {
    // Unchecked: the application's delegate is called on the main queue only.
    weak var delegate: (any CLLocationManagerDelegate)?
    var id: DeviceLocation.ManagerID = 0
    var previous: CLLocation?
    var activityType = CLActivityType.other
    var showsIndicator = false
  }

  private let services: DeviceLocation
  private let own = Mutex(Own())

  /// Creates a manager for the current device.
  public override init() {
    services = Device.current.location
    super.init()
    let id = services.add(self)
    own.withLock { $0.id = id }
  }

  deinit { services.remove(id) }

  private var id: DeviceLocation.ManagerID { own.withLock { $0.id } }
  private var subscription: Subscription { services.subscription(id) }

  /// The receiver of locations, held weakly. The authorization is reported to each new delegate, on the main queue.
  open weak var delegate: (any CLLocationManagerDelegate)? {
    get { own.withLock { $0.delegate } }
    set {
      own.withLock { $0.delegate = newValue }
      if newValue != nil { services.tellAuthorization(id) }
    }
  }

  // MARK: Permission

  /// Returns whether the device has a source of locations.
  open class func locationServicesEnabled() -> Bool { Device.current.location.hasSource }

  /// Returns whether significant changes can be monitored: true if the device has a source of locations.
  open class func significantLocationChangeMonitoringAvailable() -> Bool { locationServicesEnabled() }

  /// Returns whether the device has a compass. Always false here.
  open class func headingAvailable() -> Bool { false }

  /// Returns the application's current authorization.
  open class func authorizationStatus() -> CLAuthorizationStatus { Device.current.location.authorization }

  /// The application's current authorization.
  open var authorizationStatus: CLAuthorizationStatus { services.authorization }

  /// The accuracy that the application may use. Always `.fullAccuracy`.
  open var accuracyAuthorization: CLAccuracyAuthorization { .fullAccuracy }

  /// Requests permission for use in the foreground, if the user has not answered yet. Has no effect without
  /// `NSLocationWhenInUseUsageDescription` in the `Info.plist`.
  open func requestWhenInUseAuthorization() { services.requestAuthorization(always: false) }

  /// Requests permission for use at any time, unless the user has granted it or has refused any use. Has no effect without
  /// `NSLocationAlwaysAndWhenInUseUsageDescription` or `NSLocationAlwaysUsageDescription` in the
  /// `Info.plist`.
  open func requestAlwaysAuthorization() { services.requestAuthorization(always: true) }

  // MARK: Update settings

  /// The minimum movement between updates, in metres; by default `kCLDistanceFilterNone`.
  open var distanceFilter: CLLocationDistance {
    get { subscription.distanceFilter }
    set { services.change(id) { $0.distanceFilter = newValue } }
  }

  /// The desired accuracy in metres; by default `kCLLocationAccuracyBest`. If it is coarser than the source's
  /// accuracy, updates report the middle of a square with sides of this length, without speed and course, and
  /// only when the square changes.
  open var desiredAccuracy: CLLocationAccuracy {
    get { subscription.desiredAccuracy }
    set { services.change(id) { $0.desiredAccuracy = newValue } }
  }

  /// Whether updates continue in the background and keep the application running. If false, no updates occur
  /// during suspension or, with `authorizedWhenInUse`, in the background; they continue afterwards. For the
  /// default see `DeviceLocation.isLinkedBeforeIOS9`. As on Apple's systems, setting true without the
  /// background mode `location` stops the program.
  open var allowsBackgroundLocationUpdates: Bool {
    get { subscription.allowsBackground }
    set {
      precondition(
        !newValue || services.hasMode,
        "allowsBackgroundLocationUpdates needs the background mode location, under UIBackgroundModes in the Info.plist"
      )
      services.change(id) { $0.allowsBackground = newValue }
    }
  }

  /// Whether updates pause in the background after the device has moved less than 20 m, or less than the
  /// location's accuracy, for 15 minutes; true by default. Paused updates do not keep the application
  /// running. They continue in the foreground, or with `startUpdatingLocation()`.
  open var pausesLocationUpdatesAutomatically: Bool {
    get { subscription.pausesAutomatically }
    set { services.change(id) { $0.pausesAutomatically = newValue } }
  }

  /// Whether a status bar indicates background use of the location. Stored without effect.
  open var showsBackgroundLocationIndicator: Bool {
    get { own.withLock { $0.showsIndicator } }
    set { own.withLock { $0.showsIndicator = newValue } }
  }

  /// The user's type of activity. Stored without effect.
  open var activityType: CLActivityType {
    get { own.withLock { $0.activityType } }
    set { own.withLock { $0.activityType = newValue } }
  }

  /// The newest location found for any manager; nil without one or without permission.
  open var location: CLLocation? { services.newestLocation }

  // MARK: Updates

  /// Starts updates with the current location, if known. Without permission, updates begin when permission is granted.
  /// If permission was refused, the delegate receives `CLError.denied`. Has no effect while updates run.
  open func startUpdatingLocation() { services.begin(id) { $0.startUpdating(inFront: $1) } }

  /// Stops updates and pending requests.
  open func stopUpdatingLocation() { services.stopUpdating(id) }

  /// Requests one location. `stopUpdatingLocation()` cancels the request. If the source fails, or brings no location
  /// within 10 s, the delegate receives `CLError.locationUnknown`; if permission was refused, `CLError.denied`. Until there
  /// is a location again, further requests wait for the 10 s.
  open func requestLocation() {
    let deadline = services.clock.now.advanced(bySeconds: Subscription.requestLimit)
    services.begin(id) { subscription, _ in subscription.requestDeadline = deadline }
  }

  /// Starts updates for significant changes: 500 m from the last reported location, at most once in 5 minutes.
  /// With permission for use at any time, a change resumes a suspended application, or launches a terminated
  /// one, in the background; see `LifecycleSettings.wakeGrace`. No background mode is needed. A relaunched
  /// application must start the monitoring again.
  open func startMonitoringSignificantLocationChanges() {
    services.begin(id) { subscription, _ in subscription.startMonitoring() }
  }

  /// Stops updates for significant changes.
  open func stopMonitoringSignificantLocationChanges() { services.change(id) { $0.stopMonitoring() } }

  // MARK: Calls of the delegate

  /// The location last passed to the delegate.
  var previousLocation: CLLocation? { own.withLock { $0.previous } }

  /// Passes `deliveries` to the delegate, with all locations in one call. Must be called on the main queue.
  func receive(_ deliveries: [DeviceLocation.Delivery], _ observer: (@Sendable (CLLocation) -> Void)?) {
    var locations: [CLLocation] = []
    for delivery in deliveries {
      switch delivery {
      case .location(let location): locations.append(location)
      case .failure(let error): delegate?.locationManager(self, didFailWithError: error)
      case .authorization: delegate?.locationManagerDidChangeAuthorization(self)
      case .paused: delegate?.locationManagerDidPauseLocationUpdates(self)
      case .resumed: delegate?.locationManagerDidResumeLocationUpdates(self)
      }
    }
    guard let last = locations.last else { return }
    for location in locations { observer?(location) }
    delegate?.locationManager(self, didUpdateLocations: locations)
    own.withLock { $0.previous = last }
  }
}
