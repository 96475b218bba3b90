import Continuo
import Dispatch
import Foundation

/// Plays a queue of songs, and shows the current song and the elapsed time.
final class AudioScreen: Screen {
  private var player = AVQueuePlayer()
  private var timeText = ""
  /// The whole second of the time that was last shown; nil for a new song.
  private var shownSecond: Double?
  private var songObservation: NSKeyValueObservation?
  private var statusObservations: [NSKeyValueObservation] = []
  private var timeObserver: Any?

  override func viewDidLoad() {
    do {
      try AVAudioSession.sharedInstance().setCategory(parts.category, options: parts.categoryOptions)
    } catch {
      print("Failed to set audio session category. Error: \(error.localizedDescription)")
    }
    // Restores the queue of an earlier launch, which was terminated.
    if let snapshot = (PlaybackEnvironment.current.takeRestorableSnapshots() + parts.restorable).first {
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

  private func showSong(_ item: AVPlayerItem?) {
    shownSecond = nil
    print("Song: \(item.map(name) ?? Self.unknown)")
  }

  private static let unknown = "Unknown"

  /// Reports an item that cannot be played. The queue continues without it.
  private func showFailure(of item: AVPlayerItem) {
    guard item.status == .failed else { return }
    print("Cannot play \(name(of: item)): \(item.error?.localizedDescription ?? "")")
  }

  private func name(of item: AVPlayerItem) -> String {
    let name = (item.asset as? AVURLAsset)?.url.lastPathComponent ?? ""
    // The path of a server's root has no name.
    return name.isEmpty || name == "/" ? Self.unknown : name
  }

  private func showTime(_ time: CMTime) {
    timeText = String(format: "%02.2f", CMTimeGetSeconds(time))
    guard UIApplication.shared.applicationState == .active else { return print("Background: \(timeText)") }
    // The label changes a hundred times a second, more than anyone wants to read.
    let second = CMTimeGetSeconds(time).rounded(.down)
    if second != shownSecond { print("Time: \(timeText)") }
    shownSecond = second
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
