import AppLifecycle
import Continuo
import ContinuoLocation
import RunTimeline

/// A run of the application, as a command line describes it.
struct Plan {
  var presses: [Press]
  /// Whether the application is launched before the script begins.
  var launches = true
  var parts: ScreenParts
  var settings: LifecycleSettings
  var location: Location
  var drawing: TimelineFile?

  /// The phone's location source, and its owner's answer to the permission request.
  struct Location: Sendable {
    var source = LocationSource.none
    var answer = CLAuthorizationStatus.authorizedAlways
    var usage = LocationUsage(always: "Your way is shown on the map.")

    /// Sets up the location services of a device, except their source. `say` receives the questions that the owner sees,
    /// `complain` the diagnostics.
    func apply(
      to services: DeviceLocation, say: @escaping @Sendable (String) -> Void,
      complain: @escaping @Sendable (String) -> Void
    ) {
      services.answer = answer
      services.usage = usage
      // The background mode alone allows updates in the background, as for an application linked before iOS 9.
      services.isLinkedBeforeIOS9 = true
      services.onPermissionRequest = { say("permission asked: \"\($0)\"") }
      services.onDiagnostic = complain
    }
  }
}
