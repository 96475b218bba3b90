import AudioCore
import Dispatch
import Foundation
import HostTime
import MediaTime
import PlaybackEngine
import Synchronization

/// What stands behind an `AVPlayer`: the engine, and a mirror of what observers were told of it.
///
/// The engine runs ahead on threads of its own and sends notices to the main queue. Each notice moves the
/// mirror one step and has the observers look, so they see every state once and in order. On the main queue
/// properties show the mirror, and calls are meant for it: for the item that it shows as the current one, even
/// if the engine has gone on. What a call changes is in the mirror when it returns; what the engine found out
/// comes later, in a turn of the main queue. Elsewhere properties show the engine.
final class PlayerCore: Sendable {
  /// What observers were told last, and what the engine has no place for.
  struct State {
    weak var player: AVPlayer?
    /// The items by their numbers, from their insertion until observers were told that they are gone.
    var items: [ItemID: AVPlayerItem] = [:]
    var current: (id: ItemID, item: AVPlayerItem)?
    var rate: Float = 0
    var timeControl = EngineTimeControl.paused
    var status = AVPlayer.Status.unknown
    var error: AVError?
    var defaultRate: Float = 1
    var inert = InertPlayerProperties()
    /// The last seek that was asked for. Its handler hears of its end once.
    var seek: PlayerSeek?
    /// The queues of time observers, so that those on one queue share a lane.
    var observerQueues: [ObjectIdentifier: ObserverQueue] = [:]
    var isOutputPrepared = false
    /// A look at the player, and at these items, is under way to the main queue: these properties were set, maybe
    /// others.
    var isAnnouncing = false
    var announcedItems: [AVPlayerItem] = []
    var announcedProperties: Set<ObservedProperty> = []
  }

  let environment: PlaybackEnvironment
  let engine: PlaybackEngine
  let observations = ObservationList(tracked: .ofNewObject())
  let announcer: ChangeAnnouncer
  let state = Mutex(State())
  /// Apart, because the decoder asks for it.
  let replayGain = Mutex<ReplayGain.Kind?>(nil)

  init(isQueuePlayer: Bool, environment: PlaybackEnvironment) {
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

  /// Ends playback for good; its player is going. Its item stays where it stands, and is still opened if it was not.
  func close() {
    let item = engine.currentItem.flatMap { id in state.withLock { $0.items[id] } }
    item?.keepPlace()
    engine.close()
    item?.openAlone()
    environment.suspension.remove(self)
  }

  // MARK: Threads

  /// Whether properties show what observers were told, and not what the engine knows by now.
  var readsMirror: Bool { PathEvaluation.current != nil || environment.isOnMainQueue() }

  /// Tells what calls have changed, if this is the main queue. At the end of every call.
  func deliver() {
    // A change that observers are being told of beforehand comes first.
    if environment.isOnMainQueue(), !announcer.isPreparing { engine.deliverOwn() }
  }

  /// `handler` so that it is called on the main queue, at once if that is where it is called from, and held
  /// back while players are suspended. `isDirect`: on any thread.
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

  /// Has `change` set a property of the player, or of one of its items, that only calls set, and tells observers.
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

  /// Has observers of the player, and of one of its items, look at it anew, for changes that the engine does
  /// not tell of.
  func announceChange(_ property: ObservedProperty? = nil, of item: AVPlayerItem? = nil) {
    let isFirst = state.withLock { state in
      if let property { state.announcedProperties.insert(property) }
      if let item, !state.announcedItems.contains(where: { $0 === item }) {
        state.announcedItems.append(item)
      }
      defer { state.isAnnouncing = true }
      return !state.isAnnouncing
    }
    if environment.isOnMainQueue() {
      engine.tellAnywhere { [weak self] in self?.announceChanges() }
    } else if isFirst {
      engine.tell { [weak self] in self?.announceChanges() }
    }
  }

  private func announceChanges() {
    let (items, properties) = state.withLock { state in
      state.isAnnouncing = false
      defer {
        state.announcedItems = []
        state.announcedProperties = []
      }
      return (state.announcedItems, state.announcedProperties)
    }
    announce(items.map(\.observations) + [observations], changed: properties)
  }

  /// Has `body` make one change of what observers know, and tells them: those that want to know before, then all. Main
  /// queue, inside a call of the engine.
  func change(_ keys: Set<ObservedKey>, of item: AVPlayerItem? = nil, _ body: () -> Void) {
    let owner = item?.observations ?? observations
    let properties = Set(keys.map(owner.property))
    announcer.prepare(lists(with: item), for: properties)
    body()
    announce(lists(with: item), changed: properties)
  }

  private func announce(_ lists: [ObservationList], changed: Set<ObservedProperty>) {
    announcer.announce(lists, changed: changed)
    if announcer.isWaiting { engine.carryOn { [announcer] in announcer.settle() } }
  }

  // MARK: Transport

  /// What observers were told of a property last.
  func read<Value>(_ key: ObservedKey, _ value: (State) -> Value) -> Value {
    observations.note(key)
    return state.withLock { value($0) }
  }

  var rate: Float {
    observations.note(.rate)
    return readsMirror ? state.withLock { $0.rate } : engine.rate
  }

  /// A rate above 0 plays, or is refused while the session does not allow playback or nothing can play at it.
  /// 0 pauses. A rate below 0 pauses with the reason `setRateFailed`.
  /// `isImmediate`: sound begins with the first frame that is there.
  func setRate(_ rate: Float, isImmediate: Bool = false) {
    if rate == 0 || mayPlay(at: rate) {
      engine.setRate(rate, isImmediate: isImmediate)
    } else {
      engine.setRate(0, reason: .setRateFailed)
    }
    deliver()
  }

  /// Sets the rate so that `time` of the current item, or the place where it stands, is heard at `moment`; at once where
  /// that is no number or nothing plays.
  func setRate(_ rate: Float, time: CMTime, at moment: CMTime) {
    guard moment.isNumeric, let (id, item) = knownCurrent, mayPlay(at: rate) else {
      if time.isNumeric { seek(to: time, completion: nil) }
      return setRate(rate)
    }
    cancelSeek(of: id)
    if time.isNumeric { item.state.withLock { $0.place = max(time, .zero) } }
    engine.setRate(
      rate, atSeconds: time.isNumeric ? time.secondsToSeek() : nil, of: id, moment: HostTime(moment))
    deliver()
  }

  /// Whether `rate` plays, and may be set now.
  private func mayPlay(at rate: Float) -> Bool {
    rate > 0 && canPlay(at: rate) && environment.suspension.mayPlay(self)
  }

  /// Whether there is what plays at `rate`; if not, the application is told what is missing.
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
      engine.tell {
        onDiagnostic?(.rateUnavailable(error.message))
      }
      return false
    }
  }

  /// Reports figures for an item's replay gain that do not count, the first time. Any thread.
  func tell(ignored figures: [String], of item: AVPlayerItem) {
    let (asset, isFirst) = item.state.withLock { state in
      defer { state.hasReportedReplayGain = true }
      return (state.asset, !state.hasReportedReplayGain)
    }
    guard isFirst else { return }
    let onDiagnostic = environment.onDiagnostic
    let name = (asset as? AVURLAsset)?.url.lastPathComponent ?? "an item"
    engine.tell { onDiagnostic?(.replayGainIgnored("\(name): ignored: \(figures.joined(separator: ", "))")) }
  }

  /// The system pauses what plays.
  func pause(_ reason: EngineRateReason) {
    guard engine.rate != 0 else { return }
    engine.setRate(0, reason: reason)
    deliver()
  }

  var timeControl: EngineTimeControl { readsMirror ? state.withLock { $0.timeControl } : engine.timeControl }

  var waitsToMinimizeStalling: Bool {
    get {
      observations.note(.automaticallyWaitsToMinimizeStalling)
      return engine.waitsToMinimizeStalling
    }
    set { set(.automaticallyWaitsToMinimizeStalling) { engine.waitsToMinimizeStalling = newValue } }
  }

  var defaultRate: Float {
    get { read(.defaultRate) { $0.defaultRate } }
    set { set(.defaultRate) { state.withLock { $0.defaultRate = newValue } } }
  }

  // MARK: Time

  func currentTime() -> CMTime { knownCurrent?.item.place ?? .zero }

  /// What is heard of item `id`; nil unless it is current.
  func time(of id: ItemID) -> CMTime? { engine.currentTime(of: id) }

  /// `isDirect`: the completion may be called on any thread.
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

  /// Has `item`, which the caller knows as the current one, go to `time`, which is `seconds`. The seek before is over then, and its
  /// handler is told so at once; so is this one's if the item is not known to be ready.
  func seek(
    _ item: AVPlayerItem, _ id: ItemID, to time: CMTime, seconds: Double, isExact: Bool = false,
    isDirect: Bool,
    completion: (@Sendable (Bool) -> Void)?
  ) {
    item.state.withLock { $0.place = time.isNumeric ? max(time, .zero) : .zero }
    let isReady = item.knownState.status != .unknown
    let seek = PlayerSeek(of: id, completion: completion.map { deferred($0, isDirect: isDirect) })
    let previous = state.withLock { state in
      defer { state.seek = seek }
      return state.seek
    }
    engine.seek(toSeconds: seconds, of: id, isExact: isExact, completion: isReady ? seek.end : nil)
    previous?.end(false)
    if !isReady { seek.end(true) }
    deliver()
  }

  /// Ends the seek of item `id` whose handler was not told of its end.
  func cancelSeek(of id: ItemID) {
    let seek = state.withLock { $0.seek?.item == id ? $0.seek.take() : nil }
    if engine.currentItem == id { engine.cancelPendingSeeks() }
    seek?.end(false)
    deliver()
  }

  // MARK: Time observers

  /// The engine's view of the queue that an observer named: nil for the main one.
  func observerQueue(_ queue: DispatchQueue?) -> (any DeliveryQueue)? {
    guard let queue, !MainDispatchQueue.isMain(queue) else { return nil }
    return state.withLock { state in
      if let known = state.observerQueues[ObjectIdentifier(queue)] { return known }
      let new = ObserverQueue(queue)
      state.observerQueues[ObjectIdentifier(queue)] = new
      return new
    }
  }
}
