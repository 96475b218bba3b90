import AppLifecycle
import ContinuoNetworking
import Foundation

/// Sessions of `URLSession`. An application's sources and the test import ContinuoNetworking for them; what they fetch comes
/// from ``network``, and their delegates are called on the main queue.
extension TestDevice {
  /// The device gets power: transfers whose time it chooses begin at once, from here on.
  public func connectPower() async { await happen { $0.networking.connectPower() } }

  /// The person ends the application, as by a swipe: it is terminated, and its transfers in the background are cancelled.
  public func quit() async { await happen { $0.quit() } }

  /// What sessions fetch comes from `network`, and the transfers of background sessions are kept in a folder of the device's.
  func useNetwork() {
    system.networking.transport = network
    system.networking.transfersFolder =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("continuo-device-\(UUID().uuidString)").path
  }

  /// Nothing of the sessions is left.
  func closeSessions() {
    system.networking.close()
    guard let folder = system.networking.transfersFolder else { return }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
