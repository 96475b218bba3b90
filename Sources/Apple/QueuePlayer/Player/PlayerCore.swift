import AudioCore
import AudioSession
import Clocks
import Dispatch
import Foundation
import MediaAssets
import MediaTime
import PlaybackEngine
import Synchronization

/// The implementation of `AVPlayer`: the engine, and a mirror of the state last reported to observers.
///
/// The engine runs ahead on its own threads and sends notices to the main queue. Each notice advances the
/// mirror by one step and notifies the observers, so they see the states in order. On the main queue,
/// properties return the mirror, and calls refer to it, even if the engine has advanced. The mirror contains
/// a call's changes when the call returns; changes made by the engine follow in a separate turn of the main
/// queue. On other threads, properties that the engine stores, such as the rate, have the engine's values.
final class PlayerCore: SuspendablePlayer, MediumListener {
  /// The state last reported to observers, and the state that the engine does not store.
  struct State {
    weak var player: AVPlayer?
    /// The items by their numbers, from their insertion until their removal was reported to observers.
    var items: [ItemID: AVPlayerItem] = [:]
    var current: (id: ItemID, item: AVPlayerItem)?
    var rate: Float = 0
    var timeControl = EngineTimeControl.paused
    var status = AVPlayer.Status.unknown
    var error: AVError?
    var defaultRate: Float = 1
    var inert = InertPlayerProperties()
    /// The last requested seek. Its handler is called at most once.
    var seek: PlayerSeek?
    /// The queues of time observers, each with the count of its observers. Observers with the same dispatch
    /// queue share one `ObserverQueue`.
    var observerQueues: [ObjectIdentifier: (queue: ObserverQueue, count: Int)] = [:]
    var isOutputPrepared = false
    /// The items and the properties that calls have changed, until the changes are announced on the main
    /// queue.
    var announcedItems: [AVPlayerItem] = []
    var announcedProperties: [ObservedProperty] = []
  }

  let environment: PlaybackEnvironment
  let engine: PlaybackEngine
  let observations = ObservationList(tracked: .ofNewObject())
  let announcer: ChangeAnnouncer
  let state = Mutex(State())

  init(isQueuePlayer: Bool, environment: PlaybackEnvironment = .current) {
    self.environment = environment
    let engine = PlaybackEngine(
      clock: environment.clock, device: environment.device, stretching: environment.stretching,
      isQueuePlayer: isQueuePlayer, mainQueue: environment.mainQueue, gate: environment.suspension.gate)
    self.engine = engine
    announcer = ChangeAnnouncer { engine.mayCall }
    engine.start { [weak self] in self?.receive($0) }
    environment.suspension.add(self)
  }

  deinit { environment.suspension.remove(self) }

  /// Ends playback permanently when the player is released. The current item keeps its position, and is still
  /// opened if it was not open yet. A pending asynchronous seek returns false; handlers are no longer called.
  /// All items are free for other players at once, even inside a handler of this one.
  func close() {
    if let seek = state.withLock({ $0.seek.take() }), seek.isDirect { seek.end(false) }
    let item = engine.currentItem.flatMap { id in state.withLock { $0.items[id] } }
    item?.keepPlace()
    if let id = state.withLock({ $0.current?.id }) { log(id) { log, now in log.play(false, at: now) } }
    engine.close()
    item?.openAlone()
    environment.suspension.remove(self)
    // The items are released outside the lock.
    let released = state.withLock { state in
      defer {
        state.items = [:]
        state.current = nil
      }
      return (state.items, state.current)
    }
    withExtendedLifetime(released) {}
  }

  // MARK: Threads

  /// Whether properties return the state last reported to observers instead of the engine's state.
  var readsMirror: Bool { PathEvaluation.current != nil || environment.isOnMainQueue() }

  /// Reports the changes made by calls, if the caller is on the main queue.
  func deliver() {
    // While `.prior` handlers of a change are running, no other change may be delivered before that one.
    if environment.isOnMainQueue(), !announcer.isPreparing { engine.deliverOwn() }
  }

  /// Returns a closure that calls `handler` on the main queue, at once if the closure is called there. If the
  /// players are suspended, the call follows after the suspension; a closed engine drops it. `isDirect`: `handler` may
  /// be called at once on any thread.
  func deferred(
    _ handler: @escaping @Sendable (Bool) -> Void, isDirect: Bool = false
  ) -> @Sendable (Bool) -> Void {
    { [engine, environment] finished in
      if isDirect || environment.isOnMainQueue() {
        engine.tellAnywhere { handler(finished) }
      } else {
        engine.tell { handler(finished) }
      }
    }
  }

  /// Calls `change`, which sets a property of the player or of `item`, and notifies observers. For properties
  /// that the engine never changes by itself.
  func set(_ key: ObservedKey, of item: AVPlayerItem? = nil, _ change: () -> Void) {
    let property = (item?.observations ?? observations).property(key)
    if environment.isOnMainQueue() {
      engine.callNow { announcer.prepare(lists(with: item), for: [property]) }
    }
    change()
    announceChange(property, of: item)
    deliver()
  }

  private func lists(with item: AVPlayerItem?) -> [ObservationList] {
    (item.map { [$0.observations] } ?? []) + [observations]
  }

  /// Notifies the observers of the player, and those of `item` if any, about a change that the engine does
  /// not report.
  private func announceChange(_ property: ObservedProperty, of item: AVPlayerItem?) {
    let isFirst = state.withLock { state in
      if let item, !state.announcedItems.contains(where: { $0 === item }) {
        state.announcedItems.append(item)
      }
      let isFirst = state.announcedProperties.isEmpty
      if !state.announcedProperties.contains(property) { state.announcedProperties.append(property) }
      return isFirst
    }
    if environment.isOnMainQueue() {
      engine.tellAnywhere { [weak self] in self?.announceChanges() }
    } else if isFirst {
      engine.tell { [weak self] in self?.announceChanges() }
    }
  }

  private func announceChanges() {
    let (items, properties) = state.withLock { state in
      defer {
        state.announcedItems = []
        state.announcedProperties = []
      }
      return (state.announcedItems, state.announcedProperties)
    }
    announce(items.map(\.observations) + [observations], changed: properties)
  }

  /// Calls `body`, which changes the mirror, and notifies observers: those with `.prior` before the change,
  /// all after it. Main queue, inside a delivery of the engine.
  func change(_ keys: [ObservedKey], of item: AVPlayerItem? = nil, _ body: () -> Void) {
    let owner = item?.observations ?? observations
    let properties = keys.map(owner.property)
    announcer.prepare(lists(with: item), for: properties)
    body()
    announce(lists(with: item), changed: properties)
  }

  private func announce(_ lists: [ObservationList], changed: [ObservedProperty]) {
    announcer.announce(lists, changed: changed)
    if announcer.isWaiting { engine.carryOn { [announcer] in announcer.settle() } }
  }

  // MARK: Transport

  /// Returns the value of a property as last reported to observers.
  func read<Value>(_ key: ObservedKey, _ value: (State) -> Value) -> Value {
    observations.read(key) { state.withLock { value($0) } }
  }

  var rate: Float { observations.read(.rate) { readsMirror ? state.withLock { $0.rate } : engine.rate } }

  /// Sets the rate; 0 pauses. A rate above 0 starts playback, unless the session does not allow playback, or the rate is
  /// not 1 and time stretching is not available. A refused rate and a rate below 0 pause with the reason
  /// `setRateFailed`. `isImmediate`: playback starts with the first available frame.
  func setRate(_ rate: Float, isImmediate: Bool = false) {
    if rate > 0 { reportIfSuspended() }
    if rate == 0 {
      engine.setRate(0)
    } else if !start(at: rate, { engine.setRate(rate, isImmediate: isImmediate) }) {
      engine.setRate(0, reason: .setRateFailed)
    }
    deliver()
  }

  /// Sets the rate so that `time` of the current item, or its current position, is heard at `moment`. If `moment` is not
  /// numeric, no item is current, or the rate is refused, seeks to a numeric `time` and sets the rate at once.
  func setRate(_ rate: Float, time: CMTime, at moment: CMTime) {
    guard moment.isNumeric, let (id, item) = knownCurrent,
      start(
        at: rate,
        {
          cancelSeek(of: id)
          if time.isNumeric { item.state.withLock { $0.place = max(time, .zero) } }
          engine.setRate(
            rate, atSeconds: time.isNumeric ? time.secondsToSeek() : nil, of: id, moment: HostTime(moment))
        })
    else {
      if time.isNumeric { seek(to: time, completion: nil) }
      return setRate(rate)
    }
    deliver()
  }

  /// Reports a start that takes effect only when the application runs again. The report itself is not
  /// deferred, because its handler belongs to the owner of the environment, not to the application.
  private func reportIfSuspended() {
    guard environment.suspension.isSuspended, let onDiagnostic = environment.onDiagnostic else { return }
    environment.mainQueue.enqueue { onDiagnostic(.startDeferred) }
  }

  /// Calls `start`, which sets the rate, if `rate` is above 0 and allowed now. Returns whether `start` was called.
  private func start(at rate: Float, _ start: () -> Void) -> Bool {
    rate > 0 && canPlay(at: rate) && environment.suspension.start(self, start)
  }

  /// Returns whether playback at `rate` is supported. If not, reports the reason as a diagnostic.
  private func canPlay(at rate: Float) -> Bool {
    guard rate != 1 else { return true }
    do throws(TimeStretchError) {
      guard let stretching = environment.stretching else {
        throw TimeStretchError("this environment plays at rate 1 only")
      }
      try stretching.prepare()
      return true
    } catch {
      let onDiagnostic = environment.onDiagnostic
      engine.tell { onDiagnostic?(.rateUnavailable(error.message)) }
      return false
    }
  }

  /// Pauses playback for `reason`, on behalf of the audio session or the system. No effect while paused.
  func pause(_ reason: EngineRateReason) {
    guard engine.rate != 0 else { return }
    engine.setRate(0, reason: reason)
    deliver()
  }

  var timeControl: EngineTimeControl { readsMirror ? state.withLock { $0.timeControl } : engine.timeControl }

  // MARK: Time

  /// Seeks in the current item; without one, the completion receives false. `isDirect`: the completion may be called on
  /// any thread.
  func seek(
    to time: CMTime, isExact: Bool = false, isDirect: Bool = false, completion: (@Sendable (Bool) -> Void)?
  ) {
    guard let (id, item) = knownCurrent else {
      completion.map { deferred($0, isDirect: isDirect)(false) }
      return
    }
    seek(
      item, id, to: time, seconds: time.secondsToSeek(), isExact: isExact, isDirect: isDirect,
      completion: completion)
  }

  /// Moves `item`, the current one, to `time`, which equals `seconds`. The handler of the previous seek
  /// receives false at once. If the item's status is still `unknown`, this seek's handler receives true at once.
  func seek(
    _ item: AVPlayerItem, _ id: ItemID, to time: CMTime, seconds: Double, isExact: Bool, isDirect: Bool,
    completion: (@Sendable (Bool) -> Void)?
  ) {
    item.state.withLock { $0.place = time.isNumeric ? max(time, .zero) : .zero }
    let isReady = item.knownState.status != .unknown
    let seek = PlayerSeek(
      of: id, isDirect: isDirect, completion: completion.map { deferred($0, isDirect: isDirect) })
    let previous = state.withLock { state in
      defer { state.seek = seek }
      return state.seek
    }
    engine.seek(toSeconds: seconds, of: id, isExact: isExact, completion: isReady ? seek.end : nil)
    previous?.end(false)
    if !isReady { seek.end(true) }
    deliver()
  }

  /// Ends the pending seek of item `id`, whose handler receives false.
  func cancelSeek(of id: ItemID) {
    let seek = state.withLock { $0.seek?.item == id ? $0.seek.take() : nil }
    if engine.currentItem == id { engine.cancelPendingSeeks() }
    seek?.end(false)
    deliver()
  }

  // MARK: Time observers

  /// Adds an observer by calling `add` with the observer's queue: nil for the main queue.
  func addObserver(
    on queue: DispatchQueue?, _ add: ((any DeliveryQueue)?) -> ObserverID
  ) -> TimeObserverToken {
    guard let queue, !MainDispatchQueue.isMain(queue) else {
      return TimeObserverToken(id: add(nil), queue: nil, core: self)
    }
    let key = ObjectIdentifier(queue)
    let shared = state.withLock { state in
      let shared = state.observerQueues[key]?.queue ?? ObserverQueue(queue)
      state.observerQueues[key] = (shared, (state.observerQueues[key]?.count ?? 0) + 1)
      return shared
    }
    return TimeObserverToken(id: add(shared), queue: key, core: self)
  }

  /// Removes an observer, and its queue if no other observer uses it. Returns false for an unknown observer.
  func removeObserver(_ token: TimeObserverToken) -> Bool {
    guard engine.removeTimeObserver(token.id) else { return false }
    // The queue is released outside the lock.
    let unused = state.withLock { state -> ObserverQueue? in
      guard let key = token.queue, let (queue, count) = state.observerQueues[key] else { return nil }
      state.observerQueues[key] = count == 1 ? nil : (queue, count - 1)
      return queue
    }
    withExtendedLifetime(unused) {}
    return true
  }
}

/// A seek from the application's view: in progress until its handler was called, regardless of the engine's
/// state.
final class PlayerSeek: Sendable {
  /// The item in which the seek takes place.
  let item: ItemID
  /// Whether the handler may be called at once on any thread.
  let isDirect: Bool
  private let handler: Mutex<(@Sendable (Bool) -> Void)?>

  init(of item: ItemID, isDirect: Bool, completion: (@Sendable (Bool) -> Void)?) {
    self.item = item
    self.isDirect = isDirect
    handler = Mutex(completion)
  }

  /// Calls the handler, unless it was called before. Any thread.
  func end(_ finished: Bool) { handler.withLock { $0.take() }?(finished) }
}

/// Returns the value that `seek` passes to its completion handler, which may be called on any thread.
func outcome(of seek: (@escaping @Sendable (Bool) -> Void) -> Void) async -> Bool {
  // An unsafe continuation, because a checked one would warn that it is never resumed if the application ends
  // during the seek.
  await withUnsafeContinuation { continuation in seek { continuation.resume(returning: $0) } }
}

extension ObservationList {
  /// Records a read of the property and returns its value.
  func read<Value>(_ key: ObservedKey, _ value: () -> Value) -> Value {
    note(key)
    return value()
  }
}
