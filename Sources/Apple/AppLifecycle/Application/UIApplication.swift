public import Foundation
import Synchronization

/// The application as seen by its own code. System events arrive through its `Device`, on the main queue.
/// Most call the delegate's method, then post the notification of the same name.
@preconcurrency @MainActor
open class UIApplication: NSObject {
  /// The application running on `Device.current`.
  public static var shared: UIApplication { Device.current.application }

  /// The application's state. Suspended and terminated applications run no code and have no value here.
  public enum State: Int, Hashable, Sendable, CaseIterable {
    /// In the foreground and receiving input.
    case active = 0
    /// In the foreground without receiving input: in transition to another state, or interrupted.
    case inactive = 1
    /// Running in the background, not visible.
    case background = 2
  }

  /// A key of the launch options. Launches in this module have no options.
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The name of the key.
    public let rawValue: String
    /// Creates a key with the given name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The receiver of calls into the application. Set it before the launch to receive all of them.
  open weak var delegate: (any UIApplicationDelegate)?

  /// The device on which the application runs; nil once the device is released. Methods that need the device then have
  /// no effect.
  nonisolated weak let device: Device?

  nonisolated init(device: Device) {
    self.device = device
    super.init()
  }

  /// The application's state; also `.background` after its device is released.
  open var applicationState: State {
    switch device?.stateSeenByApplication {
    case .active: .active
    case .inactive: .inactive
    case .background, .suspended, .notRunning, nil: .background
    }
  }

  // MARK: Background tasks

  /// Requests background time: `beginBackgroundTask(withName:expirationHandler:)` without a name.
  public nonisolated func beginBackgroundTask(
    expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { beginBackgroundTask(withName: nil, expirationHandler: handler) }

  /// Requests time to finish work if the application enters the background. Every task must be ended: the
  /// application is terminated if a task is still open when the background time is used up. Any thread; does
  /// not block.
  ///
  /// - Parameters:
  ///   - taskName: the task's name in reports.
  ///   - handler: called on the main queue when `LifecycleSettings.expirationWarning` is left; must end the
  ///     task. Handlers of several tasks run one after the other, in the order in which the tasks began. The
  ///     handler of a task that begins during the warning period runs soon after.
  /// - Returns: `.invalid` if the task was refused: no background time is left, too many tasks are open, the
  ///   application is not running, or it is suspended and `LifecycleSettings.suspensionGrace` is over.
  public nonisolated func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    guard let device else { return .invalid }
    guard let handler else { return device.beginTask(taskName, handler: nil) }
    return device.beginTask(taskName) { MainActor.assumeIsolated { handler() } }
  }

  /// Ends a task. The application may be suspended after its last task ends, once the code running on the
  /// main queue has returned. An unknown or ended identifier is only recorded. Any thread; does not block.
  public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
    device?.endTask(identifier)
  }

  /// The remaining background time, in seconds, as described at `Device.backgroundTimeRemaining`. In the
  /// background it counts down from `LifecycleSettings.backgroundTime` while nothing but background tasks
  /// keeps the application running. Entering the foreground resets it. Any thread; does not block.
  public nonisolated var backgroundTimeRemaining: TimeInterval { device?.backgroundTimeRemaining ?? 0 }

  // MARK: Remote control

  /// Requests remote-control events. Has no effect: the handlers added to `MPRemoteCommandCenter` receive
  /// commands without it.
  open func beginReceivingRemoteControlEvents() {}

  /// Ends the delivery of remote-control events. Has no effect.
  open func endReceivingRemoteControlEvents() {}

  /// Whether the screen stays on without input. Stored without effect, because there is no screen.
  open var isIdleTimerDisabled = false

  // MARK: Background fetches

  /// The interval, in seconds, that requests fetches as often as the system allows.
  public nonisolated class var backgroundFetchIntervalMinimum: TimeInterval { 0 }

  /// The interval, in seconds, that disables fetches. The default of an application that sets none.
  public nonisolated class var backgroundFetchIntervalNever: TimeInterval { .greatestFiniteMagnitude }

  /// Sets the minimum interval between background fetches, in seconds. Fetches also require the background
  /// mode `fetch`.
  open func setMinimumBackgroundFetchInterval(_ minimumBackgroundFetchInterval: TimeInterval) {
    let isNever = minimumBackgroundFetchInterval >= Self.backgroundFetchIntervalNever
    device?.handle(
      .fetchIntervalChanged(isNever ? .infinity : minimumBackgroundFetchInterval), as: .application)
  }

  /// The status of background refresh; `.restricted` after the device is released.
  open var backgroundRefreshStatus: UIBackgroundRefreshStatus {
    device?.backgroundRefreshStatus ?? .restricted
  }
}

/// The minimum interval for `UIApplication.setKeepAliveTimeout(_:handler:)`: 600 s.
public let UIMinimumKeepAliveTimeout: TimeInterval = LifecycleMachine.shortestKeepAlive

extension UIApplication {
  /// Sets a handler that is called every `timeout` seconds to keep the connection to a VoIP server alive. The
  /// handler runs on the main queue. A suspended application is resumed in the background for
  /// `LifecycleSettings.voipTime`; a handler that takes longer terminates the application. A new handler
  /// replaces the previous one and starts a new interval. A call that becomes due while another is in
  /// progress is queued. The calls end when the application terminates. Any thread; does not block.
  ///
  /// - Parameters:
  ///   - timeout: the interval in seconds, at least `UIMinimumKeepAliveTimeout`.
  ///   - keepAliveHandler: the handler; nil ends the calls, regardless of `timeout`.
  /// - Returns: false, without any effect, if `timeout` is below `UIMinimumKeepAliveTimeout` or the background mode
  ///   `voip` is missing; the device records the reason. Also false after the device is released.
  @discardableResult
  public nonisolated func setKeepAliveTimeout(
    _ timeout: TimeInterval, handler keepAliveHandler: (@MainActor @Sendable () -> Void)?
  ) -> Bool {
    guard let device else { return false }
    let interval = min(timeout, LifecycleSettings.longest)
    guard let keepAliveHandler else { return device.setKeepAlive(interval, handler: nil) }
    return device.setKeepAlive(interval) { MainActor.assumeIsolated { keepAliveHandler() } }
  }

  /// Ends the calls of the keep-alive handler. Any thread; does not block.
  public nonisolated func clearKeepAliveTimeout() { setKeepAliveTimeout(0, handler: nil) }
}

extension Device {
  /// The application on this device, created on first use. The device's main queue must run on the main
  /// thread.
  public var application: UIApplication {
    let made = UIApplication(device: self)
    let application = shared.withLock { state in
      if let present = state.application { return present }
      state.application = made
      return made
    }
    // `shared.application` is set only here, so the cast always succeeds.
    return application as? UIApplication ?? made
  }

  var stateSeenByApplication: ApplicationState { shared.withLock { $0.machine.stateSeenByApplication } }
}
