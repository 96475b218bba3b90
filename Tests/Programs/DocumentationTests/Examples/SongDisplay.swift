import Continuo
import Foundation

/// Shows which song plays, and whether it plays.
@MainActor
final class SongDisplay {
  private(set) var title = ""
  private(set) var isPlaying = false
  private(set) var isReady = false
  private var observations: [NSKeyValueObservation] = []

  init(player: AVQueuePlayer) {
    observations = [
      player.observe(\.currentItem, options: [.initial, .new]) { [weak self] player, _ in
        let song = (player.currentItem?.asset as? AVURLAsset)?.url.lastPathComponent
        MainActor.assumeIsolated { self?.title = song ?? "nothing" }
      },
      player.observe(\.timeControlStatus, options: [.initial, .new]) { [weak self] player, _ in
        let isPlaying = player.timeControlStatus == .playing
        MainActor.assumeIsolated { self?.isPlaying = isPlaying }
      },
      // In place of the string "currentItem.status".
      player.observe(\.currentItem?.status, options: [.initial, .new]) { [weak self] player, _ in
        let isReady = player.currentItem?.status == .readyToPlay
        MainActor.assumeIsolated { self?.isReady = isReady }
      },
    ]
  }
}
