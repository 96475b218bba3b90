import Continuo

/// "Playing Audio", in today's Swift: key paths instead of selectors and strings.
class AudioViewController: UIViewController {
  // As the tutorial prints it.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  var player: AVQueuePlayer!
  let songLabel = UILabel()
  let timeLabel = UILabel()
  let songs: [URL]
  private var itemObservation: NSKeyValueObservation?
  private var timeObserver: Any?

  init(songs: [URL]) { self.songs = songs }

  override func viewDidLoad() {
    super.viewDidLoad()
    do {
      try AVAudioSession.sharedInstance().setCategory(.playAndRecord, options: .defaultToSpeaker)
    } catch {
      NSLog("Failed to set audio session category.  Error: \(error)")
    }

    player = AVQueuePlayer(items: songs.map { AVPlayerItem(url: $0) })
    player.actionAtItemEnd = .advance

    itemObservation = player.observe(\.currentItem, options: [.new, .initial]) { [unowned self] player, _ in
      MainActor.assumeIsolated {
        if let currentItem = player.currentItem?.asset as? AVURLAsset {
          songLabel.text = currentItem.url.lastPathComponent
        } else {
          songLabel.text = "Unknown"
        }
      }
    }

    timeObserver = player.addPeriodicTimeObserver(
      forInterval: CMTimeMake(value: 1, timescale: 100), queue: DispatchQueue.main
    ) { [unowned self] time in
      MainActor.assumeIsolated {
        let timeString = String(format: "%02.2f", CMTimeGetSeconds(time))
        if UIApplication.shared.applicationState == .active {
          timeLabel.text = timeString
        } else {
          print("Background: \(timeString)")
        }
      }
    }
  }

  func playPauseAction(_ sender: UIButton) {
    sender.isSelected = !sender.isSelected
    if sender.isSelected {
      player.play()
    } else {
      player.pause()
    }
  }
}
