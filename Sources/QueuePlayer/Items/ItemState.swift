import AudioCore
import Foundation
import MediaTime
import PlaybackEngine
import Synchronization

/// The state of an item, protected by its lock.
struct ItemState: Sendable {
  /// The queue the item is in, and its number there: another one each time it is inserted, so that what is
  /// still told of an earlier stay is not taken for news.
  struct Attachment: Sendable {
    weak var core: PlayerCore?
    var id: ItemID
  }

  let asset: AVAsset
  let loadedKeys: [String]
  var attachment: Attachment?
  /// Whether figures for the replay gain that do not count were reported.
  var hasReportedReplayGain = false
  var status = AVPlayerItem.Status.unknown
  var error: AVError?
  var info: ItemInfo?
  /// What is known of its buffer once it is ready.
  var buffer = BufferState.all
  /// Which parts of it are there, and where it can be entered; nil: all of it.
  var extent: MediaExtent?
  /// What the stream said last about what is heard.
  var timedMetadata: [AVMetadataItem]?
  /// Where it will start, or stood last.
  var place = CMTime.zero
  var forwardPlaybackEndTime = CMTime.invalid
  var preferredForwardBufferDuration: TimeInterval = 0
  /// None until one is set: there may be 100 000 items.
  var inert: [InertItemProperties] = []
  /// What happened on the network: at most one. None before that, for the same reason.
  var network: [NetworkLog] = []
  /// Made when it is first asked for.
  var track: AVPlayerItemTrack?
  /// `AVPlayerItemTrack.isEnabled`.
  var isTrackEnabled = true
  /// The same.
  var timebase: CMTimebase?
  var outputs: [AVPlayerItemOutput] = []
  var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain
  var audioMix: AVAudioMix?
  /// What `audioMix` makes of the sound.
  var volumeCurve: VolumeCurve?

  init(asset: AVAsset, loadedKeys: [String]) {
    self.asset = asset
    self.loadedKeys = loadedKeys
  }

  /// Where it ends at the latest; indefinite if that is not known.
  var end: CMTime {
    let duration = info?.duration ?? .indefinite
    guard forwardPlaybackEndTime.isNumeric else { return duration }
    return duration.isNumeric ? min(duration, forwardPlaybackEndTime) : forwardPlaybackEndTime
  }

  /// Where playing begins when it is inserted now: where it stood, or at its beginning if that was its end.
  var startSeconds: Double {
    guard place.isNumeric, place > .zero else { return 0 }
    return end.isNumeric && place >= end ? 0 : place.seconds
  }
}

extension AVPlayerItem {
  /// The queue that the item is in, as far as the caller can know, and its number there.
  nonisolated var attachment: (core: PlayerCore, id: ItemID)? {
    guard let attachment = state.withLock({ $0.attachment }), let core = attachment.core,
      core.holds(attachment.id)
    else { return nil }
    return (core, attachment.id)
  }

  /// Whether the item is in the queue of `player`. Any thread.
  package nonisolated func isPlayed(by player: AVPlayer?) -> Bool {
    attachment.map { $0.core === player?.core } ?? false
  }

  /// The state that observers were told; off the main queue the engine's present state.
  nonisolated var knownState: (status: Status, info: ItemInfo?) {
    let (status, info, attachment) = state.withLock { ($0.status, $0.info, $0.attachment) }
    guard status == .unknown, let attachment, let core = attachment.core, !core.readsMirror,
      let present = core.engine.info(of: attachment.id)
    else { return (status, info) }
    return (.readyToPlay, present)
  }

  /// What is known of its buffer; nil before it is ready.
  nonisolated var buffer: BufferState? {
    status == .readyToPlay ? state.withLock { $0.buffer } : nil
  }

  /// All of it, once its length is known.
  nonisolated private var wholeRange: [NSValue] {
    guard let duration = knownState.info?.duration, duration.isNumeric else { return [] }
    return [NSValue(timeRange: CMTimeRange(start: .zero, duration: duration))]
  }

  /// The parts of it that are there.
  nonisolated var loadedRanges: [NSValue] {
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

  /// The parts of it that can be seeked to.
  nonisolated var seekableRanges: [NSValue] {
    observations.note(.duration)
    guard let extent = state.withLock({ $0.extent }) else { return presumedRanges }
    return extent.isSeekable ? wholeRange : loadedRanges
  }

  /// What counts as there as long as nothing else is known: all of a file, and nothing of what comes from the network.
  private nonisolated var presumedRanges: [NSValue] { asset.loader.shared == nil ? wholeRange : [] }

  nonisolated var place: CMTime {
    let (attachment, place, end) = state.withLock { ($0.attachment, $0.place, $0.end) }
    guard let attachment, let core = attachment.core else { return place }
    guard let heard = core.time(of: attachment.id) else {
      return core.engine.contains(attachment.id) || !end.isNumeric ? place : end
    }
    // The frame that was asked for: nearer to the time asked for than any other.
    return place.rounds(to: heard) ? place : heard
  }

  /// The item stays where it stands when it leaves its queue.
  nonisolated func keepPlace() {
    let place = place
    state.withLock { $0.place = place }
  }

  /// Puts the item into `core`'s queue, unless it is in one already. Returns its number there.
  nonisolated func attach(to core: PlayerCore) -> ItemID {
    let id = ItemID.next()
    state.withLock { $0.attachment = ItemState.Attachment(core: core, id: id) }
    return id
  }

  /// The item is no longer number `id` of a queue.
  nonisolated func detach(_ id: ItemID) {
    state.withLock { state in
      if state.attachment?.id == id { state.attachment = nil }
    }
  }

  /// Has `change` set a property of the item, and tells its observers and those of its player.
  nonisolated func set(_ key: ObservedKey, _ change: () -> Void) {
    if let core = state.withLock({ $0.attachment?.core }) {
      core.set(key, of: self, change)
    } else {
      // In no queue: nobody but its own observers can see it.
      asset.loader.environment().suspension.set(observations.property(key), of: observations, change)
    }
  }

  /// Opens the item without a player, in the background, if it was not opened: its player has gone.
  nonisolated func openAlone() {
    guard state.withLock({ $0.status }) == .unknown else { return }
    let suspension = asset.loader.environment().suspension
    asset.loader.load { [weak self] outcome in
      suspension.tellLater { [weak self, weak suspension] in
        guard let self, self.state.withLock({ $0.status }) == .unknown else { return }
        let (status, info, error) = Self.state(after: outcome)
        suspension?.change(self.newKeys(status: status, info: info, error: error), of: self.observations) {
          self.become(status: status, info: info, error: error)
        }
      }
    }
  }

  nonisolated private static func state(
    after outcome: AssetLoader.Outcome
  ) -> (status: Status, info: ItemInfo?, error: AVError?) {
    switch outcome {
    case .success(let values):
      guard let info = values.info else { return (.failed, nil, .nothingToPlay) }
      return (.readyToPlay, info, nil)
    case .failure(let error): return (.failed, nil, error)
    }
  }

  /// What changes by `become`.
  nonisolated func newKeys(
    status: Status, info: ItemInfo? = nil, error: AVError? = nil
  ) -> Set<ObservedKey> {
    let before = state.withLock { $0 }
    var keys: Set<ObservedKey> = []
    if status != before.status { keys.insert(.status) }
    if let info, info != before.info { keys.insert(.duration) }
    if error != nil { keys.insert(.error) }
    return keys
  }

  /// What changes with its buffer.
  nonisolated func newKeys(buffer: BufferState) -> Set<ObservedKey> {
    let before = state.withLock { $0.buffer }
    var keys: Set<ObservedKey> = []
    if buffer.isEmpty != before.isEmpty { keys.insert(.isPlaybackBufferEmpty) }
    if buffer.isLikelyToKeepUp != before.isLikelyToKeepUp { keys.insert(.isPlaybackLikelyToKeepUp) }
    if buffer.isFull != before.isFull { keys.insert(.isPlaybackBufferFull) }
    return keys
  }

  /// The item is known to be ready or not to be playable.
  nonisolated func become(status: Status, info: ItemInfo? = nil, error: AVError? = nil) {
    state.withLock { state in
      state.status = status
      state.info = info ?? state.info
      state.error = error
    }
  }

  /// Implements all forms of `seek`. `isDirect`: the completion may be called on any thread.
  nonisolated func seek(
    to time: CMTime, tolerances: [CMTime], isDirect: Bool = false, completion: (@Sendable (Bool) -> Void)?
  ) {
    let seconds = time.secondsToSeek(tolerances: tolerances)
    let isExact = !tolerances.isEmpty && tolerances.allSatisfy { $0 == .zero }
    guard let (core, id) = attachment else {
      state.withLock { $0.place = time.isNumeric ? max(time, .zero) : .zero }
      completion.map { asset.loader.environment().suspension.deferred($0)(true) }
      return
    }
    let duration = knownState.info?.duration ?? .indefinite
    let isOutside =
      seconds < 0 || duration.isNumeric && seconds > duration.seconds || knownState.info?.live != nil
    if !isOutside, core.knownCurrent?.id == id {
      core.seek(
        self, id, to: time, seconds: seconds, isExact: isExact, isDirect: isDirect, completion: completion)
      return
    }
    if !isOutside {
      state.withLock { $0.place = time }
      core.engine.setStart(seconds, of: id)
    }
    completion.map { core.deferred($0, isDirect: isDirect)(!isOutside) }
  }
}

extension CMTime {
  /// Whether `other` is the nearest time to this one in its timescale.
  fileprivate func rounds(to other: CMTime) -> Bool {
    guard isNumeric, other.isNumeric else { return false }
    return convertScale(other.timescale, method: .roundHalfAwayFromZero).value == other.value
  }
}

extension CMTime {
  /// The seconds to seek to, checked as Apple's items check them. An infinite time is the farthest there is on that side.
  func secondsToSeek(tolerances: [CMTime] = []) -> Double {
    precondition(
      isValid && !isIndefinite, "Seeking is not possible to time \(isValid ? "{INDEFINITE}" : "{INVALID}")")
    for tolerance in tolerances {
      precondition(
        tolerance.isValid && !tolerance.isIndefinite && tolerance >= .zero,
        "Seeking is not possible with an invalid or negative tolerance")
    }
    // Far beyond any medium, and its frames still far within 64 bits at every sample rate.
    return min(max(seconds, -4e9), 4e9)
  }
}
