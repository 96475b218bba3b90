public import AudioSession
public import Foundation
public import MediaAssets
public import Observation
import PlaybackEngine
import Synchronization

/// A track of an item. The reference to the item is weak. Any thread; no call blocks.
public final class AVPlayerItemTrack: NSObject, Sendable, KeyValueObserving, ObservedObject, Observable {
  private weak let item: AVPlayerItem?
  /// The observations of the item, through which changes of its track are announced.
  package let observations: ObservationList
  private let sound: AVAssetTrack

  init(of item: AVPlayerItem, assetTrack: AVAssetTrack) {
    self.item = item
    observations = item.observations
    sound = assetTrack
    super.init()
  }

  /// The corresponding track of the asset.
  public var assetTrack: AVAssetTrack? { sound }

  /// Whether the track is audible; if false, silence plays in its place. True by default, also in a copy of
  /// the item. A change takes effect as soon as possible, at the latest after the buffered frames that the
  /// output cannot replace. Observable.
  public var isEnabled: Bool {
    get { observations.read(.isTrackEnabled) { item?.state.withLock { $0.isTrackEnabled } ?? true } }
    set {
      guard let item else { return }
      item.set(.isTrackEnabled) {
        let isChange = item.state.withLock { state in
          defer { state.isTrackEnabled = newValue }
          return state.isTrackEnabled != newValue
        }
        guard isChange, let (core, id) = item.attachment else { return }
        core.engine.setMix(item.state.withLock { $0.mix }, of: id)
      }
    }
  }

  /// The video frame rate, in frames per second. Always 0.
  public var currentVideoFrameRate: Float { 0 }
}

nonisolated extension AVPlayerItem {
  /// The tracks: one once the item is ready, and none before. Observable.
  public var tracks: [AVPlayerItemTrack] {
    observations.note(.duration)
    guard let info = knownState.info else { return [] }
    return state.withLock { state in
      if let track = state.track { return [track] }
      let track = AVPlayerItemTrack(of: self, assetTrack: AVAssetTrack(asset: state.asset, info: info))
      state.track = track
      return [track]
    }
  }
}
