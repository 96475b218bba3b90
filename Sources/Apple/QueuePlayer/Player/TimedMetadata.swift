package import AudioCore
import AudioSession
import Foundation
public import MediaAssets
import MediaTime
import PlaybackEngine
import Synchronization

nonisolated extension AVPlayerItem {
  /// The last metadata of a live stream whose frames have been heard, with the time from which on they apply:
  /// title (`icyMetadataStreamTitle`) and address (`icyMetadataStreamURL`). Nil before the first, and for
  /// files. Observable. Deprecated by Apple in favour of `AVPlayerItemMetadataOutput`.
  public var timedMetadata: [AVMetadataItem]? {
    observations.read(.timedMetadata) { state.withLock { $0.timedMetadata } }
  }

  /// The properties of the item if it is a live stream; nil for other media, and before the item is ready.
  package var live: LiveStream? { knownState.info?.live }
}

extension PlayerCore {
  /// Reports the metadata of item `id` when the first frame to which they apply is heard.
  func tell(_ tag: MediaTag, from time: CMTime, of id: ItemID) {
    guard let item = state.withLock({ $0.items[id] }), item.isNumber(id) else { return }
    let items = AVMetadataItem.items(of: tag, from: time)
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
