public import Foundation
import PlaybackEngine
import Synchronization

/// A track of an item. Any thread; nothing blocks. It does not keep its item.
public final class AVPlayerItemTrack: NSObject, Sendable, KeyValueObserving, ObservedObject {
  private weak let item: AVPlayerItem?
  /// Those of its item, which announces the changes.
  let observations: ObservationList
  private let sound: AVAssetTrack

  init(of item: AVPlayerItem, assetTrack: AVAssetTrack) {
    self.item = item
    observations = item.observations
    sound = assetTrack
    super.init()
  }

  /// The track of the asset.
  public var assetTrack: AVAssetTrack? { sound }

  /// Whether the track is played; true. An item whose track is not enabled passes in silence. Takes effect on what is
  /// heard from now on, at the latest behind what the output holds and does not give back. A copy of the item begins
  /// with true. Can be observed.
  public var isEnabled: Bool {
    get {
      observations.note(.isTrackEnabled)
      return item?.state.withLock { $0.isTrackEnabled } ?? true
    }
    set {
      guard let item else { return }
      item.set(.isTrackEnabled) {
        let isChange = item.state.withLock { state in
          defer { state.isTrackEnabled = newValue }
          return state.isTrackEnabled != newValue
        }
        guard isChange, let (core, id) = item.attachment else { return }
        core.engine.decodeAnew(id)
      }
    }
  }

  /// Pictures per second: 0.
  public var currentVideoFrameRate: Float { 0 }
}

extension AVPlayerItem {
  /// The tracks: one once the item is ready, and none before. Can be observed.
  nonisolated public var tracks: [AVPlayerItemTrack] {
    observations.note(.duration)
    guard let info = knownState.info else { return [] }
    return state.withLock { state in
      if let track = state.track { return [track] }
      let track = AVPlayerItemTrack(
        of: self, assetTrack: AVAssetTrack(asset: state.asset, info: info))
      state.track = track
      return [track]
    }
  }
}
