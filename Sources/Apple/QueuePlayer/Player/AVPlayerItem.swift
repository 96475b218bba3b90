package import AudioCore
public import AudioSession
import Clocks
public import Foundation
public import MediaAssets
public import MediaTime
public import Observation
import PlaybackEngine
import Synchronization

/// An asset in a player's queue, with its status and its playback position.
///
/// An item can be in the queue of one player only, and only once. Outside of a queue it keeps its status and
/// position. An item that is inserted again continues at its position, or at the beginning if it had reached
/// its end.
///
/// Every member may be used on any thread. On the main queue, properties have the values last reported to
/// observers; on other threads they may be newer. No call blocks.
@preconcurrency @MainActor
open class AVPlayerItem: NSObject, NSCopying {
  /// The status of an item.
  public enum Status: Int, Sendable {
    /// The item has not been opened yet.
    case unknown = 0
    /// The item was opened and can be played.
    case readyToPlay = 1
    /// The item can no longer be played; `error` contains the reason.
    case failed = 2
  }

  nonisolated package let observations = ObservationList(tracked: .ofNewObject())
  nonisolated let state: Mutex<ItemState>

  /// Creates an item for the media at `url`. Opens no file.
  nonisolated public convenience init(url: URL) { self.init(asset: AVURLAsset(url: url)) }

  /// Creates an item for an asset. Opens no file.
  nonisolated public convenience init(asset: AVAsset) {
    self.init(asset: asset, automaticallyLoadedAssetKeys: ["duration"])
  }

  // The only designated initializer, as on Apple's systems, so subclasses override only this one. They
  // redeclare the convenience initializers above it without `override`.

  /// Creates an item for an asset. Opens no file. A player loads all keys when it opens the item.
  nonisolated public init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
    state = Mutex(ItemState(asset: asset, loadedKeys: automaticallyLoadedAssetKeys ?? []))
    super.init()
  }

  /// Creates an item for an asset. Opens no file. The keys have no effect, because all are loaded together.
  nonisolated public convenience init(
    asset: AVAsset, automaticallyLoadedAssetKeys: [AVPartialAsyncProperty<AVAsset>]
  ) { self.init(asset: asset) }

  /// Returns a new item for the same asset, in no queue and positioned at the beginning. The copy has the same
  /// settings, except that it has no outputs and its track is enabled.
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

  /// The asset that the item plays.
  nonisolated open var asset: AVAsset { state.withLock { $0.asset } }

  /// The keys given when the item was created; `["duration"]` by default.
  nonisolated open var automaticallyLoadedAssetKeys: [String] { state.withLock { $0.loadedKeys } }

  /// The status of the item. Does not change while the item is in no queue. One exception: if a player is
  /// released before its current item was opened, the item is still opened. Observable.
  nonisolated open var status: Status { observations.read(.status) { knownState.status } }

  /// The reason for the failure, an `AVError`; nil unless `status` is `failed`.
  nonisolated open var error: (any Error)? { observations.read(.error) { state.withLock { $0.error } } }

  /// The duration of the whole item, regardless of `forwardPlaybackEndTime`. Indefinite until the item is
  /// ready, and while its length is unknown, as of a live stream; may be refined later. Observable.
  nonisolated open var duration: CMTime {
    observations.read(.duration) { knownState.info?.duration ?? .indefinite }
  }

  /// The seekable ranges, as `NSValue`s: the whole item once it is ready and its length is known, otherwise
  /// empty. If the server does not support range requests, only the parts that were fetched.
  nonisolated open var seekableTimeRanges: [NSValue] {
    observations.note(.duration)
    guard let extent = state.withLock({ $0.extent }) else { return presumedRanges }
    return extent.isSeekable ? wholeRange : loadedRanges
  }

  /// The available ranges, as `NSValue`s, in order and at most 32. For a file, the whole item; for a remote
  /// item, the parts that were fetched, estimated where frames were not located yet. Observable; changes at
  /// most four times a second.
  nonisolated open var loadedTimeRanges: [NSValue] { loadedRanges }

  /// Whether the item will probably play to its end without stalling. False until the item is ready; then true for a
  /// file. Observable.
  nonisolated open var isPlaybackLikelyToKeepUp: Bool {
    observations.read(.isPlaybackLikelyToKeepUp) { buffer?.isLikelyToKeepUp ?? false }
  }

  /// Whether no data is available for playback. True until the item is ready. Observable.
  nonisolated open var isPlaybackBufferEmpty: Bool {
    observations.read(.isPlaybackBufferEmpty) { buffer?.isEmpty ?? true }
  }

  /// Whether reading ahead has stopped because the buffer is full. False until the item is ready; then true for a file.
  /// Observable.
  nonisolated open var isPlaybackBufferFull: Bool {
    observations.read(.isPlaybackBufferFull) { buffer?.isFull ?? false }
  }

  /// The duration to read ahead in a remote item, in seconds; values between 0 and 2 count as 2. With 0, the default, and
  /// negative values the player chooses the duration. Observable.
  nonisolated open var preferredForwardBufferDuration: TimeInterval {
    get {
      observations.read(.preferredForwardBufferDuration) {
        state.withLock { $0.preferredForwardBufferDuration }
      }
    }
    set {
      set(.preferredForwardBufferDuration) {
        state.withLock { $0.preferredForwardBufferDuration = newValue }
        if let (core, id) = attachment { core.engine.setReadAhead(readAhead, of: id) }
      }
    }
  }

  /// The amount to read ahead, according to `preferredForwardBufferDuration`.
  nonisolated var readAhead: MediaReadAhead {
    let seconds = state.withLock { $0.preferredForwardBufferDuration }
    return seconds > 0 ? .seconds(seconds) : .usual
  }

  // MARK: Rates

  /// The algorithm for rates other than 1; `timeDomain` by default. A change takes effect during playback, at
  /// the latest after the buffered frames that the output cannot replace. Observable.
  nonisolated open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
    get { observations.read(.audioTimePitchAlgorithm) { state.withLock { $0.audioTimePitchAlgorithm } } }
    set {
      set(.audioTimePitchAlgorithm) {
        state.withLock { $0.audioTimePitchAlgorithm = newValue }
        if let (core, id) = attachment { core.engine.setAlgorithm(newValue.algorithm, of: id) }
      }
    }
  }

  /// Whether the item can play at rates above 2. True once it is ready.
  nonisolated open var canPlayFastForward: Bool { status == .readyToPlay }

  /// Whether the item can play at rates between 0 and 1. True once it is ready.
  nonisolated open var canPlaySlowForward: Bool { status == .readyToPlay }

  /// Whether the item can play at rate −1. Always false.
  nonisolated open var canPlayReverse: Bool { false }

  /// Whether the item can play at rates between −1 and 0. Always false.
  nonisolated open var canPlaySlowReverse: Bool { false }

  /// Whether the item can play at rates below −1. Always false.
  nonisolated open var canPlayFastReverse: Bool { false }

  // MARK: Time

  /// Returns the time that is heard now; after a seek the requested time, as long as its frame is heard. If
  /// the item is not current, returns its start position or the position at which it stopped.
  nonisolated open func currentTime() -> CMTime { place }

  /// The mean bit rate of the last second heard, in bits per second; the item's overall mean if no frame there
  /// is decoded. 0 if unknown, or if the item is in no queue. Any thread.
  package nonisolated var heardBitRate: Double {
    attachment.map { core, id in core.engine.bitRate(of: id) } ?? 0
  }

  /// The time at which playback of the item ends. With `.invalid`, the default, or a time after the end of
  /// the item, playback ends at the end of the item. When playback ends, `didPlayToEndTimeNotification` is
  /// posted, and the player's `actionAtItemEnd` takes effect. If the item stays current after its end, a later
  /// end lets the item continue there. Observable.
  nonisolated open var forwardPlaybackEndTime: CMTime {
    get { observations.read(.forwardPlaybackEndTime) { state.withLock { $0.forwardPlaybackEndTime } } }
    set {
      set(.forwardPlaybackEndTime) {
        state.withLock { $0.forwardPlaybackEndTime = newValue }
        guard let (core, id) = attachment else { return }
        core.engine.setEnd(newValue.isNumeric ? newValue.seconds : nil, of: id)
      }
    }
  }

  /// Moves to `time` of the item; in a queue, without effect for a time outside the item and in a live stream. The seek
  /// is exact to the frame, with one exception: parts of a remote item with a variable bit rate that are not fetched yet.
  /// There the position may deviate: with a seek table by 1 % of the duration, without one by more. Stops the
  /// program if the time is invalid or indefinite.
  nonisolated open func seek(to time: CMTime) { seek(to: time, tolerances: [], completion: nil) }

  /// Moves to `time` as `seek(to:)` does. If both tolerances are zero, the seek is always exact to the frame. For that,
  /// all data of a remote item up to the position may have to be fetched. Other tolerances have no effect. Stops the
  /// program if the time is invalid or indefinite or a tolerance is invalid, indefinite or negative.
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
    seek(to: time, tolerances: [toleranceBefore, toleranceAfter], completion: nil)
  }

  /// Moves to `time` as `seek(to:)` does, and reports the end of the seek.
  ///
  /// The handler is called once, on the main queue, unless the player or the application ends first. The handler
  /// receives true when the player has reached the position. The handler receives true at once if the item is not open
  /// yet or not current; playback then starts at `time`. In a queue, the handler receives false at once for a time outside
  /// the item and in a live stream. False also follows when another seek replaces this one, or when the item leaves the
  /// queue.
  @preconcurrency
  nonisolated open func seek(to time: CMTime, completionHandler: (@Sendable (Bool) -> Void)?) {
    seek(to: time, tolerances: [], completion: completionHandler)
  }

  /// Moves to `time` as `seek(to:toleranceBefore:toleranceAfter:)` does, and reports the end of the seek as
  /// `seek(to:completionHandler:)` does.
  @preconcurrency
  nonisolated open func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
    completionHandler: (@Sendable (Bool) -> Void)?
  ) {
    seek(to: time, tolerances: [toleranceBefore, toleranceAfter], completion: completionHandler)
  }

  /// Moves to `time`. Returns the value that the handler of `seek(to:completionHandler:)` receives; false if the player
  /// is released first. Never returns if the application ends first.
  @discardableResult
  nonisolated open func seek(to time: CMTime) async -> Bool {
    await outcome { seek(to: time, tolerances: [], isDirect: true, completion: $0) }
  }

  /// Moves to `time` as `seek(to:toleranceBefore:toleranceAfter:)` does. Returns as the asynchronous `seek(to:)` does.
  @discardableResult
  nonisolated open func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool {
    await outcome {
      seek(to: time, tolerances: [toleranceBefore, toleranceAfter], isDirect: true, completion: $0)
    }
  }

  /// Cancels the seek whose completion handler was not called yet. The handler receives false at once.
  nonisolated open func cancelPendingSeeks() {
    guard let (core, id) = attachment else { return }
    core.cancelSeek(of: id)
  }
}

nonisolated extension AVPlayerItem {
  /// Returns the log of the item's network requests; nil if none were sent.
  public func accessLog() -> AVPlayerItemAccessLog? {
    let now = asset.loader.environment().clock.now
    return state.withLock { $0.network.first?.accesses(at: now) }.flatMap {
      $0.isEmpty ? nil : AVPlayerItemAccessLog($0)
    }
  }

  /// Returns the log of the item's network errors; nil if none occurred.
  public func errorLog() -> AVPlayerItemErrorLog? {
    state.withLock { $0.network.first?.failures }.flatMap { $0.isEmpty ? nil : AVPlayerItemErrorLog($0) }
  }

  /// The metadata of a live stream at the last frame heard: its title (`icyMetadataStreamTitle`) and address
  /// (`icyMetadataStreamURL`), with the time from which they apply. Nil before the first metadata, and for
  /// files. Observable. Deprecated by Apple in favour of `AVPlayerItemMetadataOutput`.
  public var timedMetadata: [AVMetadataItem]? {
    observations.read(.timedMetadata) { state.withLock { $0.timedMetadata } }
  }

  /// The properties of the item if it is a live stream; nil for other media, and before the item is ready.
  package var live: LiveStream? { knownState.info?.live }

  /// The mix of the item's audio; nil, the default, leaves the decoder's samples as they are.
  ///
  /// Stored as a copy. The volume follows the item's time after seeks and at every rate. A change takes
  /// effect without a gap, at the latest after the buffered frames that the output cannot replace.
  /// Observable.
  public var audioMix: AVAudioMix? {
    get { observations.read(.audioMix) { state.withLock { $0.audioMix } } }
    set {
      let copy = newValue?.copy() as? AVAudioMix
      let curve = copy?.curve(ofTrack: AVAssetTrack.onlyID)
      set(.audioMix) {
        var mix = copy
        let isChange = state.withLock { state in
          defer { state.volumeCurve = curve }
          swap(&state.audioMix, &mix)
          return state.volumeCurve != curve
        }
        guard isChange, let (core, id) = attachment else { return }
        core.engine.setMix(state.withLock { $0.mix }, of: id)
      }
    }
  }
}

extension AVPlayerItem: KeyValueObserving, ObservedObject, Observable {}
