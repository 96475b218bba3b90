import AppLifecycle
public import Foundation
import HostTime
import Synchronization

/// Tells an application where its device is.
///
/// It belongs to the device that is `Device.current` when it is made; where that has its places from is set with
/// `Device.location`. The delegate is called on the main queue, whichever thread made the manager. With the last reference
/// to the manager its updates end. Any thread; nothing blocks.
open class CLLocationManager: NSObject, @unchecked Sendable {
  // Unchecked: an open class cannot be checked. What it has is never changed, or behind a lock.
  private struct Own: @unchecked Sendable {
    // Unchecked: an application's object, which is called on the main queue only.
    weak var delegate: (any CLLocationManagerDelegate)?
    var id: DeviceLocation.ManagerID = 0
    var previous: CLLocation?
    var activityType = CLActivityType.other
    var showsIndicator = false
  }

  private let services: DeviceLocation
  private let own = Mutex(Own())

  /// A manager for the current device.
  public override init() {
    services = Device.current.location
    super.init()
    let id = services.add(self)
    own.withLock { $0.id = id }
  }

  deinit { services.remove(id) }

  private var id: DeviceLocation.ManagerID { own.withLock { $0.id } }
  private var subscription: Subscription { services.subscription(id) }

  /// Is called with places; not kept. It is told of the permission soon after it is set.
  open weak var delegate: (any CLLocationManagerDelegate)? {
    get { own.withLock { $0.delegate } }
    set {
      let id = own.withLock { own in
        own.delegate = newValue
        return own.id
      }
      if newValue != nil { services.tellAuthorization(id) }
    }
  }

  // MARK: Permission

  /// Whether the device can know where it is.
  open class func locationServicesEnabled() -> Bool { Device.current.location.hasSource }

  /// Whether significant changes can be monitored: wherever there are places.
  open class func significantLocationChangeMonitoringAvailable() -> Bool { locationServicesEnabled() }

  /// Whether the device knows which way it is held: never here.
  open class func headingAvailable() -> Bool { false }

  /// The application's permission.
  open class func authorizationStatus() -> CLAuthorizationStatus { Device.current.location.authorization }

  /// The application's permission.
  open var authorizationStatus: CLAuthorizationStatus { services.authorization }

  /// How accurately the application may know where the device is: always fully.
  open var accuracyAuthorization: CLAccuracyAuthorization { .fullAccuracy }

  /// Asks the person for permission for the use in front, if nobody has answered yet. Without
  /// `NSLocationWhenInUseUsageDescription` in the `Info.plist` nothing happens.
  open func requestWhenInUseAuthorization() { services.requestAuthorization(always: false) }

  /// Asks the person for permission for the use at any time, unless that was refused. Without
  /// `NSLocationAlwaysAndWhenInUseUsageDescription` or `NSLocationAlwaysUsageDescription` in the `Info.plist` nothing
  /// happens.
  open func requestAlwaysAuthorization() { services.requestAuthorization(always: true) }

  // MARK: What is wanted

  /// Metres that the device has to move for an update; `kCLDistanceFilterNone`, the default, for all updates.
  open var distanceFilter: CLLocationDistance {
    get { subscription.distanceFilter }
    set { services.change(id) { $0.distanceFilter = newValue } }
  }

  /// How accurately places are wanted, in metres; the default is `kCLLocationAccuracyBest`. More than the source's own
  /// accuracy: the place is told to within that, as the middle of a square of that size, without speed and course, and
  /// there is an update only when the device is in another square.
  open var desiredAccuracy: CLLocationAccuracy {
    get { subscription.desiredAccuracy }
    set { services.change(id) { $0.desiredAccuracy = newValue } }
  }

  /// Whether updates go on, and keep the application running, in the background. False by default: then they end when the
  /// application is suspended, and go on when it runs again. As on Apple's systems, to set it in an application without the
  /// background mode `location` is an error of the program and stops it.
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

  /// Whether updates pause when the device has not moved by 20 m for 15 minutes in the background. True by default. They go
  /// on when the application comes to the front, or with `startUpdatingLocation()`; until then they do not keep it running.
  open var pausesLocationUpdatesAutomatically: Bool {
    get { subscription.pausesAutomatically }
    set { services.change(id) { $0.pausesAutomatically = newValue } }
  }

  /// Whether the status bar says that the application uses the location in the background. Kept; there is no such bar.
  open var showsBackgroundLocationIndicator: Bool {
    get { own.withLock { $0.showsIndicator } }
    set { own.withLock { $0.showsIndicator = newValue } }
  }

  /// What the person does. Kept, and has no effect.
  open var activityType: CLActivityType {
    get { own.withLock { $0.activityType } }
    set { own.withLock { $0.activityType = newValue } }
  }

  /// The newest place that any manager has found; nil if there was none, or without permission.
  open var location: CLLocation? { services.newestLocation }

  // MARK: Updates

  /// Updates from now on: first the present place, if it is known. Without permission they begin when it is given.
  open func startUpdatingLocation() { services.begin(id) { $0.startUpdating(inFront: $1) } }

  /// No more updates.
  open func stopUpdatingLocation() { services.stopUpdating(id) }

  /// One place; if none is known within 10 s, `CLError.locationUnknown`. Ends with `stopUpdatingLocation()`.
  open func requestLocation() {
    let deadline = services.clock.now.advanced(bySeconds: Subscription.requestLimit)
    services.begin(id) { subscription, _ in subscription.requestDeadline = deadline }
  }

  /// An update whenever the device is 500 m from where the one before was, at most one in 5 minutes. With permission for the
  /// use at any time an application that is suspended, or was terminated, runs in the background for it, for at least
  /// `LifecycleSettings.wakeGrace`; this needs no background mode. A relaunched application has to start it again.
  open func startMonitoringSignificantLocationChanges() {
    services.begin(id) { subscription, _ in subscription.startMonitoring() }
  }

  /// No more of these.
  open func stopMonitoringSignificantLocationChanges() { services.change(id) { $0.stopMonitoring() } }

  // MARK: Calls of the delegate

  /// The place that the delegate was given last.
  var previousLocation: CLLocation? { own.withLock { $0.previous } }

  /// Calls the delegate: on the main queue. Several deliveries are places.
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
