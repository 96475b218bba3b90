package import AudioCore
package import HostTime
package import MediaTime

/// A queue of media played gaplessly on one output: decodes ahead, tracks the heard position and calls time
/// observers.
///
/// All methods are thread-safe, hold a lock only briefly and never wait for a file, a server or a callback.
/// Callbacks run on the queues passed by their registrants, never under a lock. Releasing the last reference
/// stops the engine and frees its resources.
package final class PlaybackEngine: Sendable {
  private let core: EngineCore

  /// Creates an idle engine with an empty queue. The engine does nothing before `start`.
  ///
  /// - Parameters:
  ///   - clock: the clock that all waits use.
  ///   - device: the output device.
  ///   - stretching: the time-stretching library for rates other than 1; nil if only rate 1 is used.
  ///   - isQueuePlayer: whether items leave the queue after they ended or failed (AVQueuePlayer) or stay
  ///     (AVPlayer).
  ///   - mainQueue: the queue that notices are delivered on.
  ///   - gate: the gate shared by all engines that are suspended together; `suspend` closes it for all of
  ///     them, `resume` opens it.
  package init(
    clock: any HostClock, device: any AudioOutputDevice, stretching: (any TimeStretching)? = nil,
    isQueuePlayer: Bool = true, mainQueue: any DeliveryQueue, gate: CallGate = CallGate()
  ) {
    core = EngineCore(
      clock: clock, device: device, stretching: stretching, isQueuePlayer: isQueuePlayer,
      deliveries: DeliveryRouter(mainQueue: mainQueue, gate: gate))
  }

  /// Starts both workers. Call once, before any other method.
  ///
  /// `onNotice` is called on the main queue with every notice: in a turn of that queue, or inside
  /// `deliverOwn` for changes made by calls. The values of each property arrive in order.
  package func start(onNotice: @escaping @Sendable (EngineNotice) -> Void) { core.start(onNotice: onNotice) }

  deinit { core.close() }

  /// Ends playback and both workers at once; no further delivery begins. Waits only for a decoding step in
  /// progress (a few milliseconds). Idempotent.
  package func close() { core.close() }

  /// Delivers changes made by calls now instead of in a turn of the main queue. Such changes are the rate,
  /// the current item, and `EngineTimeControl` as far as it follows from the call. The engine's own findings
  /// keep their turn. Call only on the main queue.
  package func deliverOwn() { core.deliveries.main.deliverOwn() }

  /// Enqueues `work` on the main queue after the pending notices; suspension delays `work` like a notice.
  package func tell(_ work: @escaping @Sendable () -> Void) {
    core.deliveries.main.append(work)
    core.deliveries.main.wake()
  }

  /// Runs `work` synchronously on the caller's thread, or skips it while the engine is suspended or closed.
  package func callNow(_ work: () -> Void) { _ = core.deliveries.main.callNow(work) }

  /// Runs `work` synchronously on the caller's thread, or enqueues it like a notice while the engine is
  /// suspended.
  package func tellAnywhere(_ work: @escaping @Sendable () -> Void) {
    guard core.deliveries.main.callNow(work) else { return tell(work) }
  }

  /// Runs `work`, the remainder of the current notice's handling, at once. If the engine was suspended since
  /// the notice began, `work` runs first after `resume`. Call only inside `onNotice` or inside `work` passed
  /// to `tell`.
  package func carryOn(_ work: @escaping @Sendable () -> Void) { core.deliveries.main.carryOn(work) }

  /// Whether a call on the main queue may begin now: neither suspended nor closed. Thread-safe.
  package var mayCall: Bool { core.deliveries.main.mayCall }

  /// Starts connecting the output ahead of time, so that the first `rate` above 0 finds it ready.
  package func prepareOutput() { core.prepareOutput() }

  // MARK: Queue

  /// The items in order, the current one first. Takes time proportional to the queue's length.
  package var items: [ItemID] { core.read { $0.queue.ids } }

  /// The items in order, including items that ended or failed and are not yet passed to `forgetDeparture`.
  package var itemsUntilTold: [ItemID] { core.read { $0.itemsUntilTold } }

  /// Drops an ended or failed item from `itemsUntilTold`, once the application has been notified.
  package func forgetDeparture(of id: ItemID) { core.mutate { $0.forgetDeparture(of: id) } }

  /// The current item; nil if the queue is empty.
  package var currentItem: ItemID? { core.read { $0.current } }

  /// The number of items in the queue.
  package var itemCount: Int { core.read { $0.queue.count } }

  /// Whether an item is in the queue.
  package func contains(_ id: ItemID) -> Bool { core.read { $0.queue.contains(id) } }

  /// Inserts an item after `after`, or at the end for nil; playback of the item starts at `startSeconds`.
  ///
  /// If the item becomes current, that notice follows the pending end notices of earlier items.
  ///
  /// - Returns: false if `id` is already in the queue or `after` is not.
  @discardableResult
  package func insert(
    _ id: ItemID, source: any MediaSource, after: ItemID? = nil, startSeconds: Double = 0
  ) -> Bool {
    core.perform(.addition) { $0.insert(id, source: source, after: after, startSeconds: startSeconds) }
  }

  /// Removes an item; the current one is skipped as by `advanceToNextItem`, except that the notice follows
  /// pending end notices of earlier items. Drops observer steps of the removed item if the item has not been
  /// reported as current yet.
  package func remove(_ id: ItemID) {
    core.perform(.addition) { $0.remove(id) }
    core.deliveries.main.forget(stepsIn: id)
  }

  /// Empties the queue and silences the output at once.
  package func removeAllItems() { core.perform(.call) { $0.requestRemoveAll() } }

  /// Removes the current item and continues with the next one.
  ///
  /// - Parameter id: the item that the caller believes current; nil for the actual one. If `id` has already
  ///   ended, the call changes nothing: the next item is current already.
  package func advanceToNextItem(from id: ItemID? = nil) { core.perform(.call) { $0.advance(from: id) } }

  /// Replaces the current item with `id`, to be started at `startSeconds`; the rest of the queue stays.
  ///
  /// - Parameter known: the item that the caller believes current; nil for the actual one. If `known` has
  ///   already ended, its successor stays in the queue, after `id`.
  /// - Returns: false if `id` is in the queue and not current.
  @discardableResult
  package func replaceCurrentItem(
    _ id: ItemID, source: any MediaSource, startSeconds: Double = 0, replacing known: ItemID? = nil
  ) -> Bool {
    core.perform(.call) {
      $0.replaceCurrent(id, source: source, startSeconds: startSeconds, replacing: known)
    }
  }

  /// The format, length and bit rate of an item in the queue; nil before it was opened.
  package func info(of id: ItemID) -> ItemInfo? { core.read { $0.queue[id]?.info } }

  /// Sets the latest end of an item, in seconds of its time; nil restores the item's own end.
  package func setEnd(_ seconds: Double?, of id: ItemID) {
    core.perform(.call) { $0.setEnd(seconds, of: id) }
  }

  /// Sets the start position of an item that is not current yet, in seconds of its time. No effect on the
  /// current item.
  package func setStart(_ seconds: Double, of id: ItemID) {
    core.perform(.call) { $0.setStart(seconds, of: id) }
  }

  /// The action taken when an item reaches its end.
  package var actionAtItemEnd: EngineActionAtItemEnd {
    get { core.read { $0.actionAtItemEnd } }
    set {
      let now = core.clock.now
      core.perform(.addition) { $0.setActionAtItemEnd(newValue, now: now) }
    }
  }

  // MARK: Transport

  /// The requested rate: 0, or seconds of media per second of output.
  package var rate: Float { core.read { $0.rate } }

  /// Sets the rate: 0 pauses, any other value plays. Values outside `rates` are clamped.
  ///
  /// Rates other than 1 require an engine created with `stretching`. During playback a new rate is heard
  /// after about 10 ms, without repeated sound. A notice follows even if the rate is unchanged, because the
  /// caller may have an outdated value.
  ///
  /// - Parameters:
  ///   - rate: 0, or a value in `rates`.
  ///   - reason: the cause reported to observers.
  ///   - isImmediate: whether sound starts with the first available frame, however few frames follow it.
  package func setRate(
    _ rate: Float, reason: EngineRateReason = .setRateCalled, isImmediate: Bool = false
  ) {
    let rate = rate == 0 ? 0 : min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
    core.performNow {
      $0.requestRate(rate, reason: reason, isImmediate: isImmediate, now: $1, timing: $2)
    }
  }

  /// Sets a rate above 0 and schedules `seconds` of the current item (nil for the present position) to be
  /// heard at `moment`.
  ///
  /// Until `moment`, silence plays. If `moment` cannot be met, playback starts at the position that an
  /// on-time start would have reached. Another rate, a jump or another current item cancels the schedule. An
  /// offline output starts at once.
  ///
  /// - Parameter id: the item that the caller believes current. If `id` is no longer current, only the rate
  ///   is set.
  package func setRate(_ rate: Float, atSeconds seconds: Double?, of id: ItemID, moment: HostTime) {
    let rate = min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
    core.performNow { $0.start(rate, at: seconds, of: id, moment: moment, now: $1, timing: $2) }
  }

  /// The supported rates. AVAudioProcessingSettings.h: "variable rate from 1/32 to 32".
  package static let rates: ClosedRange<Float> = 1 / 32...32

  /// Sets the amount of an item to buffer ahead of the decoder.
  package func setReadAhead(_ readAhead: MediaReadAhead, of id: ItemID) {
    core.perform { $0.setReadAhead(readAhead, of: id) }
  }

  /// Sets the time-stretch algorithm of an item.
  package func setAlgorithm(_ algorithm: TimePitchAlgorithm, of id: ItemID) {
    core.performNow { $0.setAlgorithm(algorithm, of: id, now: $1, timing: $2) }
  }

  /// Discards decoded frames of an item that are not heard yet and decodes them again, because the decoder's
  /// output has changed. Frames that the output cannot return are heard as they are.
  package func decodeAnew(_ id: ItemID) {
    core.performNow { $0.decodeAnew(id, now: $1, timing: $2) }
  }

  /// Whether playback waits and resumes automatically after the output is lost or starved. If false, the
  /// engine pauses with reason `setRateFailed` instead.
  package var waitsToMinimizeStalling: Bool {
    get { core.read { $0.waitsToMinimizeStalling } }
    set {
      let now = core.clock.now
      core.perform(.call) { $0.setWaitsToMinimizeStalling(newValue, now: now) }
    }
  }

  /// Whether the engine is paused, waiting or playing.
  package var timeControl: EngineTimeControl { core.read { $0.timeControl } }

  /// The position heard now, as a time in the item's timescale; nil without a current item. Before the item
  /// is opened, the start position in units of 1/600 s.
  package var currentTime: CMTime? { currentTime { _ in true } }

  /// The position heard now if `id` is the current item, else nil.
  package func currentTime(of id: ItemID) -> CMTime? { currentTime { $0 == id } }

  /// The mean bit rate of the last heard second of item `id`, in bits per second. Thread-safe.
  ///
  /// After a start or a seek the mean covers the heard part only, or the next frames if none was heard yet.
  /// Without decoded frames there the result is the item's overall mean; 0 if unknown or if the queue does
  /// not contain `id`.
  package func bitRate(of id: ItemID) -> Double {
    core.readTime { machine, now, timing in
      guard let record = machine.queue[id] else { return 0 }
      let heard = machine.current == id ? machine.position(now: now, timing: timing)?.seconds : nil
      return record.bitRates.mean(before: heard ?? record.startSeconds) ?? Double(record.info?.bitRate ?? 0)
    }
  }

  private func currentTime(where isWanted: (ItemID) -> Bool) -> CMTime? {
    core.readTime { machine, now, timing in
      guard let current = machine.current, isWanted(current) else { return nil }
      return machine.position(now: now, timing: timing)?.time
        ?? CMTime(value: CMTimeValue((machine.resting * 600).rounded()), timescale: 600)
    }
  }

  /// The stream's sample rate in frames per second and its latency from the engine to the listener in
  /// seconds; nil while no output is open.
  package var outputProperties: (sampleRate: Int, latency: Double)? {
    core.readTime { machine, now, timing in
      guard let format = machine.format, let timing else { return nil }
      let waiting = Double(timing.renderedFrames) - timing.heardFrame(at: now)
      return (format.sampleRate, max(0, waiting) / Double(format.sampleRate))
    }
  }

  /// Seeks to `seconds` of the current item, clamped to its length.
  ///
  /// `completion` is called with false at once if no item is current, the item is a live stream, or that
  /// position is not seekable. For an item not opened yet, `completion` is called with true at once, and
  /// playback will start there. Otherwise `completion` is called on the main queue: with true once the
  /// decoder has reached the position, with false if another seek or the item's end supersedes this seek.
  ///
  /// - Parameters:
  ///   - id: the item that the caller believes current; nil for the actual one. If `id` is no longer current,
  ///     the seek ends with false on the main queue.
  ///   - isExact: whether the exact frame is required. If false, the position may be estimated where the
  ///     bytes of the medium are far from the fetched ones.
  package func seek(
    toSeconds seconds: Double, of id: ItemID? = nil, isExact: Bool = false,
    completion: (@Sendable (Bool) -> Void)? = nil
  ) {
    for call in core.perform(
      .call, { $0.seek(to: seconds, of: id, isExact: isExact, completion: completion) })
    {
      call.completion(call.finished)
    }
  }

  /// Ends a pending seek; its handler gets false. The position stays at the seek's target.
  package func cancelPendingSeeks() { core.perform(.call) { $0.endSeek(finished: false) } }

  /// The volume, 0…1, linear in amplitude. At 1 no sample changes.
  package var volume: Float {
    get { core.read { $0.volume } }
    // NaN compares false and therefore becomes 0 (silence).
    set { core.perform { $0.volume = newValue > 0 ? min(newValue, 1) : 0 } }
  }

  /// Whether the output is silent, whatever the volume.
  package var isMuted: Bool {
    get { core.read { $0.isMuted } }
    set { core.perform { $0.isMuted = newValue } }
  }

  // MARK: Suspension

  /// Stops sound on a frame boundary and withholds all deliveries. Does not wait for a call in progress.
  package func suspend() {
    core.deliveries.gate.close()
    let now = core.clock.now
    core.perform { $0.setSuspended(true, now: now) }
  }

  /// Resumes with the very next frame and delivers the withheld notices and steps in order.
  package func resume() {
    let now = core.clock.now
    core.perform { $0.setSuspended(false, now: now) }
    core.deliveries.gate.open()
    core.deliveries.wake()
  }

  // MARK: Observers

  /// Calls `block` on `queue` (nil: the main queue) at the times 0, i, 2i … of each item as they are heard.
  /// Also calls it with the exact time when playback starts, stops or jumps. Intervals below 1 ms are
  /// thinned.
  ///
  /// - Parameter interval: the interval i, above zero; its timescale is the timescale of the steps.
  package func addPeriodicTimeObserver(
    forInterval interval: CMTime, queue: (any DeliveryQueue)?,
    using block: @escaping @Sendable (CMTime) -> Void
  ) -> ObserverID {
    let id = core.deliveries.add(.periodic(block), queue: queue)
    core.readTime { machine, now, timing in
      let place = machine.position(now: now, timing: timing)?.seconds ?? machine.resting
      machine.schedule.addPeriodic(id, interval: interval, position: place)
    }
    core.signal()
    return id
  }

  /// Calls `block` on `queue` (nil: the main queue) whenever normal playback passes one of `times`; seeks do
  /// not call it.
  package func addBoundaryTimeObserver(
    forTimes times: [CMTime], queue: (any DeliveryQueue)?, using block: @escaping @Sendable () -> Void
  ) -> ObserverID {
    let id = core.deliveries.add(.boundary(block), queue: queue)
    core.perform { $0.schedule.addBoundary(id, times: times) }
    return id
  }

  /// Removes an observer; no new call begins after the return.
  ///
  /// - Returns: false for an unknown observer. A closed engine always returns true, because its list is gone.
  @discardableResult
  package func removeTimeObserver(_ id: ObserverID) -> Bool {
    core.perform { $0.schedule.remove(id) }
    return core.deliveries.remove(id) || core.deliveries.main.isClosed
  }
}
