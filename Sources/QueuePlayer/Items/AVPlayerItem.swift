import AudioCore
public import Foundation
public import MediaTime
import PlaybackEngine
import Synchronization

/// An asset in a player's queue, with its status and its playback position.
///
/// An item can be in the queue of one player only, and only once. After it has left the queue it keeps its
/// status and position and can be inserted again: it continues where it stopped, or from its beginning if it
/// was at its end.
///
/// Every member may be used on any thread. On the main queue properties have the values that observers were
/// told; on other threads they may be newer. Nothing blocks.
@preconcurrency @MainActor
open class AVPlayerItem: NSObject, NSCopying {
  /// Whether an item can be played.
  public enum Status: Int, Sendable {
    /// It was not opened yet.
    case unknown = 0
    /// It was opened and can be played.
    case readyToPlay = 1
    /// It cannot be played, now or later; `error` says why.
    case failed = 2
  }

  nonisolated let observations = ObservationList(tracked: .ofNewObject())
  nonisolated let state: Mutex<ItemState>

  /// An item for the media at `url`; opens nothing.
  nonisolated public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

  /// An item for an asset; opens nothing.
  nonisolated public convenience init(asset: AVAsset) {
    self.init(asset: asset, automaticallyLoadedAssetKeys: ["duration"])
  }

  // The one that is designated, as on Apple's systems: subclasses of clients override it alone, and have others in
  // the places of those before without overriding them.

  /// An item for an asset; opens nothing. All keys are loaded together when a player opens it, whatever is
  /// listed.
  nonisolated public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
    state = Mutex(ItemState(asset: asset, loadedKeys: automaticallyLoadedAssetKeys ?? []))
    super.init()
  }

  /// An item for an asset; opens nothing. The keys have no effect, since all are loaded together.
  nonisolated public convenience init(
    asset: AVAsset, automaticallyLoadedAssetKeys: [AVPartialAsyncProperty<AVAsset>]
  ) {
    self.init(asset: asset)
  }

  /// A new item for the same asset, in no queue, at its beginning.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any {
    let original = state.withLock { $0 }
    let copy = AVPlayerItem(asset: original.asset, automaticallyLoadedAssetKeys: original.loadedKeys)
    copy.state.withLock { state in
      state.forwardPlaybackEndTime = original.forwardPlaybackEndTime
      state.preferredForwardBufferDuration = original.preferredForwardBufferDuration
      state.inert = original.inert
      state.audioTimePitchAlgorithm = original.audioTimePitchAlgorithm
      state.audioMix = original.audioMix
      state.volumeCurve = original.volumeCurve
    }
    return copy
  }

  // MARK: State

  /// The asset that is played.
  nonisolated open var asset: AVAsset { state.withLock { $0.asset } }

  /// The keys given when the item was made; `["duration"]` if none were.
  nonisolated open var automaticallyLoadedAssetKeys: [String] { state.withLock { $0.loadedKeys } }

  /// Whether the item can be played. Does not change once the item has left its queue; but one whose player is
  /// released before it was opened is opened all the same. Can be observed.
  nonisolated open var status: Status {
    observations.note(.status)
    return knownState.status
  }

  /// Why it cannot be played; nil unless `status` is `failed`. An `AVError`.
  nonisolated open var error: (any Error)? {
    observations.note(.error)
    return state.withLock { $0.error }
  }

  /// The length, whatever `forwardPlaybackEndTime` says; indefinite before the item is ready. May become more
  /// exact while it plays. Can be observed.
  nonisolated open var duration: CMTime {
    observations.note(.duration)
    return knownState.info?.duration ?? .indefinite
  }

  /// The ranges that can be seeked to, as `NSValue`s: the whole item once it is ready and its length is
  /// known, otherwise empty. Of an item from a server that sends files only as a whole, what was fetched.
  nonisolated open var seekableTimeRanges: [NSValue] { seekableRanges }

  /// The ranges that are available, as `NSValue`s, in order and at most 32: the whole item if it is a file. Of an item from
  /// the network what was fetched: exact as far as it was read, else estimated. Can be observed; changes at most four
  /// times a second.
  nonisolated open var loadedTimeRanges: [NSValue] { loadedRanges }

  /// Whether it will probably play to its end without stalling: true for a file that is ready. Can be observed.
  nonisolated open var isPlaybackLikelyToKeepUp: Bool {
    observations.note(.isPlaybackLikelyToKeepUp)
    return buffer?.isLikelyToKeepUp ?? false
  }

  /// Whether no data is available for playback: true until the item is ready. Can be observed.
  nonisolated open var isPlaybackBufferEmpty: Bool {
    observations.note(.isPlaybackBufferEmpty)
    return buffer?.isEmpty ?? true
  }

  /// Whether reading ahead has stopped because the buffer is full: true for a file that is ready. Can be observed.
  nonisolated open var isPlaybackBufferFull: Bool {
    observations.note(.isPlaybackBufferFull)
    return buffer?.isFull ?? false
  }

  /// Seconds of media to read ahead, at least 2; 0, the default, lets the player choose. For items from the network:
  /// files are there as a whole.
  nonisolated open var preferredForwardBufferDuration: TimeInterval {
    get {
      observations.note(.preferredForwardBufferDuration)
      return state.withLock { $0.preferredForwardBufferDuration }
    }
    set {
      set(.preferredForwardBufferDuration) {
        state.withLock { $0.preferredForwardBufferDuration = newValue }
        if let (core, id) = attachment { core.engine.setReadAhead(readAhead, of: id) }
      }
    }
  }

  /// What `preferredForwardBufferDuration` asks for.
  nonisolated var readAhead: MediaReadAhead {
    let seconds = state.withLock { $0.preferredForwardBufferDuration }
    return seconds > 0 ? .seconds(seconds) : .usual
  }

  // MARK: Rates

  /// How the item's sound is made to pass faster or slower at rates other than 1; `timeDomain` by default.
  /// Takes effect at once, also while it plays.
  nonisolated open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
    get {
      observations.note(.audioTimePitchAlgorithm)
      return state.withLock { $0.audioTimePitchAlgorithm }
    }
    set {
      set(.audioTimePitchAlgorithm) {
        state.withLock { $0.audioTimePitchAlgorithm = newValue }
        if let (core, id) = attachment { core.engine.setAlgorithm(newValue.algorithm, of: id) }
      }
    }
  }

  /// Whether it plays at rates above 2: true once it is ready. Rates from 1 to 2 it plays in any case.
  nonisolated open var canPlayFastForward: Bool { status == .readyToPlay }

  /// Whether it plays at rates between 0 and 1: true once it is ready.
  nonisolated open var canPlaySlowForward: Bool { status == .readyToPlay }

  /// Whether it plays at rate −1: never.
  nonisolated open var canPlayReverse: Bool { false }

  /// Whether it plays at rates between −1 and 0: never.
  nonisolated open var canPlaySlowReverse: Bool { false }

  /// Whether it plays at rates below −1: never.
  nonisolated open var canPlayFastReverse: Bool { false }

  // MARK: Time

  /// The time that a listener hears now; after a seek the time that was asked for, as long as its frame is heard.
  /// If the item is not current: where it will start, or where it stopped last.
  nonisolated open func currentTime() -> CMTime { place }

  /// Mean bits per second of the last second that was heard; 0 if that is not known, or the item is in no queue. Any
  /// thread.
  package nonisolated var heardBitRate: Double {
    attachment.map { core, id in core.engine.bitRate(of: id) } ?? 0
  }

  /// The time at which playback of the item ends, if that is before its own end; `.invalid`, the default, for
  /// its own end. There `didPlayToEndTimeNotification` is posted and the player's `actionAtItemEnd` takes
  /// effect.
  nonisolated open var forwardPlaybackEndTime: CMTime {
    get {
      observations.note(.forwardPlaybackEndTime)
      return state.withLock { $0.forwardPlaybackEndTime }
    }
    set {
      set(.forwardPlaybackEndTime) {
        state.withLock { $0.forwardPlaybackEndTime = newValue }
        guard let (core, id) = attachment else { return }
        core.engine.setEnd(newValue.isNumeric ? newValue.seconds : nil, of: id)
      }
    }
  }

  /// Goes to `time`: exactly to the frame, except in what was not fetched yet of an item from the network whose bit rate
  /// varies; there the place may be beside it by a hundredth of the length. Stops the program if the time is invalid or
  /// indefinite.
  nonisolated open func seek(to time: CMTime) {
    seek(to: time, tolerances: [], completion: nil)
  }

  /// As `seek(to:)`, and where nothing is tolerated exactly to the frame in any case: of an item from the network all up
  /// to the place may have to be fetched for that. Stops the program if the time is invalid or indefinite or a tolerance
  /// is invalid or negative.
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
    seek(to: time, tolerances: [toleranceBefore, toleranceAfter], completion: nil)
  }

  /// As `seek(to:)`.
  ///
  /// - Parameters:
  ///   - time: of this item.
  ///   - completionHandler: called on the main queue, with true when the seek is done: at once if the item is
  ///     not opened yet or not current, in which case it will start at `time`. Called with false at once for a
  ///     time outside `seekableTimeRanges`, and when another seek replaces this one or the item leaves the
  ///     queue.
  @preconcurrency
  nonisolated open func seek(to time: CMTime, completionHandler: (@Sendable (Bool) -> Void)?) {
    seek(to: time, tolerances: [], completion: completionHandler)
  }

  /// As `seek(to:completionHandler:)`, and stops the program too if a tolerance is invalid or negative.
  @preconcurrency
  nonisolated open func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
    completionHandler: (@Sendable (Bool) -> Void)?
  ) {
    seek(to: time, tolerances: [toleranceBefore, toleranceAfter], completion: completionHandler)
  }

  /// As `seek(to:completionHandler:)`.
  @discardableResult
  nonisolated open func seek(to time: CMTime) async -> Bool {
    // Not a checked continuation: if the application ends meanwhile it is never resumed.
    await withUnsafeContinuation { continuation in
      seek(to: time, tolerances: [], isDirect: true) { continuation.resume(returning: $0) }
    }
  }

  /// As `seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
  @discardableResult
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
    // Not a checked continuation: if the application ends meanwhile it is never resumed.
    await withUnsafeContinuation { continuation in
      seek(to: time, tolerances: [toleranceBefore, toleranceAfter], isDirect: true) {
        continuation.resume(returning: $0)
      }
    }
  }

  /// Cancels a seek whose completion handler was not called yet; it is called with false at once.
  nonisolated open func cancelPendingSeeks() {
    guard let (core, id) = attachment else { return }
    core.cancelSeek(of: id)
  }
}

extension AVPlayerItem: KeyValueObserving, ObservedObject {}
