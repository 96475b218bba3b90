import AppLifecycle
package import Continuo
package import ControlProtocol
import Dispatch
import Foundation
package import Jukebox
import Transfer

/// The application that a device runs: a player for the jukebox, what is observed of it, and its background tasks. It
/// exists from a launch to a termination; the session outlives it. Everything happens on the main queue.
@MainActor
package final class JukeboxApplication {
  /// What plays.
  package let player = AVQueuePlayer()
  /// Called for each `observedStep` that is heard; in order with what `onEvent` hears.
  package var onStep: (@MainActor (CMTime) -> Void)?
  private let host: JukeboxHost
  private let sound: SoundState
  private let onEvent: @MainActor (JukeboxEvent) -> Void
  private let system: UIApplication
  /// The background tasks that were begun and not ended, the oldest first.
  private var tasks: [(name: String, identifier: UIBackgroundTaskIdentifier)] = []
  private var timeObserver: Any?
  private var observations: [NSKeyValueObservation] = []
  private var interruptions: (any NSObjectProtocol)?

  /// Gives the jukebox a player, which goes on where the last one was. `onEvent` is called for what happens, in order.
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
        self?.interrupted(
          type.flatMap(AVAudioSession.InterruptionType.init), .init(rawValue: options ?? 0))
      }
    }
    updateHold()
  }

  /// Says what the application is for, as it has to at every launch: music is for the background too. During an
  /// interruption the session is not activated; the first sound after that does so.
  package static func activateSession() throws {
    let session = AVAudioSession.sharedInstance()
    try session.setCategory(.playback)
    if !session.isInterrupted { try session.setActive(true) }
  }

  /// Takes the player away; the jukebox remembers where it was.
  package func stop() {
    observedStep = nil
    for observation in observations { observation.invalidate() }
    if let interruptions { NotificationCenter.default.removeObserver(interruptions) }
    host.setPlayer(nil)
    player.pause()
    player.removeAllItems()
    sound.setSounding(false)
  }

  /// The song that is current, as last told.
  package var song: QueuedSong? { host.song(of: player.currentItem) }

  /// The present time control status, and if it waits, why.
  package var timeControl: (status: TimeControlStatus, reason: String?) {
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
  private func updateHold() { host.setHeld(sound.isHeldBack) }

  private func interrupted(
    _ type: AVAudioSession.InterruptionType?, _ options: AVAudioSession.InterruptionOptions
  ) {
    // The pause first: the other way round there would be a moment of sound.
    if type == .ended, !options.contains(.shouldResume) { try? host.change { $0.pause(true) } }
    updateHold()
    onEvent(.interruption)
  }

  // MARK: Background tasks

  /// Begins a task without an expiration handler: one that is forgotten.
  package func beginTask(_ name: String) {
    let identifier = system.beginBackgroundTask(withName: name)
    if identifier != .invalid { tasks.append((name, identifier)) }
  }

  /// Ends the oldest task of that name; false if there is none.
  package func endTask(_ name: String) -> Bool {
    guard let index = tasks.firstIndex(where: { $0.name == name }) else { return false }
    system.endBackgroundTask(tasks.remove(at: index).identifier)
    return true
  }

  // MARK: What observers see

  /// The steps of time that `onStep` is called for, in hundredths of a second: 1 or more; nil for none.
  package var observedStep: Int64? {
    didSet {
      guard observedStep != oldValue else { return }
      if let observer = timeObserver { player.removeTimeObserver(observer) }
      host.place.expect(step: nil)
      timeObserver = observedStep.map { step in
        let interval = CMTime(value: step, timescale: 100)
        return player.addPeriodicTimeObserver(forInterval: interval, queue: .main) { [weak self] time in
          MainActor.assumeIsolated {
            self?.host.place.expect(step: time + interval)
            self?.onStep?(time)
          }
        }
      }
    }
  }

  /// A file that is read slowly is the disk's business for longer than the network is what a URL waits for.
  private func updateHunger() {
    let reason = player.reasonForWaitingToPlay
    let host = song?.song.locator.url?.host
    let isWaiting = reason == .toMinimizeStalls || host != nil && reason == .evaluatingBufferingRate
    sound.setHungry(isWaiting, host: isWaiting ? host : nil, hasStalled: reason == .toMinimizeStalls)
  }

  private func timeControlChanged() {
    // Before it is known that sound stands: that is what tells a stall from a start.
    updateHunger()
    sound.setSounding(player.timeControlStatus == .playing)
    let (status, reason) = timeControl
    host.afterNotices { [onEvent] in onEvent(.timeControlStatus(status, reason: reason)) }
  }
}
