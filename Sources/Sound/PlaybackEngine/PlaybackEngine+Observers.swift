import AudioCore
package import Clocks
package import MediaTime

/// Time observers, and the owner's work items between notices.
extension PlaybackEngine {
  /// Calls `block` on `queue` (nil: the main queue) as the times 0, i, 2i … of each item are heard. The interval
  /// i is `interval`, above zero. Also calls `block` with the exact time when playback starts, stops or jumps. Times
  /// are skipped if `interval` is below 1 ms, or if `queue` is a second late. Returns the observer's identifier.
  package func addPeriodicTimeObserver(
    forInterval interval: CMTime, queue: (any DeliveryQueue)?,
    using block: @escaping @Sendable (CMTime) -> Void
  ) -> ObserverID {
    let id = deliveries.add(.periodic(block), queue: queue)
    readTime { machine, now, timing in
      let place = machine.position(now: now, timing: timing)?.seconds ?? machine.resting
      machine.schedule.addPeriodic(id, interval: interval, position: place)
    }
    signal()
    return id
  }

  /// Calls `block` on `queue` (nil: the main queue) whenever playback, not a seek, passes one of `times`.
  /// Returns the observer's identifier.
  package func addBoundaryTimeObserver(
    forTimes times: [CMTime], queue: (any DeliveryQueue)?, using block: @escaping @Sendable () -> Void
  ) -> ObserverID {
    let id = deliveries.add(.boundary(block), queue: queue)
    call { $0.schedule.addBoundary(id, times: times) }
    return id
  }

  /// Removes an observer. After the return only a call in progress on another thread may still run. Returns
  /// false for an unknown observer. A closed engine always returns true, because its list is gone.
  @discardableResult
  package func removeTimeObserver(_ id: ObserverID) -> Bool {
    call { $0.schedule.remove(id) }
    return deliveries.remove(id) || deliveries.main.isClosed
  }

  /// Delivers the changes made by calls at once, instead of in a turn of the main queue. These are the rate, the
  /// current item, and `EngineTimeControl` if its change follows from the call. Delivers nothing while the engine
  /// is suspended. Call only on the main queue.
  package func deliverOwn() { deliveries.main.deliverOwn() }

  /// Enqueues `work` on the main queue after the pending notices; suspension delays `work` like a notice.
  package func tell(_ work: @escaping @Sendable () -> Void) {
    deliveries.main.append(work)
    deliveries.main.wake()
  }

  /// Runs `work` synchronously on the caller's thread, or skips it while the engine is suspended or closed.
  package func callNow(_ work: () -> Void) { _ = deliveries.main.callNow(work) }

  /// Runs `work` on the caller's thread. While the engine is suspended, enqueues `work` on the main queue
  /// instead, after the pending notices. A closed engine drops `work`.
  package func tellAnywhere(_ work: @escaping @Sendable () -> Void) {
    guard deliveries.main.callNow(work) else { return tell(work) }
  }

  /// Runs `work`, the remainder of the current notice's handling, at once. If the engine was suspended
  /// meanwhile, `work` runs first after `resume`. A closed engine drops `work`. Call only inside `onNotice` or
  /// inside `work` passed to `tell`.
  package func carryOn(_ work: @escaping @Sendable () -> Void) { deliveries.main.carryOn(work) }

  /// Whether a call on the main queue may begin now: neither suspended nor closed. Thread-safe.
  package var mayCall: Bool { deliveries.main.mayCall }

  /// Starts connecting the output ahead of time, so that the first `rate` above 0 finds it ready.
  package func prepareOutput() { device.prepare() }
}
