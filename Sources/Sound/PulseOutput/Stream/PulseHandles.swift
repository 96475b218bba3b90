import CPulse

/// An object that libpulse's callbacks get as user data. The callbacks do not retain the object, since another
/// reference exists while they may run.
protocol PulseUserData: AnyObject {}

extension PulseUserData {
  var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func from(_ userdata: UnsafeMutableRawPointer?) -> Self? {
    userdata.map { Unmanaged<Self>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// A main loop and its thread, which both end on deinit. Must be released neither on that thread nor with the
/// lock held.
struct MainloopHandle: ~Copyable {
  let calls: any PulseCalls
  let pointer: OpaquePointer

  deinit {
    calls.mainloopStop(pointer)
    calls.mainloopFree(pointer)
  }
}

/// A context, which deinit disconnects and frees. Requires the main loop's lock on deinit.
struct ContextHandle: ~Copyable {
  let calls: any PulseCalls
  let pointer: OpaquePointer

  deinit {
    // The callback is cleared first, because disconnecting changes the state at once.
    calls.contextSetStateCallback(pointer, nil, nil)
    calls.contextDisconnect(pointer)
    calls.contextUnref(pointer)
  }
}

/// A stream, which deinit disconnects and frees. Requires the main loop's lock on deinit.
struct StreamHandle: ~Copyable {
  let calls: any PulseCalls
  let pointer: OpaquePointer

  deinit {
    calls.streamSetCallbacks(pointer, nil, nil)
    // Unref alone would leave the stream playing. An error means that the stream or its connection has died.
    _ = calls.streamDisconnect(pointer)
    calls.streamUnref(pointer)
  }
}

/// An operation with a pending answer. Its callback never runs after deinit.
struct OperationHandle: ~Copyable {
  let calls: any PulseCalls
  let pointer: OpaquePointer

  /// Creates a handle; nil for an operation that libpulse refused, which is normal after a lost connection.
  init?(_ calls: any PulseCalls, _ pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.calls = calls
    self.pointer = pointer
  }

  deinit {
    calls.operationCancel(pointer)
    calls.operationUnref(pointer)
  }
}

struct DeferHandle: ~Copyable {
  let calls: any PulseCalls
  let loop: OpaquePointer
  let pointer: OpaquePointer

  /// Makes the callback run on the loop's thread, at each iteration until `disable()`.
  func enable() { calls.deferEnable(loop, pointer, true) }
  func disable() { calls.deferEnable(loop, pointer, false) }

  deinit { calls.deferFree(loop, pointer) }
}

struct TimerHandle: ~Copyable {
  let calls: any PulseCalls
  let loop: OpaquePointer
  let pointer: OpaquePointer

  deinit { calls.timerFree(loop, pointer) }
}

extension PulseCalls {
  /// Releases an operation whose answer is not needed. Returns false if libpulse refused the operation.
  @discardableResult
  func forget(_ operation: OpaquePointer?) -> Bool {
    guard let operation else { return false }
    operationUnref(operation)
    return true
  }
}
