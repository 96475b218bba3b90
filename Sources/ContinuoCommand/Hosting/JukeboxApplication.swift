import AppLifecycle
import Continuo
import ControlProtocol
import Dispatch
import Foundation
import Jukebox

/// The application that a device runs: a player for the jukebox. It exists from a launch to a termination.
@MainActor
final class JukeboxApplication {
  /// What its observers see.
  enum Event {
    /// Something of a song.
    case song(JukeboxPlayer.Event)
    /// Whether time moves, and if it waits, why.
    case timeControlStatus(TimeControlStatus, reason: String?)
    /// An interruption begins or ends.
    case interruption
    /// Nothing can be decoded any more: no memory, no descriptors. The player stays where it is for good.
    case playerFailed((any Error)?)
  }

  /// What plays.
  let player = AVQueuePlayer()
  private let host: JukeboxHost
  private let sound: SoundState
  private let onEvent: @MainActor (Event) -> Void
  private var observations: [NSKeyValueObservation] = []
  private var interruptions: (any NSObjectProtocol)?

  /// Gives the jukebox a player, which goes on where the last one was. `onEvent` is called for what happens, in order.
  init(host: JukeboxHost, sound: SoundState, onEvent: @escaping @MainActor (Event) -> Void) {
    self.host = host
    self.sound = sound
    self.onEvent = onEvent
    host.setPlayer(player) { event in onEvent(.song(event)) }
    observations = [
      player.observe(\.status) { [weak self] player, _ in
        MainActor.assumeIsolated {
          if player.status == .failed { self?.onEvent(.playerFailed(player.error)) }
        }
      },
      player.observe(\.timeControlStatus) { [weak self] _, _ in
        MainActor.assumeIsolated { self?.timeControlChanged() }
      },
    ]
    interruptions = NotificationCenter.default.addObserver(
      forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: nil
    ) { [weak self] note in
      let type = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
      let options = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
      MainActor.assumeIsolated {
        self?.interrupted(
          type.flatMap(AVAudioSession.InterruptionType.init), .init(rawValue: options ?? 0))
      }
    }
    updateHold()
  }

  /// Says what the application is for, as it has to at every launch: music is for the background too. During an
  /// interruption the session is not activated; the first sound after that does so.
  static func activateSession() throws {
    let session = AVAudioSession.sharedInstance()
    try session.setCategory(.playback)
    if !session.isInterrupted { try session.setActive(true) }
  }

  /// Takes the player away; the jukebox remembers where it was.
  func stop() {
    for observation in observations { observation.invalidate() }
    if let interruptions { NotificationCenter.default.removeObserver(interruptions) }
    host.setPlayer(nil)
    player.pause()
    player.removeAllItems()
    sound.setSounding(false)
  }

  /// The song that is current, as last told.
  var song: QueuedSong? { host.song(of: player.currentItem) }

  /// The present time control status, and if it waits, why.
  var timeControl: (status: TimeControlStatus, reason: String?) {
    switch player.timeControlStatus {
    case .paused: (.paused, nil)
    case .playing: (.playing, nil)
    case .waitingToPlayAtSpecifiedRate:
      (.waitingToPlayAtSpecifiedRate, player.reasonForWaitingToPlay?.rawValue)
    }
  }

  // MARK: What holds sound back

  /// Sound is held back while a client has switched the output off, and during an interruption: the player has paused
  /// itself then, and may not play.
  func updateHold() { host.setHeld(sound.isSwitchedOff || AVAudioSession.sharedInstance().isInterrupted) }

  private func interrupted(
    _ type: AVAudioSession.InterruptionType?, _ options: AVAudioSession.InterruptionOptions
  ) {
    // The pause first: the other way round there would be a moment of sound.
    if type == .ended, !options.contains(.shouldResume) { try? host.change { $0.pause(true) } }
    updateHold()
    onEvent(.interruption)
  }

  // MARK: What observers see

  private func timeControlChanged() {
    sound.setSounding(player.timeControlStatus == .playing)
    sound.setHungry(player.reasonForWaitingToPlay == .toMinimizeStalls)
    let (status, reason) = timeControl
    host.afterNotices { [onEvent] in onEvent(.timeControlStatus(status, reason: reason)) }
  }
}
