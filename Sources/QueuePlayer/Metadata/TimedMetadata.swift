package import AudioCore
import Foundation
import MediaTime
import PlaybackEngine
import Synchronization

extension AVPlayerItem {
  /// What the stream said last about what is heard, with the item's time from which on that holds: of a live stream its title
  /// (`icyMetadataStreamTitle`) and the address that comes with it (`icyMetadataStreamURL`); nil before it said anything, and
  /// for files. Can be observed. Apple has deprecated it in favour of `AVPlayerItemMetadataOutput`.
  nonisolated public var timedMetadata: [AVMetadataItem]? {
    observations.note(.timedMetadata)
    return state.withLock { $0.timedMetadata }
  }
}

extension AVPlayerItem {
  /// What is known of the item if it is a live stream; nil for any other, and before it is ready.
  nonisolated package var live: LiveStream? { knownState.info?.live }
}

extension PlayerCore {
  /// The first frame is heard for which item `id` says this about itself.
  func tell(_ tag: MediaTag, from time: CMTime, of id: ItemID) {
    guard let item = state.withLock({ $0.items[id] }), item.isNumber(id) else { return }
    let items = tag.fields.map { field in
      var content = AVMetadataItem.Content(field)
      content.time = time
      return AVMetadataItem(content)
    }
    change([.timedMetadata], of: item) { item.state.withLock { $0.timedMetadata = items } }
    let range = CMTimeRange(start: time, duration: .indefinite)
    for case let output as AVPlayerItemMetadataOutput in item.outputs {
      let wanted = items.filter { output.takes($0.identifier) }
      guard !wanted.isEmpty else { continue }
      let group = AVTimedMetadataGroup(items: wanted, timeRange: range)
      guard let queue = output.delegateQueue, queue !== DispatchQueue.main else {
        engine.carryOn { output.push(group) }
        continue
      }
      let call = environment.suspension.deferred { (group: AVTimedMetadataGroup) in output.push(group) }
      queue.async { call(group) }
    }
  }
}
