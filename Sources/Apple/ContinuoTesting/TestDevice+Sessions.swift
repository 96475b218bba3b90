import AppLifecycle
import ContinuoNetworking
import Foundation

/// `URLSession` support. The application and the test import ContinuoNetworking for it. ``network`` answers
/// the requests, and the delegates are called on the main queue.
extension TestDevice {
  /// Connects the device to power: discretionary transfers begin immediately from now on.
  public func connectPower() async { await happen { $0.networking.connectPower() } }

  /// Force-quits the application, as by a swipe: it is terminated, and its background transfers are
  /// cancelled.
  public func quit() async { await happen { $0.quit() } }

  /// Directs the sessions' requests to `network`, and stores background transfers in a folder of the device.
  func useNetwork() {
    system.networking.transport = network
    system.networking.transfersFolder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("continuo-device-\(UUID().uuidString)").path
  }

  /// Closes the sessions and removes their folder.
  func closeSessions() {
    system.networking.close()
    guard let folder = system.networking.transfersFolder else { return }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
