import AppLifecycle
import Continuo
import Foundation

/// The application that the device runs: a player with its queue, and what it observes of it. It exists from a launch
/// to a termination; the session outlives it. Everything happens on the main queue.
@MainActor
final class PlaybackApplication {
  /// What a launch after a termination begins with.
  struct Restoration: Hashable, Sendable {
    /// The file that was current.
    var index: Int
    /// What the player was.
    var snapshot: PlayerSnapshot
  }

  let player: AVQueuePlayer
  let feeder: QueueFeeder
  /// The file that is current, as last told.
  private(set) var currentIndex: Int?
  /// Called for what observers see, in order. `time` steps come only while `observesTime` is set.
  var onEvent: (@MainActor (PlayerEvent) -> Void)?
  /// Called when time in the item went on somewhere else.
  var onJump: (@MainActor () -> Void)?
  /// Called when nothing can be decoded any more: no memory, no descriptors. The player stays where it is for good.
  var onPlayerFailure: (@MainActor ((any Error)?) -> Void)?
  /// What the steps of the periodic observer say of the application.
  var state = ApplicationState.notRunning
  private let system: UIApplication
  /// The background tasks that were begun and not ended, the oldest first.
  private var tasks: [(name: String, identifier: UIBackgroundTaskIdentifier)] = []
  private var wasInterrupted = false
  private var observations: [NSKeyValueObservation] = []
  private var notifications: [any NSObjectProtocol] = []
  private var timeObserver: Any?

  init(files: [MediaPath], startingAt index: Int, on system: UIApplication) {
    self.system = system
    player = AVQueuePlayer()
    feeder = QueueFeeder(files: files, startingAt: index, player: player)
  }

  /// Fills the queue and begins to play, where it was if there is something to restore.
  ///
  /// - Throws: what the audio session says; nothing plays then.
  func start(_ restoration: Restoration?) throws {
    let session = AVAudioSession.sharedInstance()
    try session.setCategory(.playback)
    try session.setActive(true)
    feeder.onFailure = { [weak self] index, error in self?.itemFailed(index, error) }
    feeder.topUp()
    if let snapshot = restoration?.snapshot {
      player.volume = snapshot.volume
      player.isMuted = snapshot.isMuted
      if let position = snapshot.position {
        player.seek(to: position.time, toleranceBefore: .zero, toleranceAfter: .zero)
      }
    }
    if restoration?.snapshot.rate != 0 { player.play() }
    observePlayer()
    observeInterruptions()
    // Whenever the system likes. There is nothing to fetch: the answer is that at once.
    system.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
  }

  /// What a launch has to begin with to go on from `snapshot`, the player's last; nil if that was at its end.
  func restoration(from snapshot: PlayerSnapshot) -> Restoration? {
    guard snapshot.items.indices.contains(snapshot.currentIndex) else { return nil }
    let url = snapshot.items[snapshot.currentIndex].url
    // The player may be ahead of what was told, but never behind.
    let rest = feeder.files.indices.dropFirst(currentIndex ?? 0)
    return rest.first { feeder.files[$0].url == url }.map { Restoration(index: $0, snapshot: snapshot) }
  }

  // MARK: Background tasks

  /// Begins a task without an expiration handler: one that is forgotten.
  func beginTask(_ name: String) {
    let identifier = system.beginBackgroundTask(withName: name)
    if identifier != .invalid { tasks.append((name, identifier)) }
  }

  /// Ends the oldest task of that name; false if there is none.
  func endTask(_ name: String) -> Bool {
    guard let index = tasks.firstIndex(where: { $0.name == name }) else { return false }
    system.endBackgroundTask(tasks.remove(at: index).identifier)
    return true
  }

  // MARK: Interruptions

  /// The player pauses itself when an interruption begins; it goes on if that paused it and it may.
  private func interruptionChanged(_ type: AVAudioSession.InterruptionType?, mayResume: Bool) {
    guard type == .ended else { return }
    if wasInterrupted, mayResume { player.play() }
    wasInterrupted = false
  }

  private func observeInterruptions() {
    let center = NotificationCenter.default
    notifications += [
      center.addObserver(forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil) {
        [weak self] note in
        let reason = note.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
        guard reason == .audioSessionInterrupted else { return }
        MainActor.assumeIsolated { self?.wasInterrupted = true }
      },
      center.addObserver(
        forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: nil
      ) { [weak self] note in
        let type = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
        let options = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
        let mayResume = AVAudioSession.InterruptionOptions(rawValue: options ?? 0).contains(.shouldResume)
        MainActor.assumeIsolated {
          self?.interruptionChanged(type.flatMap(AVAudioSession.InterruptionType.init), mayResume: mayResume)
        }
      },
    ]
  }

  // MARK: The player

  /// Observes nothing any more.
  func stop() {
    observesTime = false
    for observation in observations { observation.invalidate() }
    for notification in notifications { NotificationCenter.default.removeObserver(notification) }
    observations = []
    notifications = []
    feeder.onFailure = nil
  }

  /// A periodic observer runs only where somebody looks at it: each call costs a wake-up.
  var observesTime: Bool {
    get { timeObserver != nil }
    set {
      if newValue, timeObserver == nil {
        timeObserver = player.addPeriodicTimeObserver(
          forInterval: CMTime(value: 1, timescale: 100), queue: .main
        ) { [weak self] time in
          MainActor.assumeIsolated { self?.timeReached(time) }
        }
      } else if !newValue, let observer = timeObserver {
        player.removeTimeObserver(observer)
        timeObserver = nil
      }
    }
  }

  private func observePlayer() {
    observations = [
      player.observe(\.currentItem, options: [.initial]) { [weak self] _, _ in
        MainActor.assumeIsolated { self?.currentItemChanged() }
      },
      player.observe(\.timeControlStatus, options: [.initial]) { [weak self] _, _ in
        MainActor.assumeIsolated { self?.timeControlChanged() }
      },
      player.observe(\.status) { [weak self] player, _ in
        MainActor.assumeIsolated {
          if player.status == .failed { self?.onPlayerFailure?(player.error) }
        }
      },
    ]
    let center = NotificationCenter.default
    notifications = [
      center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: nil) {
        [weak self] note in
        let item = note.object as? AVPlayerItem
        MainActor.assumeIsolated {
          guard let self, let index = self.feeder.index(of: item) else { return }
          self.onEvent?(.didPlayToEndTime(index: index))
        }
      },
      center.addObserver(forName: .AVPlayerItemFailedToPlayToEndTime, object: nil, queue: nil) {
        [weak self] note in
        let item = note.object as? AVPlayerItem
        let error = note.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? any Error
        MainActor.assumeIsolated {
          guard let self, let index = self.feeder.index(of: item) else { return }
          self.itemFailed(index, error)
        }
      },
      center.addObserver(forName: AVPlayerItem.timeJumpedNotification, object: nil, queue: nil) {
        [weak self] note in
        let item = note.object as? AVPlayerItem
        MainActor.assumeIsolated {
          guard let self, self.feeder.index(of: item) != nil else { return }
          self.onJump?()
        }
      },
    ]
  }

  private func currentItemChanged() {
    let index = feeder.index(of: player.currentItem)
    feeder.topUpSoon()
    guard let index else {
      // Nothing is current: the end, unless files are still to be handed over.
      guard player.currentItem == nil, feeder.isExhausted else { return }
      currentIndex = nil
      onEvent?(.currentItem(index: nil, url: nil))
      onEvent?(.finished)
      return
    }
    guard index != currentIndex else { return }
    currentIndex = index
    onEvent?(.currentItem(index: index, url: feeder.files[index].fileURL))
  }

  private func timeControlChanged() {
    let event: PlayerEvent =
      switch player.timeControlStatus {
      case .paused: .timeControlStatus(.paused, reason: nil)
      case .playing: .timeControlStatus(.playing, reason: nil)
      case .waitingToPlayAtSpecifiedRate:
        .timeControlStatus(.waitingToPlayAtSpecifiedRate, reason: player.reasonForWaitingToPlay?.rawValue)
      }
    onEvent?(event)
  }

  private func timeReached(_ time: CMTime) {
    guard let index = currentIndex else { return }
    onEvent?(.time(index: index, value: time.value, timescale: time.timescale, state: state))
  }

  private func itemFailed(_ index: Int, _ error: (any Error)?) {
    feeder.topUpSoon()
    onEvent?(.failed(index: index, url: feeder.files[index].fileURL, error: Self.reason(error)))
  }

  /// What an error says, for a person.
  static func reason(_ error: (any Error)?) -> String {
    guard let error = error as NSError? else { return "unknown error" }
    return error.localizedFailureReason ?? error.localizedDescription
  }
}
