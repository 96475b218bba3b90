import Continuo

/// A client as an iOS developer writes it: the screen of a music player in the background-audio tutorials, with three
/// songs, their title, and the time in hundredths. Nothing in it knows that it does not run on a phone.
@MainActor
final class AudioScreen {
  let player: AVQueuePlayer
  private(set) var titles: [String] = []
  private(set) var timeLabel = ""
  private(set) var hundredths: [Int64] = []
  private(set) var statuses: [AVPlayer.TimeControlStatus] = []
  private(set) var ends = 0
  var onFinish: (() -> Void)?

  private var observations: [NSKeyValueObservation] = []
  private var timeObserver: Any?
  private var endObservers: [any NSObjectProtocol] = []

  init(songs: [URL]) {
    player = AVQueuePlayer(items: songs.map { AVPlayerItem(url: $0) })
    player.actionAtItemEnd = .advance
    observations.append(
      player.observe(\.currentItem, options: [.initial, .new]) { [weak self] player, _ in
        MainActor.assumeIsolated { self?.showTitle(of: player.currentItem) }
      })
    observations.append(
      player.observe(\.timeControlStatus) { [weak self] player, _ in
        MainActor.assumeIsolated { self?.statuses.append(player.timeControlStatus) }
      })
    timeObserver = player.addPeriodicTimeObserver(
      forInterval: CMTime(value: 1, timescale: 100), queue: .main
    ) { [weak self] time in
      MainActor.assumeIsolated { self?.showTime(time) }
    }
    endObservers = player.items().map { item in
      NotificationCenter.default.addObserver(
        forName: .AVPlayerItemDidPlayToEndTime, object: item, queue: .main
      ) { [weak self] note in
        guard let item = note.object as? AVPlayerItem else { return }
        MainActor.assumeIsolated { self?.songEnded(item) }
      }
    }
  }

  func playPauseTapped() {
    if player.timeControlStatus == .paused { player.play() } else { player.pause() }
  }

  func close() {
    if let timeObserver { player.removeTimeObserver(timeObserver) }
    timeObserver = nil
    endObservers.forEach(NotificationCenter.default.removeObserver)
    observations.forEach { $0.invalidate() }
    player.pause()
  }

  private func showTitle(of item: AVPlayerItem?) {
    guard let url = (item?.asset as? AVURLAsset)?.url else {
      if player.rate == 1 { onFinish?() }
      return
    }
    titles.append(url.deletingPathExtension().lastPathComponent)
  }

  private func showTime(_ time: CMTime) {
    timeLabel = String(format: "%02.2f", CMTimeGetSeconds(time))
    if time.timescale == 100 { hundredths.append(time.value) }
  }

  private func songEnded(_ item: AVPlayerItem) {
    if item.status == .readyToPlay, !player.items().isEmpty { ends += 1 }
  }
}
