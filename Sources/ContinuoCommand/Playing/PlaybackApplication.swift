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
    /// How far it was heard.
    var time: CMTime
    /// Whether it played.
    var isPlaying: Bool
    var volume: Float
    var isMuted: Bool
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
  /// Called when there is no audio session to be had.
  var onSessionFailure: (@MainActor (any Error) -> Void)?
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
  func start(_ restoration: Restoration?) {
    feeder.onFailure = { [weak self] index, error in self?.itemFailed(index, error) }
    beginSession()
    feeder.topUp()
    if let restoration {
      player.volume = restoration.volume
      player.isMuted = restoration.isMuted
      player.seek(to: restoration.time, toleranceBefore: .zero, toleranceAfter: .zero)
    }
    if restoration?.isPlaying ?? true { player.play() }
    observePlayer()
    // Whenever the system likes. There is nothing to fetch: the answer is that at once.
    system.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
  }

  /// What a launch has to begin with to go on from where the system took `snapshot`; nil after the last file.
  func restoration(_ snapshot: PlayerSnapshot) -> Restoration? {
    guard let position = snapshot.position else { return nil }
    return Restoration(
      index: feeder.index(ofLast: snapshot.items.count) + snapshot.currentIndex, time: position.time,
      isPlaying: snapshot.rate != 0, volume: snapshot.volume, isMuted: snapshot.isMuted)
  }

  /// Music is for the background too.
  private func beginSession() {
    let session = AVAudioSession.sharedInstance()
    do {
      try session.setCategory(.playback)
      try session.setActive(true)
    } catch {
      onSessionFailure?(error)
    }
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

  /// An interruption has paused the player.
  private func interrupted() { wasInterrupted = true }

  /// It is over: goes on with what it paused, if that is wanted.
  private func interruptionEnded(_ options: AVAudioSession.InterruptionOptions) {
    if wasInterrupted, options.contains(.shouldResume) { player.play() }
    wasInterrupted = false
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
      center.addObserver(forName: AVPlayer.rateDidChangeNotification, object: player, queue: nil) {
        [weak self] note in
        let reason = note.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
        guard reason == .audioSessionInterrupted else { return }
        MainActor.assumeIsolated { self?.interrupted() }
      },
      center.addObserver(forName: AVAudioSession.interruptionNotification, object: nil, queue: nil) {
        [weak self] note in
        let type = (note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt)
          .flatMap(AVAudioSession.InterruptionType.init)
        guard type == .ended else { return }
        let options = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
        MainActor.assumeIsolated { self?.interruptionEnded(.init(rawValue: options)) }
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
