import AudioCore
import AudioSession
import Foundation
import MediaAssets
import MediaTime
import PlaybackEngine
import Synchronization

/// The state of an item, protected by its lock.
struct ItemState: Sendable {
  /// The queue that contains the item, and the item's number in that queue. Each insertion gets a new number,
  /// so that notices of an earlier insertion are not applied to this one.
  struct Attachment: Sendable {
    weak var core: PlayerCore?
    var id: ItemID
  }

  let asset: AVAsset
  let loadedKeys: [String]
  var attachment: Attachment?
  /// Whether out-of-range ReplayGain values were reported.
  var hasReportedReplayGain = false
  var status = AVPlayerItem.Status.unknown
  var error: AVError?
  var info: ItemInfo?
  /// The buffer's state, valid once the item is ready.
  var buffer = BufferState.all
  /// The available parts, and whether others can be fetched; nil for files, and until the engine has reported them.
  var extent: MediaExtent?
  /// The live stream's metadata at the last frame heard.
  var timedMetadata: [AVMetadataItem]?
  /// The start position, the target of the last seek, or the position at which the item stopped.
  var place = CMTime.zero
  var forwardPlaybackEndTime = CMTime.invalid
  var preferredForwardBufferDuration: TimeInterval = 0
  /// The inert properties, at most one value; empty until a property is set, to save memory with 100 000
  /// items.
  var inert: [InertItemProperties] = []
  /// The network log, at most one; empty before the first network event, to save memory with 100 000 items.
  var network: [NetworkLog] = []
  /// The track, created at its first use.
  var track: AVPlayerItemTrack?
  /// The value of `AVPlayerItemTrack.isEnabled`.
  var isTrackEnabled = true
  /// The timebase, created at its first use.
  var timebase: CMTimebase?
  var outputs: [AVPlayerItemOutput] = []
  var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain
  var audioMix: AVAudioMix?
  /// The volume curve that `audioMix` sets for the track.
  var volumeCurve: VolumeCurve?

  /// The volume as the engine applies it.
  var mix: ItemMix { ItemMix(isSilent: !isTrackEnabled, volume: volumeCurve) }

  init(asset: AVAsset, loadedKeys: [String]) {
    self.asset = asset
    self.loadedKeys = loadedKeys
  }

  /// The time at which the item ends at the latest; indefinite if unknown.
  var end: CMTime { end(duration: info?.duration) }

  private func end(duration: CMTime?) -> CMTime {
    let duration = duration ?? .indefinite
    guard forwardPlaybackEndTime.isNumeric else { return duration }
    return duration.isNumeric ? min(duration, forwardPlaybackEndTime) : forwardPlaybackEndTime
  }

  /// The start position of an item inserted now, in seconds: its last position, or 0 if that was its end. The true end
  /// may follow an estimated one.
  var startSeconds: Double {
    guard place.isNumeric, place > .zero else { return 0 }
    let exactEnd = end(duration: info?.exactDuration)
    return place == end || exactEnd.isNumeric && place >= exactEnd ? 0 : place.seconds
  }
}

extension ItemInfo {
  /// The length as a time; indefinite if it is only estimated.
  var exactDuration: CMTime {
    if case .exact = frameCount { duration } else { .indefinite }
  }
}

nonisolated extension AVPlayerItem {
  /// The queue that contains the item, and the item's number in it; nil if none. On the main queue, as last
  /// reported to observers.
  var attachment: (core: PlayerCore, id: ItemID)? {
    guard let attachment = state.withLock({ $0.attachment }), let core = attachment.core,
      core.holds(attachment.id)
    else { return nil }
    return (core, attachment.id)
  }

  /// Whether the item is in the queue of `player`. Any thread.
  package func isPlayed(by player: AVPlayer?) -> Bool { attachment.map { $0.core === player?.core } ?? false }

  /// The item's status and properties, as last reported to observers. On threads other than the main one, an
  /// item that the engine has opened already counts as ready.
  var knownState: (status: Status, info: ItemInfo?) {
    let (status, info, attachment) = state.withLock { ($0.status, $0.info, $0.attachment) }
    guard status == .unknown, let attachment, let core = attachment.core, !core.readsMirror,
      let present = core.engine.info(of: attachment.id)
    else { return (status, info) }
    return (.readyToPlay, present)
  }

  /// The buffer's state; nil unless the item is ready.
  var buffer: BufferState? { status == .readyToPlay ? state.withLock { $0.buffer } : nil }

  /// The whole item as a range; empty until its length is known.
  var wholeRange: [NSValue] {
    guard let duration = knownState.info?.duration, duration.isNumeric else { return [] }
    return [NSValue(timeRange: CMTimeRange(start: .zero, duration: duration))]
  }

  var loadedRanges: [NSValue] {
    observations.note(.duration)
    observations.note(.loadedTimeRanges)
    let info = knownState.info
    guard let extent = state.withLock({ $0.extent }), let info else { return presumedRanges }
    let rate = CMTimeScale(info.format.sampleRate)
    func time(_ seconds: Double) -> CMTime {
      CMTime(value: CMTimeValue((seconds * Double(rate)).rounded()), timescale: rate)
    }
    return extent.loaded.map { range in
      let start = time(range.lowerBound)
      return NSValue(timeRange: CMTimeRange(start: start, duration: time(range.upperBound) - start))
    }
  }

  /// The ranges assumed available without further information: all of a file, and nothing of other items.
  var presumedRanges: [NSValue] { asset.loader.shared == nil ? wholeRange : [] }

  var place: CMTime {
    let (attachment, place, end) = state.withLock { ($0.attachment, $0.place, $0.end) }
    guard let attachment, let core = attachment.core else { return place }
    guard let heard = core.engine.currentTime(of: attachment.id) else {
      return core.engine.contains(attachment.id) || !end.isNumeric ? place : end
    }
    // After a seek, return the requested time as long as the frame nearest to it is heard.
    return place.rounds(to: heard) ? place : heard
  }

  /// Saves the item's current position, before it leaves its queue.
  func keepPlace() {
    let place = place
    state.withLock { $0.place = place }
  }

  /// Calls `change`, which sets a property of the item, and notifies the observers of the item and of its
  /// player.
  func set(_ key: ObservedKey, _ change: () -> Void) {
    if let core = state.withLock({ $0.attachment })?.core {
      core.set(key, of: self, change)
    } else {
      // An item in no queue has no player whose observers could be notified.
      asset.loader.environment().suspension.set(observations.property(key), of: observations, change)
    }
  }

  /// Opens an unopened item in the background, without a player, because its player was released.
  func openAlone() {
    guard state.withLock({ $0.status }) == .unknown else { return }
    let suspension = asset.loader.environment().suspension
    asset.loader.loadMedia { [weak self] outcome in
      suspension.tellLater { [weak self, weak suspension] in
        guard let self, self.state.withLock({ $0.status }) == .unknown else { return }
        let (status, info, error): (Status, ItemInfo?, AVError?) =
          switch outcome {
          case .success(let values): (.readyToPlay, values.info, nil)
          case .failure(let error): (.failed, nil, error)
          }
        suspension?.change(self.newKeys(status: status, info: info, error: error), of: self.observations) {
          self.become(status: status, info: info, error: error)
        }
      }
    }
  }

  /// Returns the properties that `become` will change.
  func newKeys(status: Status, info: ItemInfo? = nil, error: AVError? = nil) -> [ObservedKey] {
    let before = state.withLock { $0 }
    var keys: [ObservedKey] = []
    if status != before.status { keys.append(.status) }
    if let info, info != before.info { keys.append(.duration) }
    if error != nil { keys.append(.error) }
    return keys
  }

  /// Returns the properties that a new buffer state will change.
  func newKeys(buffer: BufferState) -> [ObservedKey] {
    let before = state.withLock { $0.buffer }
    var keys: [ObservedKey] = []
    if buffer.isEmpty != before.isEmpty { keys.append(.isPlaybackBufferEmpty) }
    if buffer.isLikelyToKeepUp != before.isLikelyToKeepUp { keys.append(.isPlaybackLikelyToKeepUp) }
    if buffer.isFull != before.isFull { keys.append(.isPlaybackBufferFull) }
    return keys
  }

  /// Records that the item is ready or has failed.
  func become(status: Status, info: ItemInfo? = nil, error: AVError? = nil) {
    state.withLock { state in
      state.status = status
      state.info = info ?? state.info
      state.error = error
    }
  }

  /// Seeks to `time`, for all public forms of `seek`. `isDirect`: the completion may be called on any thread.
  func seek(
    to time: CMTime, tolerances: [CMTime], isDirect: Bool = false, completion: (@Sendable (Bool) -> Void)?
  ) {
    let seconds = time.secondsToSeek(tolerances: tolerances)
    let isExact = !tolerances.isEmpty && tolerances.allSatisfy { $0 == .zero }
    guard let (core, id) = attachment else {
      state.withLock { $0.place = time.isNumeric ? max(time, .zero) : .zero }
      guard let completion else { return }
      let environment = asset.loader.environment()
      if isDirect || environment.isOnMainQueue() {
        environment.suspension.deferred(completion)(true)
      } else {
        environment.suspension.tellLater { completion(true) }
      }
      return
    }
    let duration = knownState.info?.exactDuration ?? .indefinite
    let isOutside =
      seconds < 0 || duration.isNumeric && seconds > duration.seconds || knownState.info?.live != nil
    // The engine may play the item before the application is notified that it is current.
    if !isOutside, core.knownCurrent?.id == id || !core.engine.setStart(seconds, of: id) {
      return core.seek(
        self, id, to: time, seconds: seconds, isExact: isExact, isDirect: isDirect, completion: completion)
    }
    if !isOutside { state.withLock { $0.place = time } }
    completion.map { core.deferred($0, isDirect: isDirect)(!isOutside) }
  }
}

extension CMTime {
  /// Returns whether `other` is this time, rounded to the timescale of `other`.
  fileprivate func rounds(to other: CMTime) -> Bool {
    guard isNumeric, other.isNumeric else { return false }
    return convertScale(other.timescale, method: .roundHalfAwayFromZero).value == other.value
  }

  /// Returns the time to seek to, in seconds, limited to ±4e9. Like Apple's items, stops the program if the
  /// time is invalid or indefinite, or a tolerance is invalid, indefinite or negative.
  func secondsToSeek(tolerances: [CMTime] = []) -> Double {
    precondition(
      isValid && !isIndefinite, "Seeking is not possible to time \(isValid ? "{INDEFINITE}" : "{INVALID}")")
    for tolerance in tolerances {
      precondition(
        tolerance.isValid && !tolerance.isIndefinite && tolerance >= .zero,
        "Seeking is not possible with an invalid or negative tolerance")
    }
    // The limit is far longer than any medium, and its frames fit in 64 bits at every sample rate.
    return min(max(seconds, -4e9), 4e9)
  }
}
