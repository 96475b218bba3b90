import CPulse

/// A main loop and its thread. Ends both when dropped: never on that thread, never with the lock.
struct MainloopHandle: ~Copyable {
  let calls: any PulseCalls
  let pointer: OpaquePointer

  deinit {
    calls.mainloopStop(pointer)
    calls.mainloopFree(pointer)
  }
}

/// A context. Disconnects and frees it when dropped, which the main loop's lock must cover.
struct ContextHandle: ~Copyable {
  let calls: any PulseCalls
  let pointer: OpaquePointer

  deinit {
    // The callback goes first: disconnecting changes the state at once.
    calls.contextSetStateCallback(pointer, nil, nil)
    calls.contextDisconnect(pointer)
    calls.contextUnref(pointer)
  }
}

/// A stream. Disconnects and frees it when dropped, which the main loop's lock must cover.
struct StreamHandle: ~Copyable {
  let calls: any PulseCalls
  let pointer: OpaquePointer

  deinit {
    calls.streamSetCallbacks(pointer, nil, nil)
    // Unref alone leaves the stream playing until its context ends. The result is an error where the stream or its
    // connection has died already.
    _ = calls.streamDisconnect(pointer)
    calls.streamUnref(pointer)
  }
}

/// An operation whose answer somebody waits for. Its callback never runs once this is dropped.
struct OperationHandle: ~Copyable {
  let calls: any PulseCalls
  let pointer: OpaquePointer

  /// nil for an operation that libpulse refused: normal once a connection has died.
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

/// A deferred event of a main loop.
struct DeferHandle: ~Copyable {
  let calls: any PulseCalls
  let loop: OpaquePointer
  let pointer: OpaquePointer

  /// Runs the callback soon, on the loop's thread.
  func enable() { calls.deferEnable(loop, pointer, true) }
  /// Keeps the callback from running again.
  func disable() { calls.deferEnable(loop, pointer, false) }

  deinit { calls.deferFree(loop, pointer) }
}

/// A timer of a main loop.
struct TimerHandle: ~Copyable {
  let calls: any PulseCalls
  let loop: OpaquePointer
  let pointer: OpaquePointer

  deinit { calls.timerFree(loop, pointer) }
}

extension PulseCalls {
  /// For operations that nobody waits for: gives the reference back, so that none stays. False if libpulse refused.
  @discardableResult
  func forget(_ operation: OpaquePointer?) -> Bool {
    guard let operation else { return false }
    operationUnref(operation)
    return true
  }
}
