public import Foundation
public import MediaTime
import PlaybackEngine
import Synchronization

/// One playing of an asset: where it stands, whether it can be played.
///
/// An item is in at most one player's queue, once. One that left its queue keeps its status and its place and can be
/// inserted again: it goes on where it stood, or from its beginning if it stood at its end.
///
/// Every member may be used on any thread. On the main queue properties say what observers were told; elsewhere they
/// may be a moment ahead.
@preconcurrency @MainActor
open class AVPlayerItem: NSObject, NSCopying {
  /// Whether an item can be played.
  public enum Status: Int, Sendable {
    /// It was not opened yet.
    case unknown = 0
    /// It can.
    case readyToPlay = 1
    /// It cannot, for good; `error` says why.
    case failed = 2
  }

  nonisolated let observations = ObservationList()
  nonisolated let state: Mutex<ItemState>

  /// An item for the media at `url`; opens nothing.
  nonisolated public init(url: URL) {
    state = Mutex(ItemState(asset: AVURLAsset(url: url)))
    super.init()
  }

  /// An item for an asset; opens nothing.
  nonisolated public init(asset: AVAsset) {
    state = Mutex(ItemState(asset: asset))
    super.init()
  }

  /// An item for an asset; opens nothing. All keys are loaded together when a player opens it, whatever is listed.
  nonisolated public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
    state = Mutex(ItemState(asset: asset, loadedKeys: automaticallyLoadedAssetKeys ?? []))
    super.init()
  }

  /// The same with keys of the newer kind.
  nonisolated public convenience init(
    asset: AVAsset, automaticallyLoadedAssetKeys: [AVPartialAsyncProperty<AVAsset>]
  ) {
    self.init(asset: asset)
  }

  /// A new item for the same asset, in no queue, at its beginning.
  nonisolated open func copy(with zone: NSZone? = nil) -> Any {
    let (asset, keys, end) = state.withLock { ($0.asset, $0.loadedKeys, $0.forwardPlaybackEndTime) }
    let copy = AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: keys)
    copy.state.withLock { $0.forwardPlaybackEndTime = end }
    return copy
  }

  // MARK: State

  /// What is played.
  nonisolated open var asset: AVAsset { state.withLock { $0.asset } }

  /// The keys given when the item was made; `["duration"]` if none were.
  nonisolated open var automaticallyLoadedAssetKeys: [String] { state.withLock { $0.loadedKeys } }

  /// Whether the item can be played. Does not change any more once the item is out of its queue. Can be observed.
  nonisolated open var status: Status { knownState.status }

  /// Why it cannot be played; nil unless `status` is `failed`. An `AVError`.
  nonisolated open var error: (any Error)? { state.withLock { $0.error } }

  /// The length, whatever `forwardPlaybackEndTime` says; indefinite before the item is ready. May become more exact
  /// while it plays. Can be observed.
  nonisolated open var duration: CMTime { knownState.info?.duration ?? .indefinite }

  /// What can be gone to: all of it, once it is ready and its length known; else empty. `NSValue`s of ranges.
  nonisolated open var seekableTimeRanges: [NSValue] { wholeRange }

  /// What is there to be played: all of it, for a file.
  nonisolated open var loadedTimeRanges: [NSValue] { wholeRange }

  /// Whether it will probably play to its end without waiting: a file that is ready does.
  nonisolated open var isPlaybackLikelyToKeepUp: Bool { status == .readyToPlay }

  /// Whether there is nothing to be played at present: before it is ready.
  nonisolated open var isPlaybackBufferEmpty: Bool { status != .readyToPlay }

  /// Whether no more is read ahead because there is enough: a file that is ready is there as a whole.
  nonisolated open var isPlaybackBufferFull: Bool { status == .readyToPlay }

  /// Seconds of media to read ahead. Kept and without effect: files need no network, and the player reads ahead
  /// enough for its output. 0 leaves it to the player.
  nonisolated open var preferredForwardBufferDuration: TimeInterval {
    get { state.withLock { $0.preferredForwardBufferDuration } }
    set {
      state.withLock { $0.preferredForwardBufferDuration = newValue }
      announceChange()
    }
  }

  // MARK: Time

  /// What is heard of it now; if it is not current, where it will start or where it stood last.
  nonisolated open func currentTime() -> CMTime { place }

  /// Where it ends at the latest; `.invalid`, the default, for its own end. There `didPlayToEndTimeNotification` is
  /// posted and the player's `actionAtItemEnd` is taken.
  nonisolated open var forwardPlaybackEndTime: CMTime {
    get { state.withLock { $0.forwardPlaybackEndTime } }
    set {
      state.withLock { $0.forwardPlaybackEndTime = newValue }
      if let (core, id) = attachment {
        core.engine.setEnd(newValue.isNumeric ? newValue.seconds : nil, of: id)
        core.deliver()
      }
      announceChange()
    }
  }

  /// Goes to `time`, exactly to the frame. Stops the program if the time is invalid or indefinite.
  nonisolated open func seek(to time: CMTime) {
    seek(to: time, tolerances: [], completion: nil)
  }

  /// Goes to `time`, exactly to the frame whatever is tolerated. Stops the program if the time is invalid or
  /// indefinite or a tolerance is invalid or negative.
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
    seek(to: time, tolerances: [toleranceBefore, toleranceAfter], completion: nil)
  }

  /// Goes to `time`, exactly to the frame. Stops the program if the time is invalid or indefinite.
  ///
  /// - Parameter completionHandler: called on the main queue: with true when the item is there (at once if it is not
  ///   opened yet or not current, it then starts there); with false at once for a time outside of
  ///   `seekableTimeRanges`, and when another seek comes first or the item leaves the queue.
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
    // Unchecked: an application that ended meanwhile never goes on.
    await withUnsafeContinuation { continuation in
      seek(to: time, tolerances: [], isDirect: true) { continuation.resume(returning: $0) }
    }
  }

  /// As `seek(to:toleranceBefore:toleranceAfter:completionHandler:)`.
  @discardableResult
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
    // Unchecked: an application that ended meanwhile never goes on.
    await withUnsafeContinuation { continuation in
      seek(to: time, tolerances: [toleranceBefore, toleranceAfter], isDirect: true) {
        continuation.resume(returning: $0)
      }
    }
  }

  /// Ends a seek that is not over; its handler is called with false.
  nonisolated open func cancelPendingSeeks() {
    guard let (core, id) = attachment, core.engine.currentItem == id else { return }
    core.engine.cancelPendingSeeks()
    core.deliver()
  }
}

extension AVPlayerItem: KeyValueObserving, ObservedObject {}
