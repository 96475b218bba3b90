import AudioCore
import Clocks
import MediaTime

extension EngineMachine {
  /// Whether the rate is 0 or the engine is suspended.
  var isStanding: Bool { rate == 0 || isSuspended }

  /// Handles a change of the rate or of suspension. After a pause longer than a live stream's `patience`, its
  /// decoded frames are discarded.
  mutating func lookAtStanding(now: HostTime) {
    guard !isStanding else {
      standsSince = standsSince ?? now
      return
    }
    guard let since = standsSince.take() else { return }
    let seconds = now.seconds(since: since)
    if let current, let patience = currentInfo?.live?.patience {
      guard seconds >= patience else { return }
      discontinue(to: .start(current, restingStart), resting: resting)
    } else if let next = cursor.item, let patience = queue[next]?.info?.live?.patience, seconds >= patience {
      splice()
    }
  }

  mutating func decoderFound(_ tags: [TimedTag], in item: ItemID, generation: UInt64) {
    guard generation == self.generation else { return }
    queue.update(item) { $0.tags += tags }
  }

  /// Reports the current item's tags up to `place`, each after the steps before it. Returns the time in
  /// seconds up to which steps were delivered.
  mutating func tellTags(from start: Double, upTo place: ItemPosition) -> Double {
    guard let current, let first = nextTagFrame, first <= place.frame, let tags = queue[current]?.tags
    else { return start }
    var told = start
    for tag in tags where tag.frame <= place.frame && tag.tag != queue[current]?.toldTag {
      queue.update(current) { $0.toldTag = tag.tag }
      let time = CMTime(value: tag.frame, timescale: CMTimeScale(place.itemRate))
      if time.seconds > told {
        schedule.advance(from: told, to: time.seconds, isItemEnd: true) { deliveries.append($0) }
        told = time.seconds
      }
      emit(.timedTag(current, tag.tag, time))
    }
    queue.update(current) { $0.tags.removeAll { $0.frame <= place.frame } }
    return told
  }

  /// The time of the current item's next tag in seconds; nil if unknown. Inlined, as a call from a mutating
  /// method copies the whole machine.
  @inline(__always)
  var nextTagSeconds: Double? {
    guard let frame = nextTagFrame, let itemRate else { return nil }
    return Double(frame) / Double(itemRate)
  }

  @inline(__always)
  private var nextTagFrame: Int64? {
    guard let current else { return nil }
    return queue.read(current) { $0.tags.first?.frame }
  }
}
