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
  var loadedKeys = ["duration"]
  var attachment: Attachment?
  var status = AVPlayerItem.Status.unknown
  var error: AVError?
  var info: ItemInfo?
  /// Where it will start, or stood last.
  var place = CMTime.zero
  var forwardPlaybackEndTime = CMTime.invalid
  var preferredForwardBufferDuration: TimeInterval = 0
  var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain

  init(asset: AVAsset, loadedKeys: [String] = ["duration"]) {
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
  /// The queue that the item is in, as far as the engine knows now, and its number there.
  nonisolated var attachment: (core: PlayerCore, id: ItemID)? {
    guard let attachment = state.withLock({ $0.attachment }), let core = attachment.core,
      core.engine.contains(attachment.id)
    else { return nil }
    return (core, attachment.id)
  }

  /// The state that observers were told; off the main queue the engine's present state.
  nonisolated var knownState: (status: Status, info: ItemInfo?) {
    let (status, info, attachment) = state.withLock { ($0.status, $0.info, $0.attachment) }
    guard status == .unknown, let attachment, let core = attachment.core, !core.readsMirror,
      let present = core.engine.info(of: attachment.id)
    else { return (status, info) }
    return (.readyToPlay, present)
  }

  nonisolated var wholeRange: [NSValue] {
    guard let duration = knownState.info?.duration, duration.isNumeric else { return [] }
    return [NSValue(timeRange: CMTimeRange(start: .zero, duration: duration))]
  }

  nonisolated var place: CMTime {
    let (attachment, place, end) = state.withLock { ($0.attachment, $0.place, $0.end) }
    guard let attachment, let core = attachment.core else { return place }
    return core.time(of: attachment.id)
      ?? (core.engine.contains(attachment.id) || !end.isNumeric ? place : end)
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

  /// Makes the observers of the item and of its player check it for changes that the engine does not report.
  nonisolated func announceChange() {
    guard let core = state.withLock({ $0.attachment?.core }) else {
      // In no queue: nobody but its own observers can see it.
      asset.loader.environment().suspension.announce(observations)
      return
    }
    core.announceChange(of: self)
  }

  /// Implements all forms of `seek`. `isDirect`: the completion may be called on any thread.
  nonisolated func seek(
    to time: CMTime, tolerances: [CMTime], isDirect: Bool = false, completion: (@Sendable (Bool) -> Void)?
  ) {
    let seconds = SeekTarget.seconds(of: time, tolerances: tolerances)
    guard let (core, id) = attachment else {
      state.withLock { $0.place = time.isNumeric ? max(time, .zero) : .zero }
      completion.map { asset.loader.environment().suspension.deferred($0)(true) }
      return
    }
    let completion = completion.map { core.deferred($0, isDirect: isDirect) }
    let duration = core.engine.info(of: id)?.duration ?? .indefinite
    if seconds < 0 || duration.isNumeric && seconds > duration.seconds {
      completion?(false)
    } else if core.engine.currentItem == id {
      core.engine.seek(toSeconds: seconds, completion: completion)
    } else {
      state.withLock { $0.place = time }
      core.engine.setStart(seconds, of: id)
      completion?(true)
    }
    core.deliver()
  }
}

/// What a seek asks for, checked as Apple's items check it.
enum SeekTarget {
  /// Far beyond any medium, and its frames still far within 64 bits at every sample rate.
  private static let farthest = 4e9

  /// `time` in seconds. An infinite one is the farthest there is on that side.
  static func seconds(of time: CMTime, tolerances: [CMTime] = []) -> Double {
    precondition(
      time.isValid && !time.isIndefinite,
      "Seeking is not possible to time \(time.isValid ? "{INDEFINITE}" : "{INVALID}")")
    for tolerance in tolerances {
      precondition(
        tolerance.isValid && !tolerance.isIndefinite && tolerance >= .zero,
        "Seeking is not possible with an invalid or negative tolerance")
    }
    return min(max(time.seconds, -farthest), farthest)
  }
}
