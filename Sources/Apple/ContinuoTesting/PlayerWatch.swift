import AudioSession
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer

/// Observes a player as an application does, and records the calls of the observers.
@MainActor final class PlayerWatch {
  private let player: AVPlayer
  private var observations: [NSKeyValueObservation] = []
  private var notifications: [any NSObjectProtocol] = []
  private var timeObserver: Any?

  init(_ player: AVPlayer, interval: CMTime, name: String?, recorder: Recorder) {
    self.player = player
    let prefix = name.map { "\($0) " } ?? ""
    let item: @Sendable (AVPlayerItem?) -> String = { item in
      (item?.asset as? AVURLAsset)?.url.deletingPathExtension().lastPathComponent ?? "none"
    }
    observations = [
      player.observe(\.currentItem, options: [.initial]) { player, _ in
        recorder.add("\(prefix)item \(item(player.currentItem))")
      },
      player.observe(\.timeControlStatus, options: [.initial, .old, .new]) { player, change in
        guard change.newValue != change.oldValue else { return }
        recorder.add("\(prefix)\(Self.text(of: player.timeControlStatus))")
      },
    ]
    timeObserver = player.addPeriodicTimeObserver(forInterval: interval, queue: nil) { time in
      recorder.add(time, step: interval, player: prefix)
    }
    let center = NotificationCenter.default
    notifications = [
      center.addObserver(forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil) { note in
        guard let player = note.object as? AVPlayer else { return }
        let reason = note.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
        recorder.add("\(prefix)rate \(player.rate)" + (reason.map { " (\(Self.text(of: $0)))" } ?? ""))
      },
      center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: nil) {
        [weak player] note in
        // The observer receives the notifications of the items of all players.
        guard let ended = note.object as? AVPlayerItem, ended.isPlayed(by: player) else { return }
        recorder.add("\(prefix)played to end \(item(ended))")
      },
    ]
  }

  /// Removes all observers except the time observer, which ends when the device closes the players.
  func close() {
    for observation in observations { observation.invalidate() }
    for notification in notifications { NotificationCenter.default.removeObserver(notification) }
  }

  private nonisolated static func text(of status: AVPlayer.TimeControlStatus) -> String {
    switch status {
    case .paused: "paused"
    case .waitingToPlayAtSpecifiedRate: "waiting"
    case .playing: "playing"
    }
  }

  private nonisolated static func text(of reason: AVPlayer.RateDidChangeReason) -> String {
    switch reason {
    case .setRateCalled: "set"
    case .setRateFailed: "failed"
    case .audioSessionInterrupted: "interrupted"
    case .appBackgrounded: "in the background"
    default: reason.rawValue
    }
  }
}
