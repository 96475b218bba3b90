public import Dispatch
public import Foundation
public import MediaTime
import PlaybackEngine
import Synchronization

/// Plays one item.
///
/// Every member may be used on any thread, and none waits for a file or the output. Change handlers,
/// notifications and completion handlers are called on the main queue, in order, and see every state once. On
/// the main queue properties have the values that observers were told: what a call changed is told when it
/// returns, and what the player found out by itself in a turn of the queue of its own. On other threads they may
/// be newer. When the last reference to a player is released, its
/// sound stops and no more calls are made.
@preconcurrency @MainActor
open class AVPlayer: NSObject {
  nonisolated let core: PlayerCore

  /// A player without an item.
  nonisolated public override init() {
    core = PlayerCore(isQueuePlayer: false, environment: .current)
    super.init()
    begin(with: [])
  }

  /// A player with an item for the media at `url`.
  nonisolated public init(url: URL) {
    core = PlayerCore(isQueuePlayer: false, environment: .current)
    super.init()
    begin(with: [AVPlayerItem(url: url)])
  }

  /// A player with `item`. Stops the program if the item is in another player.
  nonisolated public init(playerItem item: AVPlayerItem?) {
    core = PlayerCore(isQueuePlayer: false, environment: .current)
    super.init()
    begin(with: item.map { [$0] } ?? [])
  }

  nonisolated init(core: PlayerCore, items: [AVPlayerItem]) {
    self.core = core
    super.init()
    begin(with: items)
  }

  /// A player in an environment of its own, whatever `PlaybackEnvironment.current` is.
  nonisolated package convenience init(playerItem item: AVPlayerItem?, environment: PlaybackEnvironment) {
    self.init(
      core: PlayerCore(isQueuePlayer: false, environment: environment), items: item.map { [$0] } ?? [])
  }

  deinit { core.close() }

  nonisolated private func begin(with items: [AVPlayerItem]) {
    core.state.withLock { $0.player = self }
    for item in items { core.insert(item, after: nil) }
  }

  // All initialisers are designated, as they are on Apple's systems: clients' subclasses override each of
  // them.

  // MARK: State

  /// Whether the player can be used: unknown before it opened anything, failed for good if nothing can be
  /// decoded at all. A bad item does not make a bad player; see `AVPlayerItem.status`. Can be observed.
  nonisolated open var status: Status { core.read(.status) { $0.status } }

  /// Why it cannot be used; nil unless `status` is `failed`. An `AVError`.
  nonisolated open var error: (any Error)? { core.read(.error) { $0.error } }

  /// What is played; nil if there is nothing, also behind the end of a queue. Can be observed.
  nonisolated open var currentItem: AVPlayerItem? { core.currentItem }

  /// Puts `item` in the place of the current one; a queue's rest stays. Nil empties the player. Without
  /// effect if it is current already. Stops the program if it is elsewhere in the queue or in another player.
  nonisolated open func replaceCurrentItem(with item: AVPlayerItem?) { core.replaceCurrentItem(with: item) }

  /// What happens when an item was heard to its end; `pause`, in a queue player `advance`. Takes effect at
  /// once if the end was reached under `none`. Stops the program if it is set to `advance` on a player
  /// without a queue.
  nonisolated open var actionAtItemEnd: ActionAtItemEnd {
    get {
      observations.note(.actionAtItemEnd)
      return ActionAtItemEnd(core.engine.actionAtItemEnd)
    }
    set {
      precondition(
        newValue != .advance || self is AVQueuePlayer,
        "AVPlayer.ActionAtItemEnd.advance needs an AVQueuePlayer")
      core.set(.actionAtItemEnd) { core.engine.actionAtItemEnd = newValue.engineAction }
    }
  }

  // MARK: Rate

  /// The requested rate: seconds of an item in a second of sound; 0 while paused. Any value above 0 plays, and
  /// activates the audio session; one outside of 1/32…32 becomes the nearest of these. A value below 0, or one
  /// above 0 that the session does not allow now, gives 0 with the reason `setRateFailed`. The rate stays after
  /// the end of a queue. Can be observed.
  ///
  /// The current item's `audioTimePitchAlgorithm` says whether the pitch is kept. While sound flows, another
  /// rate is heard after some hundredths of a second, without a gap. Rates other than 1 need SoundTouch
  /// (Debian's package libsoundtouch1), which is loaded at the first of them: that call reads the library's
  /// file. If it is not installed they are refused, as what the session does not allow, and
  /// `PlaybackDiagnostic.rateUnavailable` says so. At rate 1 no sample is changed.
  nonisolated open var rate: Float {
    get { core.rate }
    set { core.setRate(newValue) }
  }

  /// The rate that `play()` sets; 1 by default. Kept as it is set, and played as `rate` says. Setting it does
  /// not change the rate.
  nonisolated open var defaultRate: Float {
    get { core.defaultRate }
    set { core.defaultRate = newValue }
  }

  /// Sets `rate` to `defaultRate`; the property itself, so a subclass that overrides it hears of it.
  nonisolated open func play() { rate = defaultRate }

  /// Sets `rate` to 0, the property itself. Goes on later with the very next frame.
  nonisolated open func pause() { rate = 0 }

  /// Sets `rate`, and begins with the first frame that is there: what comes from the network is not waited for until it
  /// will probably play on. For files the same as setting the property.
  nonisolated open func playImmediately(atRate rate: Float) { core.setRate(rate, isImmediate: true) }

  /// Sets `rate` so that `itemTime` of the current item is heard at a moment of the host's clock: several players that
  /// are given the same moment begin together.
  ///
  /// Until then there is silence. It takes some 0.3 s to begin in time; a moment that is nearer, or has passed, counts all
  /// the same: the item is then where it would be had it begun in time. `pause()`, another rate, a seek and another
  /// current item end what waits for its moment. Stops the program unless `automaticallyWaitsToMinimizeStalling` is
  /// false.
  ///
  /// - Parameters:
  ///   - rate: above 0; others are set at once, as by the property.
  ///   - itemTime: invalid for where the item stands.
  ///   - hostClockTime: a time of `CMClockGetHostTimeClock()`; invalid for at once.
  nonisolated open func setRate(_ rate: Float, time itemTime: CMTime, atHostTime hostClockTime: CMTime) {
    precondition(
      !automaticallyWaitsToMinimizeStalling,
      "setRate(_:time:atHostTime:) needs a player whose automaticallyWaitsToMinimizeStalling is false.")
    core.setRate(rate, time: itemTime, at: hostClockTime)
  }

  /// Whether sound flows. Can be observed.
  nonisolated open var timeControlStatus: TimeControlStatus {
    observations.note(.timeControlStatus)
    return TimeControlStatus(core.timeControl)
  }

  /// Why there is no sound although `rate` is not 0; nil unless `timeControlStatus` is waiting. Can be
  /// observed.
  nonisolated open var reasonForWaitingToPlay: WaitingReason? {
    observations.note(.reasonForWaitingToPlay)
    return WaitingReason(core.timeControl)
  }

  /// Whether the player waits and resumes by itself when the output is lost or starved; true by default. If
  /// false, it pauses instead, with the reason `setRateFailed`; one that waits so when this is set tries once more
  /// first. Can be observed.
  nonisolated open var automaticallyWaitsToMinimizeStalling: Bool {
    get { core.waitsToMinimizeStalling }
    set { core.waitsToMinimizeStalling = newValue }
  }

  // MARK: Time

  /// What a listener hears now, in the current item's time and timescale (frames); zero without an item. After a
  /// seek the time that was asked for, as long as its frame is heard.
  nonisolated open func currentTime() -> CMTime { core.currentTime() }

  /// Goes to `time` of the current item, to its end if that is earlier: exactly to the frame, except in what was not
  /// fetched yet of an item from the network whose bit rate varies; there the place may be beside it by a hundredth of the
  /// length. Stops the program if there is an item and the time is invalid or indefinite.
  nonisolated open func seek(to time: CMTime) { core.seek(to: time, completion: nil) }

  /// As `seek(to:)`, and where nothing is tolerated exactly to the frame in any case: of an item from the network all up
  /// to the place may have to be fetched for that.
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
    core.seek(to: time, isExact: toleranceBefore == .zero && toleranceAfter == .zero, completion: nil)
  }

  /// As `seek(to:)`.
  ///
  /// - Parameters:
  ///   - time: of the current item.
  ///   - completionHandler: called on the main queue: with true when the player is there, in a turn of its own; with
  ///     true at once if the item is not known to be ready, it then starts there; with false at once if there is no
  ///     item, when another seek comes before this handler was called, and when a call ends the item's turn; with
  ///     false later if its turn is over by itself.
  @preconcurrency
  nonisolated open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
    core.seek(to: time, completion: completionHandler)
  }

  /// As `seek(to:completionHandler:)` and `seek(to:toleranceBefore:toleranceAfter:)`.
  @preconcurrency
  nonisolated open func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
    completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    core.seek(
      to: time, isExact: toleranceBefore == .zero && toleranceAfter == .zero, completion: completionHandler)
  }

  /// As `seek(to:completionHandler:)`.
  @discardableResult
  nonisolated open func seek(to time: CMTime) async -> Bool {
    // Not a checked continuation: if the application ends meanwhile it is never resumed.
    await withUnsafeContinuation { continuation in
      core.seek(to: time, isDirect: true) { continuation.resume(returning: $0) }
    }
  }

  /// As `seek(to:completionHandler:)` and `seek(to:toleranceBefore:toleranceAfter:)`.
  @discardableResult
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
    // Not a checked continuation: if the application ends meanwhile it is never resumed.
    await withUnsafeContinuation { continuation in
      core.seek(
        to: time, isExact: toleranceBefore == .zero && toleranceAfter == .zero, isDirect: true
      ) { continuation.resume(returning: $0) }
    }
  }

  // MARK: Time observers

  /// Calls `block` for the times 0, i, 2i … of each item as they are heard, none left out and none twice, and
  /// with the exact time when playback starts, stops or jumps. Not inside a call, and no more for an item that a
  /// call has left.
  ///
  /// Intervals below 1 ms are thinned. If `queue` is more than a second behind, steps give way to the newest.
  ///
  /// - Parameters:
  ///   - interval: above zero; its timescale is that of the steps. Stops the program if it is not.
  ///   - queue: where `block` is called, one call after the other; the main queue for nil.
  ///   - block: gets the step, in seconds of the item.
  /// - Returns: what `removeTimeObserver` takes. The block is kept and called until then.
  @preconcurrency
  nonisolated open func addPeriodicTimeObserver(
    forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
  ) -> Any {
    precondition(
      interval.isNumeric && interval > .zero, "The interval of a time observer must be above zero.")
    let id = core.engine.addPeriodicTimeObserver(
      forInterval: interval, queue: core.observerQueue(queue), using: block)
    return TimeObserverToken(id: id, core: core)
  }

  /// Calls `block` whenever one of `times` is passed in normal playback; not when a seek passes it.
  ///
  /// - Parameters:
  ///   - times: made by `NSValue(time:)`.
  ///   - queue: where `block` is called, one call after the other; the main queue for nil.
  ///   - block: is called for each of them.
  /// - Returns: what `removeTimeObserver` takes. The block is kept and called until then.
  @preconcurrency
  nonisolated open func addBoundaryTimeObserver(
    forTimes times: [NSValue], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
  ) -> Any {
    let id = core.engine.addBoundaryTimeObserver(
      forTimes: times.map(\.timeValue), queue: core.observerQueue(queue), using: block)
    return TimeObserverToken(id: id, core: core)
  }

  /// Removes a time observer: after the return no new call begins, and the block is released. Stops the
  /// program if `observer` did not come from this player or was removed already.
  nonisolated open func removeTimeObserver(_ observer: Any) {
    guard let token = observer as? TimeObserverToken, token.core === core,
      core.engine.removeTimeObserver(token.id)
    else {
      preconditionFailure(
        "An instance of AVPlayer cannot remove a time observer that was added by a different instance of AVPlayer."
      )
    }
  }

  // MARK: Media selection

  /// Sets by what tracks with that characteristic are chosen; nil for no criteria. Kept, but without effect: there is
  /// nothing to choose from.
  nonisolated open func setMediaSelectionCriteria(
    _ criteria: AVPlayerMediaSelectionCriteria?,
    forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) {
    self[inert: \.mediaSelectionCriteria][mediaCharacteristic] = criteria
  }

  /// The criteria that were set for that characteristic; nil if none were.
  nonisolated open func mediaSelectionCriteria(
    forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) -> AVPlayerMediaSelectionCriteria? { self[inert: \.mediaSelectionCriteria][mediaCharacteristic] }

  // MARK: Sound

  /// 0 silence … 1 as recorded, linear in amplitude; limited to that. Of this player only, and kept through
  /// silence.
  nonisolated open var volume: Float {
    get {
      observations.note(.volume)
      return core.engine.volume
    }
    set { core.set(.volume) { core.engine.volume = newValue } }
  }

  /// Silence, whatever the volume. Of this player only.
  nonisolated open var isMuted: Bool {
    get {
      observations.note(.isMuted)
      return core.engine.isMuted
    }
    set { core.set(.isMuted) { core.engine.isMuted = newValue } }
  }
}

extension AVPlayer: KeyValueObserving, ObservedObject {
  nonisolated var observations: ObservationList { core.observations }
}

/// What a client holds of a time observer.
final class TimeObserverToken: Sendable {
  let id: ObserverID
  private struct Core {
    weak let value: PlayerCore?
  }
  private let owner: Core
  var core: PlayerCore? { owner.value }

  init(id: ObserverID, core: PlayerCore) {
    self.id = id
    owner = Core(value: core)
  }
}
