import Continuo

// Code of the kinds that clients have, in Swift 5 mode: it only has to compile as it does on Apple's systems.

/// The start of an application, as in a `main.swift`. Never called.
func startApplication() {
  UIApplicationMain(CommandLine.argc, CommandLine.unsafeArgv, nil, nil)
}

/// A player of its own that retries seeks, as streaming players do.
class RetryingQueuePlayer: AVQueuePlayer {
  private var targetTime: CMTime?

  override init() { super.init() }
  override init(items: [AVPlayerItem]) { super.init(items: items) }
  override init(url: URL) { super.init(url: url) }
  override init(playerItem: AVPlayerItem?) { super.init(playerItem: playerItem) }

  override func seek(to time: CMTime) {
    seek(to: time, toleranceBefore: .positiveInfinity, toleranceAfter: .positiveInfinity)
  }

  override func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
    seek(to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter) { _ in }
  }

  override func seek(
    to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime,
    completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    super.seek(
      to: time, toleranceBefore: toleranceBefore, toleranceAfter: toleranceAfter,
      completionHandler: completionHandler)
  }

  override func addPeriodicTimeObserver(
    forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
  ) -> Any {
    super.addPeriodicTimeObserver(forInterval: interval, queue: queue, using: block)
  }
}

/// Counts what its rate is set to, by whom ever.
class MeteredPlayer: AVPlayer {
  private(set) var rates: [Float] = []

  override var rate: Float {
    didSet { rates.append(rate) }
  }
}

/// A fake for a client's own tests.
class FakePlayer: AVPlayer {
  var fakeItem: AVPlayerItem?
  var fakeStatus = AVPlayer.Status.readyToPlay
  override var currentItem: AVPlayerItem? { fakeItem }
  override var status: AVPlayer.Status { fakeStatus }
  override var rate: Float {
    get { 1 }
    set {}
  }
  override func removeTimeObserver(_ observer: Any) {}
}

class FakeItem: AVPlayerItem {
  var fakeDuration = CMTime(seconds: 3, preferredTimescale: CMTimeScale(NSEC_PER_SEC))
  override var duration: CMTime { fakeDuration }
  override var loadedTimeRanges: [NSValue] {
    [NSValue(timeRange: CMTimeRange(start: .zero, duration: fakeDuration))]
  }
  override var isPlaybackLikelyToKeepUp: Bool { true }
  override var isPlaybackBufferEmpty: Bool { false }
}

/// An item that brings its bytes itself, as items that keep what they played do. Of an item's initialisers one alone is
/// designated on Apple's systems: these take the places of the others, and override nothing.
class KeptItem: AVPlayerItem {
  let name: String

  convenience init(url: URL) { self.init(url: url, name: url.lastPathComponent) }

  init(url: URL, name: String) {
    self.name = name
    super.init(asset: AVURLAsset(url: url), automaticallyLoadedAssetKeys: nil)
  }

  init(asset: AVAsset) {
    name = "asset"
    super.init(asset: asset, automaticallyLoadedAssetKeys: ["duration"])
  }

  override init(asset: AVAsset, automaticallyLoadedAssetKeys: [String]?) {
    name = "keys"
    super.init(asset: asset, automaticallyLoadedAssetKeys: automaticallyLoadedAssetKeys)
  }
}

/// What applications show of the route. Most of these devices are no sinks of a server here.
func symbol(of port: AVAudioSession.Port) -> String {
  switch port {
  case .builtInSpeaker, .builtInReceiver: return "phone"
  case .headphones, .headsetMic: return "headphones"
  case .bluetoothA2DP, .bluetoothHFP, .bluetoothLE: return "bluetooth"
  case .airPlay: return "airplay"
  case .carAudio: return "car"
  case .HDMI, .displayPort, .thunderbolt, .lineOut, .usbAudio: return "cable"
  case .builtInMic, .lineIn: return "microphone"
  default: return "speaker"
  }
}

/// A model that does not know of actors and captures itself everywhere.
class Jukebox {
  let player = AVPlayer()
  var tokens: [NSKeyValueObservation] = []
  var timeToken: Any?
  var boundaryToken: Any?
  var log: [String] = []

  init() {
    player.automaticallyWaitsToMinimizeStalling = false
    tokens.append(
      player.observe(\.status, options: [.new, .old]) { [unowned self] player, change in
        log.append("\(String(describing: change.oldValue)) \(player.status.rawValue)")
      })
    tokens.append(
      player.observe(\.timeControlStatus, options: .initial) { [weak self] object, _ in
        switch object.timeControlStatus {
        case .paused: self?.log.append("paused")
        case .playing: self?.log.append("playing")
        case .waitingToPlayAtSpecifiedRate:
          self?.log.append(object.reasonForWaitingToPlay == .noItemToPlay ? "nothing" : "waiting")
        @unknown default: break
        }
      })
    tokens.append(
      player.observe(\.currentItem?.isPlaybackLikelyToKeepUp) { [weak self] _, _ in self?.log.append("keepUp")
      })
    tokens.append(
      player.observe(\.currentItem!.loadedTimeRanges) { [weak self] _, _ in self?.log.append("loaded") })
    timeToken = player.addPeriodicTimeObserver(
      forInterval: CMTime(seconds: 0.5, preferredTimescale: CMTimeScale(NSEC_PER_SEC)),
      queue: DispatchQueue.main
    ) { [weak self] time in
      self?.log.append("\(time.seconds)")
    }
    boundaryToken = player.addBoundaryTimeObserver(
      forTimes: [NSValue(time: CMTimeMake(value: 1, timescale: 1000))], queue: nil
    ) { [weak self] in
      self?.log.append("started")
    }
    _ = NotificationCenter.default.addObserver(
      forName: AVPlayerItem.failedToPlayToEndTimeNotification, object: nil, queue: .main
    ) { [weak self] note in
      let error = note.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? NSError
      self?.log.append(error?.localizedDescription ?? "")
    }
  }

  func load(_ url: URL) {
    let asset = AVURLAsset(url: url, options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
    asset.loadValuesAsynchronously(forKeys: ["playable", "duration"]) { [weak self] in
      var error: NSError?
      switch asset.statusOfValue(forKey: "playable", error: &error) {
      case .loaded:
        DispatchQueue.main.async {
          self?.play(AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: ["playable"]))
        }
      case .failed: self?.log.append(error?.localizedDescription ?? "")
      default: break
      }
    }
  }

  func play(_ item: AVPlayerItem) {
    player.replaceCurrentItem(with: item)
    player.seek(to: CMTime(seconds: 1, preferredTimescale: 1000)) { [weak self] finished in
      self?.log.append("\(finished)")
    }
    player.playImmediately(atRate: player.defaultRate)
  }

  func stop() {
    player.pause()
    player.replaceCurrentItem(with: nil)
    if let timeToken = timeToken { player.removeTimeObserver(timeToken) }
    if let boundaryToken = boundaryToken { player.removeTimeObserver(boundaryToken) }
    timeToken = nil
    boundaryToken = nil
    tokens.forEach { $0.invalidate() }
    tokens = []
  }

  deinit { stop() }
}
