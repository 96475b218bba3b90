public import Foundation
import Synchronization

/// The application as its own code sees it.
///
/// What the system does to it comes from its `Device`. For each step the delegate's method is called first, then the
/// notification of the same name is posted, both on the main queue.
@preconcurrency @MainActor
open class UIApplication: NSObject {
  /// The application of `Device.current`.
  public static var shared: UIApplication { Device.current.application }

  /// What the application's code reads as its state. It never sees that it is suspended or not running.
  public enum State: Int, Hashable, Sendable, CaseIterable {
    /// In front.
    case active = 0
    /// In front, but not taking input: on the way to another state, or interrupted.
    case inactive = 1
    /// Out of sight.
    case background = 2
  }

  /// Why an application was launched. The launches of this module have no options.
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// The key of that name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// Gets the calls. Set it before the launch to miss none.
  open weak var delegate: (any UIApplicationDelegate)?

  private nonisolated let deviceReference: WeakDevice

  nonisolated init(device: Device) {
    deviceReference = WeakDevice(device: device)
    super.init()
  }

  /// The device on which this runs; nil when it is gone, and with it every effect of what follows.
  nonisolated var device: Device? { deviceReference.device }

  /// What the application is doing.
  open var applicationState: State {
    switch device?.stateSeenByApplication {
    case .active: .active
    case .inactive: .inactive
    case .background, .suspended, .notRunning, nil: .background
    }
  }

  // MARK: Background tasks

  /// Asks for time in the background: `beginBackgroundTask(withName:expirationHandler:)` without a name.
  public nonisolated func beginBackgroundTask(
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    beginBackgroundTask(withName: nil, expirationHandler: handler)
  }

  /// Asks for time to finish something in case the application goes to the background. Every task needs an end of its
  /// own; one that is open when no time is left costs the application its life.
  ///
  /// Any thread; does not block.
  ///
  /// - Parameters:
  ///   - taskName: what a report calls it.
  ///   - handler: called on the main queue when `LifecycleSettings.expirationWarning` is left, one after the other
  ///     in the order of beginning; it has to end the task. For a task that is begun later than that, soon.
  /// - Returns: `.invalid` if none can be had, because no background time is left or the application does not run.
  public nonisolated func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    guard let device else { return .invalid }
    guard let handler else { return device.beginTask(taskName, handler: nil) }
    return device.beginTask(taskName) { MainActor.assumeIsolated { handler() } }
  }

  /// Ends a task. After the last one the application may be suspended, but not before the code that runs on the main
  /// queue has come to its end. Ending a task again, or one that never was, is without effect but for a record.
  ///
  /// Any thread; does not block.
  public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
    device?.endTask(identifier)
  }

  /// Seconds that the application may still run in the background: `.greatestFiniteMagnitude` in front and while
  /// sound keeps it running, never negative. It runs down from `LifecycleSettings.backgroundTime` when the application
  /// enters the background, and is full again when that comes to the front. Any thread.
  public nonisolated var backgroundTimeRemaining: TimeInterval { device?.backgroundTimeRemaining ?? 0 }

  // MARK: Background fetches

  /// The shortest interval there is.
  public nonisolated class var backgroundFetchIntervalMinimum: TimeInterval { 0 }

  /// No fetches, the interval that an application has until it sets another.
  public nonisolated class var backgroundFetchIntervalNever: TimeInterval { .greatestFiniteMagnitude }

  /// Asks to be woken for fetches no more often than this, in seconds. Needs the background mode `fetch`.
  open func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
    let isNever = minimumBackgroundFetchInterval >= Self.backgroundFetchIntervalNever
    device?.handle(
      .fetchIntervalChanged(isNever ? .infinity : minimumBackgroundFetchInterval), as: .application)
  }

  /// Whether the application may be woken for fetches.
  open var backgroundRefreshStatus: UIBackgroundRefreshStatus {
    device?.backgroundRefreshStatus ?? .restricted
  }
}

/// The device without an ownership: it owns the application.
private final class WeakDevice: Sendable {
  weak let device: Device?
  init(device: Device) { self.device = device }
}

extension Device {
  /// The application on this device. The main queue must be the main actor's.
  public var application: UIApplication {
    let made = UIApplication(device: self)
    let application = shared.withLock { state in
      if let present = state.application { return present }
      state.application = made
      return made
    }
    // Nobody else sets it.
    return application as? UIApplication ?? made
  }

  var stateSeenByApplication: ApplicationState { shared.withLock { $0.machine.stateSeenByApplication } }
}
