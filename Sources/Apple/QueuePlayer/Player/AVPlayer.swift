package import AudioCore
public import AudioSession
public import Dispatch
public import Foundation
public import MediaAssets
public import MediaTime
public import Observation
import PlaybackEngine
import Synchronization

/// A player of one item.
///
/// Every member may be used on any thread. No call waits for a file or the output, except that setting the
/// first rate other than 1 loads a library. Change handlers, notifications and completion handlers are called
/// on the main queue, in order.
///
/// On the main queue, properties have the values last reported to observers; on other threads they may be
/// newer. A call on the main queue reports its own changes before it returns. The player reports the changes
/// that it makes by itself in a separate turn of the queue. After the last release of a player, its sound
/// stops and its handlers are no longer called.
@preconcurrency @MainActor
open class AVPlayer: NSObject {
  nonisolated let core: PlayerCore

  /// Creates a player without an item.
  nonisolated public override init() {
    core = PlayerCore(isQueuePlayer: false)
    super.init()
    begin(with: [])
  }

  /// Creates a player with an item for the media at `url`.
  nonisolated public init(url: URL) {
    core = PlayerCore(isQueuePlayer: false)
    super.init()
    begin(with: [AVPlayerItem(url: url)])
  }

  /// Creates a player with `item`. Stops the program if the item is in another player.
  nonisolated public init(playerItem item: AVPlayerItem?) {
    core = PlayerCore(isQueuePlayer: false)
    super.init()
    begin(with: item.map { [$0] } ?? [])
  }

  nonisolated init(core: PlayerCore, items: [AVPlayerItem]) {
    self.core = core
    super.init()
    begin(with: items)
  }

  /// Creates a player in `environment` instead of `PlaybackEnvironment.current`.
  nonisolated package convenience init(playerItem item: AVPlayerItem?, environment: PlaybackEnvironment) {
    self.init(
      core: PlayerCore(isQueuePlayer: false, environment: environment), items: item.map { [$0] } ?? [])
  }

  deinit { core.close() }

  nonisolated private func begin(with items: [AVPlayerItem]) {
    core.state.withLock { $0.player = self }
    for item in items { core.insert(item, after: nil) }
  }

  // All public initializers are designated, as on Apple's systems, so that subclasses can override each of
  // them.

  // MARK: State

  /// The status of the player: `unknown` until the first item was opened or has failed, then `readyToPlay`.
  /// `failed`, permanently, if nothing can be decoded, for example because the decoder library is unusable.
  /// The failure of a single item is reported by `AVPlayerItem.status`. Observable.
  nonisolated open var status: Status { core.read(.status) { $0.status } }

  /// The reason for the failure, an `AVError`; nil unless `status` is `failed`.
  nonisolated open var error: (any Error)? { core.read(.error) { $0.error } }

  /// The current item; nil if none exists, for example after the end of a queue. Observable.
  nonisolated open var currentItem: AVPlayerItem? { core.currentItem }

  /// Replaces the current item by `item`; the rest of a queue stays. Nil empties the queue. Has no effect if
  /// `item` is already the current item. Stops the program if `item` is elsewhere in this queue or in another
  /// player.
  nonisolated open func replaceCurrentItem(with item: AVPlayerItem?) { core.replaceCurrentItem(with: item) }

  /// The action when an item has played to its end; by default `pause`, and `advance` in a queue player. If
  /// an item has ended under `none`, a new action takes effect at once. Setting `advance` for a player
  /// without a queue stops the program.
  nonisolated open var actionAtItemEnd: ActionAtItemEnd {
    get { observations.read(.actionAtItemEnd) { ActionAtItemEnd(core.engine.actionAtItemEnd) } }
    set {
      precondition(
        newValue != .advance || self is AVQueuePlayer,
        "AVPlayer.ActionAtItemEnd.advance needs an AVQueuePlayer")
      core.set(.actionAtItemEnd) { core.engine.actionAtItemEnd = newValue.engineAction }
    }
  }

  // MARK: Rate

  /// The requested rate, in seconds of the item per second of output; 0 while paused. Any value above 0
  /// starts playback and activates the audio session. Values above 0 are clamped to 1/32…32. A value below 0, NaN, or
  /// a value that the session does not allow now, results in 0 with the reason `setRateFailed`.
  /// The rate is kept after the end of a queue. Observable.
  ///
  /// The current item's `audioTimePitchAlgorithm` determines whether the pitch is preserved. During playback,
  /// a new rate is heard within some hundredths of a second, without a gap. At rate 1 the algorithm is not applied.
  ///
  /// Rates other than 1 need SoundTouch (Debian's package libsoundtouch1). Setting the first such rate loads
  /// the library, so that call reads a file. If SoundTouch cannot be used, such rates are refused like those
  /// that the session does not allow. `PlaybackDiagnostic.rateUnavailable` reports the refusal.
  nonisolated open var rate: Float {
    get { core.rate }
    set { core.setRate(newValue) }
  }

  /// The rate that `play()` sets; 1 by default. Stored unchanged, but `play()` limits `rate` to the supported
  /// range. Setting the default rate does not change `rate`.
  nonisolated open var defaultRate: Float {
    get { core.read(.defaultRate) { $0.defaultRate } }
    set { core.set(.defaultRate) { core.state.withLock { $0.defaultRate = newValue } } }
  }

  /// Sets `rate` to `defaultRate` through the property, so a subclass that overrides `rate` is notified.
  nonisolated open func play() { rate = defaultRate }

  /// Sets `rate` to 0 through the property. Playback resumes later with the very next frame.
  nonisolated open func pause() { rate = 0 }

  /// Sets `rate` and starts playback at the first available frame. Does not wait until a remote item is
  /// likely to play without a stall. For a file, the effect is the same as that of setting `rate`.
  nonisolated open func playImmediately(atRate rate: Float) { core.setRate(rate, isImmediate: true) }

  /// Sets `rate` so that `itemTime` of the current item is heard at a time of the host clock. Several players
  /// with the same host time start together.
  ///
  /// Until that time the player is silent. Preparing a start on time takes about 0.3 s. If the host time is
  /// nearer or has passed, playback starts as soon as possible, at the position that an on-time start would have
  /// reached. Setting `rate`, a seek and another current item cancel a pending start. Stops the program unless
  /// `automaticallyWaitsToMinimizeStalling` is false.
  ///
  /// - Parameters:
  ///   - rate: a value above 0. Other values, and a rate that is not allowed now, are set at once, as by setting `rate`,
  ///     after a seek to `itemTime`.
  ///   - itemTime: the time in the item; invalid for the item's current position.
  ///   - hostClockTime: a time of `CMClockGetHostTimeClock()`; invalid for an immediate start.
  nonisolated open func setRate(_ rate: Float, time itemTime: CMTime, atHostTime hostClockTime: CMTime) {
    precondition(
      !automaticallyWaitsToMinimizeStalling,
      "setRate(_:time:atHostTime:) needs a player whose automaticallyWaitsToMinimizeStalling is false.")
    core.setRate(rate, time: itemTime, at: hostClockTime)
  }

  /// The state of playback. Observable.
  nonisolated open var timeControlStatus: TimeControlStatus {
    observations.read(.timeControlStatus) { TimeControlStatus(core.timeControl) }
  }

  /// The reason why no audio plays although `rate` is not 0; nil unless waiting. Observable.
  nonisolated open var reasonForWaitingToPlay: WaitingReason? {
    observations.read(.reasonForWaitingToPlay) { WaitingReason(core.timeControl) }
  }

  /// Whether the player waits, and resumes automatically, when the output is lost or starved; true by
  /// default. If true, the player also starts a remote item only when enough data is buffered. If false, the player
  /// pauses with the reason `setRateFailed` instead of waiting. A player that is waiting when the property becomes
  /// false retries once before it pauses. Observable.
  nonisolated open var automaticallyWaitsToMinimizeStalling: Bool {
    get { observations.read(.automaticallyWaitsToMinimizeStalling) { core.engine.waitsToMinimizeStalling } }
    set {
      core.set(.automaticallyWaitsToMinimizeStalling) { core.engine.waitsToMinimizeStalling = newValue }
    }
  }

  // MARK: Time

  /// Returns the time that is heard now, in the current item's time and, once it is ready, its timescale (frames). Zero
  /// without an item. After a seek, returns the requested time as long as its frame is heard.
  nonisolated open func currentTime() -> CMTime { core.knownCurrent?.item.place ?? .zero }

  /// Moves to `time` of the current item, at most to its end, exact to the frame. Exception: in a remote item
  /// with a variable bit rate, a position that is not fetched yet may deviate. The deviation is about 1 % of
  /// the duration with a seek table, and may be larger without one. Has no effect without an item, in a live stream and
  /// at a position that is not seekable. Stops the program if an item exists and the time is invalid or indefinite.
  nonisolated open func seek(to time: CMTime) { core.seek(to: time, completion: nil) }

  /// Moves to `time` of the current item as `seek(to:)` does. If both tolerances are zero, the seek is always exact to the
  /// frame. For that, all data of a remote item up to the position may have to be fetched. Other tolerances have no
  /// effect.
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
    core.seek(to: time, isExact: toleranceBefore == .zero && toleranceAfter == .zero, completion: nil)
  }

  /// Moves to `time` of the current item as `seek(to:)` does, and reports the end of the seek.
  ///
  /// The handler is called once, on the main queue, unless the player or the application ends first. The handler
  /// receives true in a separate turn of that queue when the player has reached the position. The handler receives true
  /// at once if the item is not ready yet; playback then starts at `time`. The handler receives false at once if no item
  /// exists, the item has failed, or the position is not seekable, as in a live stream. False also follows at once if
  /// another seek replaces this one or a call removes the item. If the item leaves the queue by itself, false follows
  /// later.
  @preconcurrency
  nonisolated open func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
    core.seek(to: time, completion: completionHandler)
  }

  /// Moves to `time` of the current item as `seek(to:toleranceBefore:toleranceAfter:)` does, and reports the
  /// end of the seek as `seek(to:completionHandler:)` does.
  @preconcurrency
  nonisolated open func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
    completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    core.seek(
      to: time, isExact: toleranceBefore == .zero && toleranceAfter == .zero, completion: completionHandler)
  }

  /// Moves to `time` of the current item. Returns the value that the handler of `seek(to:completionHandler:)` receives;
  /// false if the player is released first. Never returns if the application ends first.
  @discardableResult
  nonisolated open func seek(to time: CMTime) async -> Bool {
    await outcome { core.seek(to: time, isDirect: true, completion: $0) }
  }

  /// Moves to `time` of the current item as `seek(to:toleranceBefore:toleranceAfter:)` does. Returns as the asynchronous
  /// `seek(to:)` does.
  @discardableResult
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
    let isExact = toleranceBefore == .zero && toleranceAfter == .zero
    return await outcome { core.seek(to: time, isExact: isExact, isDirect: true, completion: $0) }
  }

  // MARK: Time observers

  /// Calls `block` once each time that the time 0, `interval`, 2 × `interval` … of an item is heard. Also calls `block`
  /// with the exact time when playback starts, stops or jumps. Calls on the main queue never come inside a call to this
  /// player, or for an item that a call has replaced or skipped.
  ///
  /// If `interval` is below 1 ms, some steps are skipped. If the queue is more than a second late, the newest
  /// step replaces the pending ones.
  ///
  /// - Parameters:
  ///   - interval: the time between two steps, in whose timescale the steps are reported. Stops the program
  ///     if it is not above zero.
  ///   - queue: the queue on which `block` is called, one call after the other; nil for the main queue.
  ///   - block: receives the time of the step, in the item's time.
  /// - Returns: a token for `removeTimeObserver`. The block is retained and called until the observer is
  ///   removed.
  @preconcurrency
  nonisolated open func addPeriodicTimeObserver(
    forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
  ) -> Any {
    precondition(
      interval.isNumeric && interval > .zero, "The interval of a time observer must be above zero.")
    return core.addObserver(on: queue) { queue in
      core.engine.addPeriodicTimeObserver(forInterval: interval, queue: queue, using: block)
    }
  }

  /// Calls `block` whenever normal playback passes one of `times`. A seek past a time does not call it.
  ///
  /// - Parameters:
  ///   - times: values made by `NSValue(time:)`, at least one. Stops the program if there is none.
  ///   - queue: the queue on which `block` is called, one call after the other; nil for the main queue.
  ///   - block: called for each of the times.
  /// - Returns: a token for `removeTimeObserver`. The block is retained and called until the observer is
  ///   removed.
  @preconcurrency
  nonisolated open func addBoundaryTimeObserver(
    forTimes times: [NSValue], queue: DispatchQueue?, using block: @escaping @Sendable () -> Void
  ) -> Any {
    precondition(!times.isEmpty, "A boundary time observer needs at least one time.")
    return core.addObserver(on: queue) { queue in
      core.engine.addBoundaryTimeObserver(forTimes: times.map(\.timeValue), queue: queue, using: block)
    }
  }

  /// Removes a time observer. After this method has returned, no new call of the block begins, and the block is released
  /// once no call is in progress. Stops the program if `observer` is from another player or was removed already.
  nonisolated open func removeTimeObserver(_ observer: Any) {
    guard let token = observer as? TimeObserverToken, token.core === core,
      core.removeObserver(token)
    else {
      preconditionFailure(
        "An instance of AVPlayer cannot remove a time observer that was added by a different instance of AVPlayer."
      )
    }
  }

  // MARK: Media selection

  /// Sets the criteria for selecting tracks with the characteristic; nil for none. Stored without effect.
  nonisolated open func setMediaSelectionCriteria(
    _ criteria: AVPlayerMediaSelectionCriteria?,
    forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) {
    self[inert: \.mediaSelectionCriteria][mediaCharacteristic] = criteria
  }

  /// Returns the criteria that were set for the characteristic; nil if none were.
  nonisolated open func mediaSelectionCriteria(
    forMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) -> AVPlayerMediaSelectionCriteria? { self[inert: \.mediaSelectionCriteria][mediaCharacteristic] }

  // MARK: Sound

  /// The volume of this player, linear in amplitude, from 0 (silence) to 1 (as recorded), the default. Other values are
  /// limited to this range. Muting does not change the volume. Observable.
  nonisolated open var volume: Float {
    get { observations.read(.volume) { core.engine.volume } }
    set { core.set(.volume) { core.engine.volume = newValue } }
  }

  /// Whether this player is silent, regardless of its volume; false by default. Observable.
  nonisolated open var isMuted: Bool {
    get { observations.read(.isMuted) { core.engine.isMuted } }
    set { core.set(.isMuted) { core.engine.isMuted = newValue } }
  }

  /// The ReplayGain level to apply, from the tags of items; nil, the default, for none.
  ///
  /// A change takes effect without a gap, at the latest after the buffered frames that the output cannot
  /// replace. Any thread; does not block.
  nonisolated package var replayGain: ReplayGain.Kind? {
    get { core.engine.replayGain }
    set { core.engine.replayGain = newValue }
  }
}

extension AVPlayer: KeyValueObserving, ObservedObject {
  nonisolated package var observations: ObservationList { core.observations }
}

extension AVPlayer: Observable {
  /// Whether players, items and their tracks support Swift Observation; false by default. If true,
  /// `withObservationTracking` and its clients (`Observations`) follow the observable properties. Either all
  /// objects are tracked or none, so a change after the first such object was created stops the program.
  ///
  /// Tracking callbacks run on the main queue just before the property changes. If another thread sets the
  /// property, they run after the change.
  public static var isObservationEnabled: Bool {
    get { TrackedProperties.isEnabled }
    set { TrackedProperties.isEnabled = newValue }
  }
}

/// The object that identifies a time observer to clients.
final class TimeObserverToken: Sendable {
  let id: ObserverID
  /// The identity of the observer's dispatch queue; nil for the main queue.
  let queue: ObjectIdentifier?
  weak let core: PlayerCore?

  init(id: ObserverID, queue: ObjectIdentifier?, core: PlayerCore) {
    self.id = id
    self.queue = queue
    self.core = core
  }
}
