// Services that Linux does not have. Calls have no effect, and the delegate is not called.

extension CLLocationManager {
  /// Returns whether regions of a kind can be monitored. Always false.
  public class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { false }
  /// The monitored regions. Always empty.
  public var monitoredRegions: Set<CLRegion> { [] }
  /// Has no effect, because regions are not monitored.
  public func startMonitoring(for region: CLRegion) {}
  /// Has no effect, because regions are not monitored.
  public func stopMonitoring(for region: CLRegion) {}
  /// The newest heading. Always nil.
  public var heading: CLHeading? { nil }
  /// Has no effect, because there is no compass.
  public func startUpdatingHeading() {}
  /// Has no effect, because there is no compass.
  public func stopUpdatingHeading() {}
  /// Has no effect, because visits are not monitored.
  public func startMonitoringVisits() {}
  /// Has no effect, because visits are not monitored.
  public func stopMonitoringVisits() {}
}
