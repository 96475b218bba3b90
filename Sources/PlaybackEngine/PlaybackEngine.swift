package import AudioCore
package import HostTime
package import MediaTime

/// A queue of media on one output: decodes ahead, plays without gaps, knows what is heard, calls its observers.
///
/// Every method may be called from any thread, takes a short lock and never waits for a file, a server or a
/// callback. Callbacks run on the queues that were named, never under a lock. The engine stops and frees everything
/// when the last reference to it goes.
package final class PlaybackEngine: Sendable {
  private let core: EngineCore

  /// An engine at rest with an empty queue. Does nothing before `start`.
  ///
  /// - Parameters:
  ///   - clock: what it waits on.
  ///   - device: where sound goes.
  ///   - stretching: what plays at other rates than 1; nil for an engine that is never asked to.
  ///   - isQueuePlayer: whether items leave the queue when they ended or failed (AVQueuePlayer) or stay (AVPlayer).
  ///   - mainQueue: where notices are delivered.
  ///   - gate: shared by engines that are suspended together: closed for all of them by `suspend`, opened by `resume`.
  package init(
    clock: any HostClock, device: any AudioOutputDevice, stretching: (any TimeStretching)? = nil,
    isQueuePlayer: Bool = true, mainQueue: any DeliveryQueue, gate: CallGate = CallGate()
  ) {
    core = EngineCore(
      clock: clock, device: device, stretching: stretching, isQueuePlayer: isQueuePlayer,
      deliveries: DeliveryRouter(mainQueue: mainQueue, gate: gate))
  }

  /// Begins to work. To be called once, before anything else; `onNotice` is called on the main queue for all that
  /// happens: in a turn of that queue, or inside `deliverOwn` for what calls changed. Each property's values come in
  /// order.
  package func start(onNotice: @escaping @Sendable (EngineNotice) -> Void) { core.start(onNotice: onNotice) }

  deinit { core.close() }

  /// Ends playback and both threads at once; nothing is delivered any more. Waits for a running decoding step (a
  /// few milliseconds) and for nothing else. Idempotent.
  package func close() { core.close() }

  /// Delivers now, and not in a turn of the main queue, what calls have changed: the rate, `EngineTimeControl` as far as
  /// it follows from the call, the current item. What the engine found out meanwhile keeps its turn. Only for a caller
  /// that *is* on the main queue.
  package func deliverOwn() { core.deliveries.main.deliverOwn() }

  /// Runs `work` on the main queue behind the notices that wait, and held back as they are.
  package func tell(_ work: @escaping @Sendable () -> Void) {
    core.deliveries.main.append(work)
    core.deliveries.main.wake()
  }

  /// Runs `work` at once on the caller's thread; not at all while the engine is suspended or closed.
  package func callNow(_ work: () -> Void) { _ = core.deliveries.main.callNow(work) }

  /// Runs `work` at once on the caller's thread, or with the notices if they are held back.
  package func tellAnywhere(_ work: @escaping @Sendable () -> Void) {
    guard core.deliveries.main.callNow(work) else { return tell(work) }
  }

  /// Runs `work`, the rest of what a notice is about, at once; or first of all after `resume`, if the engine was
  /// suspended meanwhile. Only inside `onNotice`, or what `tell` runs.
  package func carryOn(_ work: @escaping @Sendable () -> Void) { core.deliveries.main.carryOn(work) }

  /// Whether a call on the main queue may begin now: neither suspended nor closed. Any thread.
  package var mayCall: Bool { core.deliveries.main.mayCall }

  /// Lets the output begin to connect, so that the first `rate` above 0 finds it ready.
  package func prepareOutput() { core.prepareOutput() }

  // MARK: Queue

  /// The items in order, the current one first. Costs what it returns.
  package var items: [ItemID] { core.read { $0.queue.ids } }

  /// The same with the items that ended or failed, in their places, until `forgetDeparture`.
  package var itemsUntilTold: [ItemID] { core.read { $0.itemsUntilTold } }

  /// The application was told that an item has ended or failed.
  package func forgetDeparture(of id: ItemID) { core.mutate { $0.forgetDeparture(of: id) } }

  /// The current item.
  package var currentItem: ItemID? { core.read { $0.current } }

  /// How many items there are.
  package var itemCount: Int { core.read { $0.queue.count } }

  /// Whether an item is in the queue.
  package func contains(_ id: ItemID) -> Bool { core.read { $0.queue.contains(id) } }

  /// Inserts behind `after`, at the end for nil; it will start at `startSeconds`. False if it is in the queue
  /// already or `after` is not. If it becomes current, that is told behind the ends of items that were not told yet.
  @discardableResult
  package func insert(
    _ id: ItemID, source: any MediaSource, after: ItemID? = nil, startSeconds: Double = 0
  ) -> Bool {
    core.perform(.addition) { $0.insert(id, source: source, after: after, startSeconds: startSeconds) }
  }

  /// Takes an item out; the current one as `advanceToNextItem`, but told behind the ends of items that were not told
  /// yet. Observers are not called for what was heard of it but not told as current yet.
  package func remove(_ id: ItemID) {
    core.perform(.addition) { $0.remove(id) }
    core.deliveries.main.forget(stepsIn: id)
  }

  /// Empties the queue; sound stops at once.
  package func removeAllItems() { core.perform(.call) { $0.requestRemoveAll() } }

  /// Ends the current item and goes on with the next; the current one leaves the queue.
  ///
  /// - Parameter id: the item that its caller knows as the current one; nil for the one that is. If that one has ended
  ///   meanwhile, the next one is current already, and stays.
  package func advanceToNextItem(from id: ItemID? = nil) { core.perform(.call) { $0.advance(from: id) } }

  /// Puts an item, to be started at `startSeconds`, in the place of the current one; the rest of the queue stays.
  /// False if it is in the queue and not current.
  ///
  /// - Parameter known: the item that its caller knows as the current one; nil for the one that is. If that one has ended
  ///   meanwhile, what follows it stays in the queue, behind the new one.
  @discardableResult
  package func replaceCurrentItem(
    _ id: ItemID, source: any MediaSource, startSeconds: Double = 0, replacing known: ItemID? = nil
  ) -> Bool {
    core.perform(.call) {
      $0.replaceCurrent(id, source: source, startSeconds: startSeconds, replacing: known)
    }
  }

  /// What is known of an item in the queue; nil before it was opened.
  package func info(of id: ItemID) -> ItemInfo? { core.read { $0.queue[id]?.info } }

  /// The latest end of an item, in seconds of its time; nil for its own.
  package func setEnd(_ seconds: Double?, of id: ItemID) {
    core.perform(.call) { $0.setEnd(seconds, of: id) }
  }

  /// Where an item that is not current yet will start, in seconds of its time; without effect on the current one.
  package func setStart(_ seconds: Double, of id: ItemID) {
    core.perform(.call) { $0.setStart(seconds, of: id) }
  }

  /// What happens at the end of an item.
  package var actionAtItemEnd: EngineActionAtItemEnd {
    get { core.read { $0.actionAtItemEnd } }
    set {
      let now = core.clock.now
      core.perform(.addition) { $0.setActionAtItemEnd(newValue, now: now) }
    }
  }

  // MARK: Transport

  /// The rate asked for: 0, or seconds of an item in a second of sound.
  package var rate: Float { core.read { $0.rate } }

  /// Sets the rate: 0 pauses, anything else plays; outside of `rates` the nearest of them. Other rates than 1 need an
  /// engine that was made with `stretching`. A rate that changes while sound flows is heard after some 10 ms, and what
  /// is heard meanwhile is not repeated. It is told even if it is what it was, because the caller may not know that yet.
  ///
  /// - Parameters:
  ///   - rate: 0, or one of `rates`.
  ///   - reason: what observers are told as the cause.
  ///   - isImmediate: whether sound begins with the first frame that is there, however few follow it.
  package func setRate(
    _ rate: Float, reason: EngineRateReason = .setRateCalled, isImmediate: Bool = false
  ) {
    let rate = rate == 0 ? 0 : min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
    core.performNow {
      $0.requestRate(rate, reason: reason, isImmediate: isImmediate, now: $1, timing: $2)
    }
  }

  /// Sets a rate above 0 so that `seconds` of the current item (nil for where it stands) is heard at `moment` of the clock.
  /// Until then there is silence. A moment that cannot be met any more counts all the same: the item is where it would be
  /// had it begun in time. Another rate, a jump or another current item ends what waits for its moment. An offline
  /// output begins at once.
  ///
  /// - Parameter id: the item that the caller knows as the current one. If it no longer is, the rate is set and no more.
  package func setRate(_ rate: Float, atSeconds seconds: Double?, of id: ItemID, moment: HostTime) {
    let rate = min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
    core.performNow { $0.start(rate, at: seconds, of: id, moment: moment, now: $1, timing: $2) }
  }

  /// The rates that can be played, as in AVAudioProcessingSettings.h: "variable rate from 1/32 to 32".
  package static let rates: ClosedRange<Float> = 1 / 32...32

  /// How much of an item is to be there ahead of the decoder.
  package func setReadAhead(_ readAhead: MediaReadAhead, of id: ItemID) {
    core.perform { $0.setReadAhead(readAhead, of: id) }
  }

  /// How an item's sound is made to pass faster or slower.
  package func setAlgorithm(_ algorithm: TimePitchAlgorithm, of id: ItemID) {
    core.performNow { $0.setAlgorithm(algorithm, of: id, now: $1, timing: $2) }
  }

  /// The decoder of an item gives other frames from now on: those that it gave before and that are not heard yet are
  /// decoded anew, as far as the output gives them back.
  package func decodeAnew(_ id: ItemID) {
    core.performNow { $0.decodeAnew(id, now: $1, timing: $2) }
  }

  /// Whether it waits when the output is lost or starved, and goes on by itself. Else it pauses, with the reason
  /// `setRateFailed`.
  package var waitsToMinimizeStalling: Bool {
    get { core.read { $0.waitsToMinimizeStalling } }
    set {
      let now = core.clock.now
      core.perform(.call) { $0.setWaitsToMinimizeStalling(newValue, now: now) }
    }
  }

  /// Whether sound flows.
  package var timeControl: EngineTimeControl { core.read { $0.timeControl } }

  /// What a listener hears now, in seconds of the current item and as a time in its timescale; nil without an item.
  /// Before the item is opened the time is where it will start, in 1/600 s.
  package var currentTime: CMTime? { currentTime { _ in true } }

  /// The same while `id` is the current item, else nil.
  package func currentTime(of id: ItemID) -> CMTime? { currentTime { $0 == id } }

  /// Mean bits per second of the last second of the item `id` that was heard: of what there is of it behind its start or a
  /// seek, and of what is about to be heard where that is nothing. Where none of it was decoded the mean of the item. 0 if
  /// neither is known, or the queue does not have it. Any thread.
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

  /// What sound goes through at present: frames per second, and the seconds that a frame takes from here to the ear;
  /// nil while no output is open.
  package var outputProperties: (sampleRate: Int, latency: Double)? {
    core.readTime { machine, now, timing in
      guard let format = machine.format, let timing else { return nil }
      let waiting = Double(timing.renderedFrames) - timing.heardFrame(at: now)
      return (format.sampleRate, max(0, waiting) / Double(format.sampleRate))
    }
  }

  /// Goes to `seconds` of the current item; clamped to its length. `completion` is called
  /// with false at once if there is no item, or if the item cannot be entered there, with true at once if the item is not opened yet (it then starts
  /// there), with false when another seek or the item's end supersedes it, else with true on the main queue when
  /// the decoder is there.
  ///
  /// - Parameter id: the item that its caller knows as the current one; nil for the one that is. If it no longer is, the
  ///   seek ends with false, on the main queue.
  /// - Parameter isExact: whether the frame must be the one at that time. Else that may be estimated where bytes of the
  ///   medium are far away.
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

  /// Ends a seek that is not over; its handler gets false. The position stays where the seek led.
  package func cancelPendingSeeks() { core.perform(.call) { $0.endSeek(finished: false) } }

  /// Volume, 0…1, linear in amplitude; 1 changes no sample.
  package var volume: Float {
    get { core.read { $0.volume } }
    // NaN is silence, too.
    set { core.perform { $0.volume = newValue > 0 ? min(newValue, 1) : 0 } }
  }

  /// Silence, whatever the volume.
  package var isMuted: Bool {
    get { core.read { $0.isMuted } }
    set { core.perform { $0.isMuted = newValue } }
  }

  // MARK: Suspension

  /// Stops sound on a frame boundary and holds back everything that would be delivered. Does not wait for a call that
  /// is running.
  package func suspend() {
    core.deliveries.gate.close()
    let now = core.clock.now
    core.perform { $0.setSuspended(true, now: now) }
  }

  /// Goes on with the very next frame and delivers what was held back, in order.
  package func resume() {
    let now = core.clock.now
    core.perform { $0.setSuspended(false, now: now) }
    core.deliveries.gate.open()
    core.deliveries.wake()
  }

  // MARK: Observers

  /// Calls `block` on `queue` (the main queue for nil) for the times 0, i, 2i … of each item as they are heard, and
  /// with the exact time when playback starts, stops or jumps. Steps closer than 1 ms are thinned.
  ///
  /// - Parameter interval: above zero; its timescale is that of the steps.
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

  /// Calls `block` whenever one of `times` is passed in normal playback; not by a seek.
  package func addBoundaryTimeObserver(
    forTimes times: [CMTime], queue: (any DeliveryQueue)?, using block: @escaping @Sendable () -> Void
  ) -> ObserverID {
    let id = core.deliveries.add(.boundary(block), queue: queue)
    core.perform { $0.schedule.addBoundary(id, times: times) }
    return id
  }

  /// Ends an observer; after the return no new call begins. False for an unknown one; a closed engine has ended all of
  /// them and knows none from another.
  @discardableResult
  package func removeTimeObserver(_ id: ObserverID) -> Bool {
    core.perform { $0.schedule.remove(id) }
    return core.deliveries.remove(id) || core.deliveries.main.isClosed
  }
}
