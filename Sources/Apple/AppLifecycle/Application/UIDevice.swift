public import Foundation
import Glibc

/// The machine as an application sees it. Orientation is not supported, and the battery is not monitored.
@preconcurrency @MainActor
open class UIDevice: NSObject {
  /// The charging state of a battery.
  public enum BatteryState: Int, Hashable, Sendable {
    /// The state is unknown. Always the case here.
    case unknown = 0
    /// The battery supplies the machine. Does not occur.
    case unplugged = 1
    /// The battery is charging. Does not occur.
    case charging = 2
    /// The battery is full. Does not occur.
    case full = 3
  }

  /// The machine on which the program runs.
  public static let current = UIDevice()

  private override nonisolated init() { super.init() }

  /// The host name; empty if the system does not report it.
  open var name: String {
    var name = [CChar](repeating: 0, count: 256)
    // The last byte stays 0, which ends a name that was cut.
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The model, `Linux`.
  open var model: String { "Linux" }

  /// The model in the user's language, `Linux`.
  open var localizedModel: String { model }

  /// The name of the operating system, `Linux`.
  open var systemName: String { "Linux" }

  /// Whether applications run in the background. Always true.
  open var isMultitaskingSupported: Bool { true }

  /// Whether changes of the battery are reported. Stored without effect.
  open var isBatteryMonitoringEnabled = false

  /// The charge of the battery, 0…1. Always -1, which means unknown.
  open var batteryLevel: Float { -1 }

  /// The state of the battery. Always `.unknown`.
  open var batteryState: BatteryState { .unknown }
}
