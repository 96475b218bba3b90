public import Foundation
import Synchronization

/// The application as its own code sees it.
///
/// What the system does to it comes from its `Device`. For each step the delegate's method is called first,
/// then the notification of the same name is posted, both on the main queue.
@preconcurrency @MainActor
open class UIApplication: NSObject {
  /// The application of `Device.current`.
  public static var shared: UIApplication { Device.current.application }

  /// The state that the application's own code sees. It never sees that it is suspended or not running.
  public enum State: Int, Hashable, Sendable, CaseIterable {
    /// In front and receiving input.
    case active = 0
    /// In front, but not receiving input: on the way to another state, or interrupted.
    case inactive = 1
    /// Not visible.
    case background = 2
  }

  /// A key of the launch options. The launches of this module have no options.
  public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
    /// The key's name.
    public let rawValue: String
    /// The key with that name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// Receives the calls into the application. Set it before the launch to miss none.
  open weak var delegate: (any UIApplicationDelegate)?

  private nonisolated let deviceReference: WeakDevice

  nonisolated init(device: Device) {
    deviceReference = WeakDevice(device: device)
    super.init()
  }

  /// The device on which the application runs; nil once it is released. Without it the members below do
  /// nothing.
  nonisolated var device: Device? { deviceReference.device }

  /// The application's state; `.background` also when its device is released.
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

  /// Asks for time to finish something in case the application goes to the background. Every task must be
  /// ended; if one is still open when no time is left, the application is terminated.
  ///
  /// Any thread; does not block.
  ///
  /// - Parameters:
  ///   - taskName: the task's name in reports.
  ///   - handler: must end the task. Called on the main queue when `LifecycleSettings.expirationWarning` is
  ///     left; the handlers of several tasks run one after the other, in the order in which the tasks began.
  ///     For a task that begins later than that, the handler runs soon.
  /// - Returns: `.invalid` if the task was refused: no background time is left, the application is not running or was
  ///   suspended longer than `LifecycleSettings.suspensionGrace` ago, or too many tasks are open.
  public nonisolated func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    guard let device else { return .invalid }
    guard let handler else { return device.beginTask(taskName, handler: nil) }
    return device.beginTask(taskName) { MainActor.assumeIsolated { handler() } }
  }

  /// Ends a task. After the last one the application may be suspended, but not before the code that now runs
  /// on the main queue has returned. An unknown identifier, or one that was ended before, only writes a
  /// record.
  ///
  /// Any thread; does not block.
  public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
    device?.endTask(identifier)
  }

  /// Seconds that the application may still run in the background, never negative; `.greatestFiniteMagnitude`
  /// in front and while sound keeps it running. It counts down from `LifecycleSettings.backgroundTime` when
  /// the application enters the background, and is full again when it comes to the front. Any thread; does
  /// not block.
  public nonisolated var backgroundTimeRemaining: TimeInterval {
    device?.backgroundTimeRemaining ?? 0
  }

  // MARK: Remote control

  /// Asks for the events of a remote control. Has no effect: those come as commands, without being asked for, to
  /// whoever adds a handler to `MPRemoteCommandCenter`.
  open func beginReceivingRemoteControlEvents() {}

  /// Ends what `beginReceivingRemoteControlEvents()` began. Has no effect.
  open func endReceivingRemoteControlEvents() {}

  // MARK: Background fetches

  /// As often as the system allows.
  public nonisolated class var backgroundFetchIntervalMinimum: TimeInterval { 0 }

  /// No fetches: the interval of an application that has set none.
  public nonisolated class var backgroundFetchIntervalNever: TimeInterval {
    .greatestFiniteMagnitude
  }

  /// Asks to be woken for fetches at intervals of at least so many seconds. Needs the background mode
  /// `fetch`.
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

/// The shortest interval of `UIApplication.setKeepAliveTimeout(_:handler:)`: 600 s.
public let UIMinimumKeepAliveTimeout: TimeInterval = LifecycleMachine.shortestKeepAlive

extension UIApplication {
  /// Has `handler` called every `timeout` seconds, so that it can keep the connection with a server of phone calls alive: on
  /// the main queue, also while the application is suspended, which then runs in the background for
  /// `LifecycleSettings.voipTime`. A handler that takes longer ends the application. A new handler replaces the one before
  /// and begins a new interval. A call that comes due while the one before has not returned waits. Ends with the application.
  ///
  /// Any thread; does not block.
  ///
  /// - Parameters:
  ///   - timeout: seconds, at least `UIMinimumKeepAliveTimeout`.
  ///   - keepAliveHandler: what is called; nil ends the calls, whatever `timeout` is.
  /// - Returns: false, without any effect, below `UIMinimumKeepAliveTimeout` and without the background mode `voip`; the
  ///   reason is in the device's record.
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

/// A weak reference to the device, because the device owns the application.
final class WeakDevice: Sendable {
  weak let device: Device?
  init(device: Device) { self.device = device }
}

extension Device {
  /// The application on this device, made at first use. The device's main queue must run on the main thread.
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

  var stateSeenByApplication: ApplicationState {
    shared.withLock { $0.machine.stateSeenByApplication }
  }
}
