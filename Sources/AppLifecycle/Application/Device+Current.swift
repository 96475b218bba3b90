import Synchronization

extension Device {
  @TaskLocal private static var scoped: Device?

  private static let process = Mutex<Device?>(nil)

  /// The device to which `UIApplication.shared` belongs: that of the innermost `withCurrent`, otherwise that
  /// of the process, which is made at first use, with the system's clock and without background modes. To
  /// have modes, set a device before the first use; code that already holds the old application keeps it. Any
  /// thread; does not block.
  ///
  /// In code that a device calls (delegate, notifications, expiration handlers) this is that device.
  public static var current: Device {
    get {
      if let scoped { return scoped }
      return process.withLock { process in
        if let process { return process }
        let device = Device(modes: BackgroundModes())
        process = device
        return device
      }
    }
    set { process.withLock { $0 = newValue } }
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
