import AudioCore
import HostTime
import MediaTime

// Live streams: what they say about themselves while they play, and what becomes of them while the player stands still.
extension EngineMachine {
  /// The player stands still because that was asked for.
  var isStanding: Bool { rate == 0 || isSuspended }

  /// The rate, or whether the application is suspended, has changed. What a live stream had decoded is not played behind a
  /// pause for which it has no patience.
  mutating func lookAtStanding(now: HostTime) {
    guard !isStanding else {
      standsSince = standsSince ?? now
      return
    }
    guard let since = standsSince.take() else { return }
    let seconds = now.seconds(since: since)
    if let current, let patience = currentInfo?.live?.patience {
      guard seconds >= patience else { return }
      let start = restingPosition.map { DecodeStart.frame($0.frame) } ?? .seconds(resting)
      discontinue(to: .start(current, start), resting: resting)
    } else if let next = cursor.item, let patience = queue[next]?.info?.live?.patience, seconds >= patience {
      splice()
    }
  }

  /// The decoder has read frames of `item` from which on it says this about itself.
  mutating func decoderFound(_ tags: [TimedTag], in item: ItemID, generation: UInt64) {
    guard generation == self.generation else { return }
    queue.update(item) { $0.tags += tags }
  }

  /// Tells what the current item says about itself up to `place`, each behind the steps before it. Returns up to where in
  /// seconds the steps were delivered.
  mutating func tellTags(from start: Double, upTo place: ItemPosition) -> Double {
    guard let current, let record = queue[current], let first = record.tags.first, first.frame <= place.frame
    else { return start }
    var told = start
    for tag in record.tags where tag.frame <= place.frame {
      guard tag.tag != queue[current]?.toldTag else { continue }
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

  /// When in the current item it says the next thing about itself, in seconds; nil if that is not known.
  var nextTagSeconds: Double? {
    guard let current, let info = currentInfo, let tag = queue[current]?.tags.first else { return nil }
    return Double(tag.frame) / Double(info.format.sampleRate)
  }
}
