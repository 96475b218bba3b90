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
/// properties show the mirror; a call made there takes in what is under way before it returns. Elsewhere
/// properties show the engine.
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
    var waitsToMinimizeStalling = true
    /// The queues of time observers, so that those on one queue share a lane.
    var observerQueues: [ObjectIdentifier: ObserverQueue] = [:]
    var isOutputPrepared = false
    /// A look at the player, and at these items, is under way to the main queue.
    var isAnnouncing = false
    var announcedItems: [AVPlayerItem] = []
  }

  let environment: PlaybackEnvironment
  let engine: PlaybackEngine
  let observations = ObservationList()
  let announcer: ChangeAnnouncer
  let state = Mutex(State())

  init(isQueuePlayer: Bool, environment: PlaybackEnvironment) {
    self.environment = environment
    let relay = NoticeRelay()
    let engine = PlaybackEngine(
      clock: environment.clock, device: environment.device, stretching: environment.stretching,
      isQueuePlayer: isQueuePlayer,
      mainQueue: environment.mainQueue, gate: environment.suspension.gate, onNotice: { relay.forward($0) })
    self.engine = engine
    announcer = ChangeAnnouncer { engine.mayCall }
    relay.setTarget(self)
    environment.suspension.add(self)
  }

  deinit { environment.suspension.remove(self) }

  /// Ends playback for good; its player is going.
  func close() {
    engine.close()
    environment.suspension.remove(self)
  }

  /// Carries notices from the engine, which is made first, to the core; without keeping it alive.
  private final class NoticeRelay: Sendable {
    private struct Target {
      weak var core: PlayerCore?
    }

    private let target = Mutex(Target())

    func setTarget(_ core: PlayerCore) { target.withLock { $0.core = core } }

    func forward(_ notice: EngineNotice) { target.withLock { $0.core }?.receive(notice) }
  }

  // MARK: Threads

  /// Whether properties show what observers were told, and not what the engine knows by now.
  var readsMirror: Bool { PathEvaluation.current != nil || environment.isOnMainQueue() }

  /// Takes in what is under way, if this is the main queue. At the end of every call.
  func deliver() {
    if environment.isOnMainQueue() { engine.deliverPending() }
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
        engine.tell(isOnMainQueue: false) { handler(finished) }
      }
    }
  }

  /// Has observers of the player, and of one of its items, look at it anew, for changes that the engine does
  /// not tell of.
  func announceChange(of item: AVPlayerItem? = nil) {
    let isFirst = state.withLock { state in
      if let item, !state.announcedItems.contains(where: { $0 === item }) {
        state.announcedItems.append(item)
      }
      defer { state.isAnnouncing = true }
      return !state.isAnnouncing
    }
    if isFirst {
      engine.tell(isOnMainQueue: environment.isOnMainQueue()) { [weak self] in self?.announceChanges() }
    } else {
      deliver()
    }
  }

  private func announceChanges() {
    let items = state.withLock { state in
      state.isAnnouncing = false
      defer { state.announcedItems = [] }
      return state.announcedItems
    }
    announce(items.map(\.observations))
  }

  /// Has observers of the player, and of those `lists`, look. Main queue, inside a call of the engine.
  func announce(_ lists: [ObservationList] = []) {
    announcer.announce(lists + [observations])
    if announcer.isWaiting { engine.carryOn { [announcer] in announcer.settle() } }
  }

  // MARK: Transport

  var rate: Float { readsMirror ? state.withLock { $0.rate } : engine.rate }

  /// A rate above 0 plays, or is refused while the session does not allow playback or nothing can play at it.
  /// 0 pauses. A rate below 0 pauses with the reason `setRateFailed`.
  func setRate(_ rate: Float) {
    if rate > 0 {
      if canPlay(at: rate), environment.suspension.mayPlay(self) {
        engine.setRate(rate)
      } else {
        engine.refuseRate()
      }
    } else {
      engine.setRate(0, reason: rate == 0 ? .setRateCalled : .setRateFailed)
    }
    deliver()
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
      engine.tell(isOnMainQueue: environment.isOnMainQueue()) {
        onDiagnostic?(.rateUnavailable(error.message))
      }
      return false
    }
  }

  /// The system pauses what plays.
  func pause(_ reason: EngineRateReason) {
    engine.setRate(0, reason: reason)
    deliver()
  }

  var timeControl: EngineTimeControl { readsMirror ? state.withLock { $0.timeControl } : engine.timeControl }

  var waitsToMinimizeStalling: Bool {
    get { state.withLock { $0.waitsToMinimizeStalling } }
    set {
      state.withLock { $0.waitsToMinimizeStalling = newValue }
      if !newValue, engine.timeControl == .waiting(.toMinimizeStalls) {
        engine.setRate(0, reason: .setRateFailed)
      }
      announceChange()
      deliver()
    }
  }

  var defaultRate: Float {
    get { state.withLock { $0.defaultRate } }
    set {
      state.withLock { $0.defaultRate = newValue }
      announceChange()
    }
  }

  // MARK: Time

  func currentTime() -> CMTime {
    guard readsMirror else { return engine.currentTime ?? .zero }
    return state.withLock { $0.current }?.item.place ?? .zero
  }

  /// What is heard of item `id`; nil unless it is current.
  func time(of id: ItemID) -> CMTime? { engine.currentTime(of: id) }

  /// `isDirect`: the completion may be called on any thread.
  func seek(to time: CMTime, isDirect: Bool = false, completion: (@Sendable (Bool) -> Void)?) {
    let completion = completion.map { deferred($0, isDirect: isDirect) }
    guard engine.currentItem != nil else {
      completion?(false)
      return
    }
    engine.seek(toSeconds: SeekTarget.seconds(of: time), completion: completion)
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
