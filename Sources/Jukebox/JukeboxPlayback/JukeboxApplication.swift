import AppLifecycle
import AudioSession
package import Continuo
package import ControlProtocol
import Dispatch
import Foundation
package import Jukebox
import Transfer

/// The application that a device runs: the jukebox's player, its observers and its background tasks. Lives
/// from a launch to a termination; the jukebox outlives it.
@MainActor
package final class JukeboxApplication {
  package let player = AVQueuePlayer()
  /// Called each time playback reaches a multiple of `observedStep`, starts, stops or jumps, in order with
  /// the events of `onEvent`. Must be set before `observedStep`.
  package var onStep: (@MainActor (CMTime) -> Void)?
  private let host: JukeboxHost
  private let sound: SoundState
  private let onEvent: @MainActor (JukeboxEvent) -> Void
  private let system: UIApplication
  /// The background tasks that have begun and not ended, the oldest first.
  private var tasks: [(name: String, identifier: UIBackgroundTaskIdentifier)] = []
  private var timeObserver: Any?
  private var observations: [NSKeyValueObservation] = []
  private var interruptions: (any NSObjectProtocol)?

  /// Connects a new player, which has no song until the jukebox's next action. `onEvent` receives all events
  /// in order.
  package init(
    host: JukeboxHost, sound: SoundState, system: UIApplication,
    onEvent: @escaping @MainActor (JukeboxEvent) -> Void
  ) {
    self.host = host
    self.sound = sound
    self.system = system
    self.onEvent = onEvent
    host.setPlayer(player) { [weak self] event in
      if case .currentItem = event { self?.updateHunger() }
      onEvent(event)
    }
    observations = [
      player.observe(\.status) { [weak self] player, _ in
        MainActor.assumeIsolated {
          if player.status == .failed { self?.onEvent(.playerFailed(player.error)) }
        }
      },
      player.observe(\.timeControlStatus, options: [.old, .new]) { [weak self] _, change in
        guard change.newValue != change.oldValue else { return }
        MainActor.assumeIsolated { self?.timeControlChanged() }
      },
    ]
    interruptions = NotificationCenter.default.addObserver(
      forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: nil
    ) { [weak self] note in
      let type = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
      let options = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
      MainActor.assumeIsolated {
        self?.interrupted(type.flatMap(AVAudioSession.InterruptionType.init), .init(rawValue: options ?? 0))
      }
    }
    host.setHeld(sound.isHeldBack)
  }

  /// Sets the category to playback, as background audio requires, and activates the session. During an
  /// interruption the session stays inactive until the first playback after the interruption.
  package static func activateSession() throws {
    let session = AVAudioSession.sharedInstance()
    try session.setCategory(.playback)
    if !session.isInterrupted { try session.setActive(true) }
  }

  /// Disconnects the player. The jukebox keeps the current position.
  package func stop() {
    observedStep = nil
    for observation in observations { observation.invalidate() }
    if let interruptions { NotificationCenter.default.removeObserver(interruptions) }
    host.setPlayer(nil)
    player.pause()
    player.removeAllItems()
    sound.setSounding(false)
  }

  package var song: QueuedSong? { host.song(of: player.currentItem) }

  /// The player's time control status, and the reason while it waits.
  package var timeControl: (status: TimeControlStatus, reason: String?) {
    switch player.timeControlStatus {
    case .paused: (.paused, nil)
    case .playing: (.playing, nil)
    case .waitingToPlayAtSpecifiedRate:
      (.waitingToPlayAtSpecifiedRate, player.reasonForWaitingToPlay?.rawValue)
    }
  }

  // MARK: Interruptions

  private func interrupted(
    _ type: AVAudioSession.InterruptionType?, _ options: AVAudioSession.InterruptionOptions
  ) {
    // Pauses before the hold is released, because in the other order a moment of sound would be heard. During
    // an interruption the player has paused itself and must not play.
    if type == .ended, !options.contains(.shouldResume) { try? host.change { $0.pause(true) } }
    host.setHeld(sound.isHeldBack)
    onEvent(.interruption)
  }

  // MARK: Background tasks

  /// Begins a background task without an expiration handler, like a task that an application forgets to end.
  package func beginTask(_ name: String) {
    let identifier = system.beginBackgroundTask(withName: name)
    if identifier != .invalid { tasks.append((name, identifier)) }
  }

  /// Ends the oldest task with that name. Returns false if there is none.
  package func endTask(_ name: String) -> Bool {
    guard let index = tasks.firstIndex(where: { $0.name == name }) else { return false }
    system.endBackgroundTask(tasks.remove(at: index).identifier)
    return true
  }

  // MARK: Time steps

  /// The interval at which `onStep` is called, in hundredths of a second of the medium: 1 or more; nil for none.
  package var observedStep: Int64? {
    didSet {
      guard observedStep != oldValue else { return }
      if let observer = timeObserver { player.removeTimeObserver(observer) }
      let place = host.place
      place.expect(step: nil)
      // The block captures all values that stay the same, because a step of 1 calls it a hundred times a second.
      let onStep = onStep
      timeObserver = observedStep.map { step in
        let interval = CMTime(value: step, timescale: 100), seconds = interval.seconds
        return player.addMainActorObserver(forInterval: interval) { time in
          place.expect(step: time.seconds + seconds)
          onStep?(time)
        }
      }
    }
  }

  /// Reports to `sound` whether the player lacks data. While the buffering rate is being evaluated, only a
  /// remote song counts as waiting; a slow disk gets more time.
  private func updateHunger() {
    let reason = player.reasonForWaitingToPlay
    let host = song?.song.locator.url?.host
    let isWaiting = reason == .toMinimizeStalls || host != nil && reason == .evaluatingBufferingRate
    sound.setHungry(isWaiting, host: isWaiting ? host : nil, hasStalled: reason == .toMinimizeStalls)
  }

  private func timeControlChanged() {
    // Must precede `setSounding`: whether sound was playing distinguishes a stall from a start.
    updateHunger()
    sound.setSounding(player.timeControlStatus == .playing)
    let (status, reason) = timeControl
    host.afterNotices { [onEvent] in onEvent(.timeControlStatus(status, reason: reason)) }
  }
}

extension AVPlayer {
  /// Adds a periodic observer on the main queue, whose thread is the main actor's. `MainActor.assumeIsolated`,
  /// which checks that, would add 700 instructions to each of a hundred steps a second.
  package func addMainActorObserver(
    forInterval interval: CMTime, using block: @escaping @MainActor (CMTime) -> Void
  ) -> Any {
    addPeriodicTimeObserver(
      forInterval: interval, queue: .main, using: unsafeBitCast(block, to: (@Sendable (CMTime) -> Void).self))
  }
}
