import AppLifecycle
import Continuo
import ControlProtocol
import Foundation
import Jukebox

/// The application that a server's device runs: a player for the jukebox. It exists from a launch to a termination.
@MainActor
final class ServedApplication {
  /// What plays.
  let player = AVQueuePlayer()
  private let host: JukeboxHost
  private let sound: SoundState
  private let onEvent: @MainActor (WatchRecord.Event) -> Void
  private var observation: NSKeyValueObservation?

  /// Gives the jukebox a player. `onEvent` is called for what happens to it, in order.
  init(host: JukeboxHost, sound: SoundState, onEvent: @escaping @MainActor (WatchRecord.Event) -> Void) {
    self.host = host
    self.sound = sound
    self.onEvent = onEvent
    host.setPlayer(player) { [weak self] event in self?.songEvent(event) }
    observation = player.observe(\.timeControlStatus, options: [.initial]) { [weak self] _, _ in
      MainActor.assumeIsolated { self?.timeControlChanged() }
    }
  }

  /// Takes the player away; the jukebox remembers where it was.
  func stop() {
    observation?.invalidate()
    host.setPlayer(nil)
    player.pause()
    player.removeAllItems()
    sound.setSounding(false)
  }

  /// The record that tells of the present state.
  var timeControlEvent: WatchRecord.Event {
    switch player.timeControlStatus {
    case .paused: .timeControlStatus("paused", reason: nil)
    case .playing: .timeControlStatus("playing", reason: nil)
    case .waitingToPlayAtSpecifiedRate:
      .timeControlStatus("waitingToPlayAtSpecifiedRate", reason: player.reasonForWaitingToPlay?.rawValue)
    }
  }

  /// The record that tells of the present song.
  var currentItemEvent: WatchRecord.Event { Self.currentItem(host.song(of: player.currentItem), host) }

  private func timeControlChanged() {
    sound.setSounding(player.timeControlStatus == .playing)
    sound.setHungry(player.reasonForWaitingToPlay == .toMinimizeStalls)
    onEvent(timeControlEvent)
  }

  private func songEvent(_ event: JukeboxPlayer.Event) {
    switch event {
    case .current(let song): onEvent(Self.currentItem(song, host))
    case .playedToEnd(let song): onEvent(.didPlayToEndTime(host.watched(song)))
    case .failed(let song, let reason):
      onEvent(.failed(host.watched(song), url: Self.url(of: song), error: reason))
    case .timeJumped(let song):
      let seconds = host.place.seconds(of: song.id) ?? 0
      onEvent(.timeJumped(host.watched(song), elapsed: Milliseconds(seconds: seconds)))
    }
  }

  private static func currentItem(_ song: QueuedSong?, _ host: JukeboxHost) -> WatchRecord.Event {
    .currentItem(song.map { host.watched($0) }, url: song.map { url(of: $0) })
  }

  private static func url(of song: QueuedSong) -> String { MediaPath(bytes: song.song.path).fileURL }
}

extension JukeboxHost {
  /// A song as records name it: where it stands now, or stood at the beginning if it is gone.
  func watched(_ song: QueuedSong) -> WatchRecord.Song {
    WatchRecord.Song(index: read { $0.queue.position(of: song.id) } ?? 0, id: song.id.rawValue)
  }
}
