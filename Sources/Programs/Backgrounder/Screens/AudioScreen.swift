import Continuo
import Dispatch
import Foundation

/// Plays a queue of songs, and shows the current song and the elapsed time.
final class AudioScreen: Screen {
  private var player = AVQueuePlayer()
  /// The elapsed time. It changes a hundred times a second: more than anyone wants to read.
  private var timeText = ""
  private var songObservation: NSKeyValueObservation?
  private var statusObservations: [NSKeyValueObservation] = []
  private var timeObserver: Any?

  override func viewDidLoad() {
    do { try AVAudioSession.sharedInstance().setCategory(.playback) } catch {
      print("Failed to set audio session category. Error: \(error)")
    }
    // The queue of an earlier launch, which the system has terminated.
    if let snapshot = PlaybackEnvironment.current.takeRestorableSnapshots().first {
      player = AVQueuePlayer(snapshot: snapshot)
      print("Restored")
    } else {
      player = AVQueuePlayer(items: parts.songs.map { AVPlayerItem(url: $0) })
    }
    player.actionAtItemEnd = .advance
    songObservation = player.observe(\.currentItem, options: [.initial, .new]) { [weak self] player, _ in
      MainActor.assumeIsolated { self?.showSong(player.currentItem) }
    }
    statusObservations = player.items().map { item in
      item.observe(\.status) { [weak self] item, _ in
        MainActor.assumeIsolated { self?.showFailure(of: item) }
      }
    }
    timeObserver = player.addPeriodicTimeObserver(
      forInterval: CMTime(value: 1, timescale: 100), queue: .main
    ) { [weak self] time in
      MainActor.assumeIsolated { self?.showTime(time) }
    }
    observe(AVAudioSession.interruptionNotification) { [weak self] note in
      let type = (note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt)
        .flatMap(AVAudioSession.InterruptionType.init)
      let options = AVAudioSession.InterruptionOptions(
        rawValue: note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0)
      MainActor.assumeIsolated { self?.interrupted(type, options) }
    }
  }

  isolated deinit { if let timeObserver { player.removeTimeObserver(timeObserver) } }

  override func buttonTapped() {
    if player.timeControlStatus == .paused { player.play() } else { player.pause() }
  }

  private func showSong(_ item: AVPlayerItem?) { print("Song: \(item.map(name) ?? "none")") }

  /// Reports an item that cannot be played. The queue continues without it.
  private func showFailure(of item: AVPlayerItem) {
    guard item.status == .failed else { return }
    print("Cannot play \(name(of: item)): \(item.error?.localizedDescription ?? "")")
  }

  private func name(of item: AVPlayerItem) -> String {
    (item.asset as? AVURLAsset)?.url.lastPathComponent ?? "none"
  }

  private func showTime(_ time: CMTime) {
    timeText = String(format: "%02.2f", CMTimeGetSeconds(time))
    if UIApplication.shared.applicationState != .active { print("Background: \(timeText)") }
  }

  private func interrupted(
    _ type: AVAudioSession.InterruptionType?, _ options: AVAudioSession.InterruptionOptions
  ) {
    switch type {
    case .began: print("Interrupted at \(timeText)")
    case .ended:
      print("Interruption is over")
      if options.contains(.shouldResume) { player.play() }
    default: break
    }
  }
}
