import HostTime
import Synchronization

extension Device {
  @TaskLocal private static var scoped: Device?

  private static let process = Mutex<Device?>(nil)

  /// The device to which `UIApplication.shared` belongs: that of the innermost `withCurrent`, otherwise that
  /// of the process, which is the one that is set here. Any thread; does not block.
  ///
  /// A program that sets none has no life cycle: the device that is made at first use has its application in
  /// front from the beginning. The application is active and gets background tasks, its time has no limit, and
  /// nothing calls it.
  ///
  /// Set a device before the first use: code that already holds the old application keeps it. The device's main
  /// queue must run on the main thread.
  ///
  /// In code that a device calls (delegate, notifications, expiration handlers) this is that device.
  public static var current: Device {
    get {
      if let scoped { return scoped }
      return process.withLock { process in
        if let process { return process }
        let device = Device(modes: BackgroundModes(), clock: SystemClock.shared, isActive: true)
        _ = device.application
        process = device
        return device
      }
    }
    set {
      // Observers of the application's notifications need not have asked for the application before.
      _ = newValue.application
      var device: Device? = newValue
      // The one before may end here, and waits for its worker then: without the lock.
      process.withLock { swap(&$0, &device) }
    }
  }

  /// Runs `operation` with `device` as `current`. This also holds in the tasks that `operation` starts, but
  /// not in detached ones.
  public static func withCurrent<Result, Failure: Error>(
    _ device: Device, operation: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result: Swift.Result<Result, Failure> = $scoped.withValue(device) {
      do throws(Failure) { return .success(try operation()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Runs an asynchronous `operation` with `device` as `current`, as the synchronous form does.
  nonisolated(nonsending) public static func withCurrent<Result>(
    _ device: Device, operation: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    try await $scoped.withValue(device, operation: operation)
  }
}
