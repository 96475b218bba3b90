import Clocks
import Synchronization

extension Device {
  @TaskLocal private static var scoped: Device?

  private static let process = Mutex<Device?>(nil)

  /// The device of `UIApplication.shared`: that of the innermost `withCurrent`, otherwise the process-wide
  /// device set here. Any thread. The first use and each change may wait about a second for a phone that does
  /// not read. A change that releases the previous device also waits for that device's worker.
  ///
  /// A program that sets no device has no life cycle: the application of the device created on first use is
  /// permanently active, is granted background tasks, has no time limits and receives no calls. Under
  /// `continuo phone run` it is active at first, and has the life cycle that the phone gives it.
  ///
  /// Set a device before the first use: code that already holds the previous application keeps it. The
  /// device's main queue must run on the main thread.
  ///
  /// In code called by a device (delegate, notifications, expiration handlers), `current` is that device.
  public static var current: Device {
    get {
      if let scoped { return scoped }
      let link = PhoneLink.shared
      let (device, isNew) = process.withLock { process in
        if let process { return (process, false) }
        let device = Device(
          modes: link?.modes ?? BackgroundModes(), clock: SystemClock.shared, isActive: true)
        _ = device.application
        process = device
        return (device, true)
      }
      if isNew { link?.attach(device) }
      return device
    }
    set {
      // Creates the application, which posts notifications even if the program never accesses it.
      _ = newValue.application
      var device: Device? = newValue
      // The previous device may be deallocated here, which waits for its worker: release it outside the lock.
      process.withLock { swap(&$0, &device) }
      PhoneLink.shared?.attach(newValue)
    }
  }

  /// Runs `operation` with `device` as `current` and returns its result. `device` is also `current` in tasks
  /// that `operation` starts, except detached ones.
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
  ) async rethrows -> Result { try await $scoped.withValue(device, operation: operation) }
}
