import Continuo
import Foundation
import Jukebox

/// Does what the jukebox wants with an `AVQueuePlayer`, and tells it what became of that.
@MainActor
final class JukeboxPlayer {
  /// What a song of the queue has become in the player.
  private struct Entry {
    let item: AVPlayerItem
    let song: QueuedSong
    let observation: NSKeyValueObservation
  }

  /// What people may want to hear of a song.
  enum Event {
    /// It is the current one; nil: none is.
    case current(QueuedSong?)
    /// It was heard to its end.
    case playedToEnd(QueuedSong)
    /// It cannot be played, or not on; why.
    case failed(QueuedSong, reason: String)
    /// Its time went on somewhere else.
    case timeJumped(QueuedSong)
  }

  /// Called on the main queue for what happens to songs, in order, before the jukebox hears of it.
  var onEvent: (@MainActor (Event) -> Void)?
  /// What plays. Others may observe it; only this class changes its queue and rate.
  let player: AVQueuePlayer
  /// What threads other than the main one may know of it.
  let place: SongPlace
  /// Called on the main queue, outside of all calls of the player.
  private let onReport: @MainActor (PlayerReport, PlaybackTicket) -> Void
  private var entries: [ObjectIdentifier: Entry] = [:]
  private var current: Entry?
  /// What the jukebox wants: 0 or 1.
  private var wantedRate: Float = 0
  /// Whether sound is held back, whatever the jukebox wants: during an interruption, or with the output switched off.
  var isHeld = false {
    didSet { applyRate() }
  }
  /// Of the last order that was obeyed.
  private var ticket = PlaybackTicket(rawValue: 0)
  /// The player's queue is being changed: what it says of that is no news.
  private var isActing = false
  /// What failed meanwhile.
  private var failures: [(item: AVPlayerItem, reason: String)] = []
  /// The item that took the place of a failed one by itself, until the jukebox has said what is to follow.
  private var substitute: AVPlayerItem?
  private var observations: [NSKeyValueObservation] = []
  private var notifications: [any NSObjectProtocol] = []

  /// Takes over `player`, which has to be empty.
  init(
    player: AVQueuePlayer, place: SongPlace,
    onReport: @escaping @MainActor (PlayerReport, PlaybackTicket) -> Void
  ) {
    self.player = player
    self.place = place
    self.onReport = onReport
    observations = [
      player.observe(\.currentItem) { [weak self] _, _ in
        MainActor.assumeIsolated { self?.currentItemChanged() }
      },
      player.observe(\.timeControlStatus) { [weak self] _, _ in
        MainActor.assumeIsolated { self?.timeControlChanged() }
      },
    ]
    let center = NotificationCenter.default
    notifications = [
      center.addObserver(forName: .AVPlayerItemFailedToPlayToEndTime, object: nil, queue: nil) {
        [weak self] note in
        let item = note.object as? AVPlayerItem
        let error = note.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? any Error
        MainActor.assumeIsolated { item.map { self?.failed($0, error) } }
      },
      center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: nil, queue: nil) {
        [weak self] note in
        let item = note.object as? AVPlayerItem
        MainActor.assumeIsolated {
          if let self, let song = self.song(of: item) { self.onEvent?(.playedToEnd(song)) }
        }
      },
      center.addObserver(forName: AVPlayerItem.timeJumpedNotification, object: nil, queue: nil) {
        [weak self] note in
        let item = note.object as? AVPlayerItem
        MainActor.assumeIsolated {
          if let self, let song = self.song(of: item) { self.onEvent?(.timeJumped(song)) }
        }
      },
    ]
  }

  isolated deinit { for token in notifications { NotificationCenter.default.removeObserver(token) } }

  /// The song that the player has an item of.
  func song(of item: AVPlayerItem?) -> QueuedSong? { item.flatMap { entries[ObjectIdentifier($0)] }?.song }

  // MARK: Orders

  /// Carries out one order. Outside of callbacks of the player.
  func perform(_ action: JukeboxAction) {
    switch action {
    case .start(let song, let at, let paused, let ticket):
      start(song, at: at, paused: paused, ticket: ticket)
    case .seek(let song, let seconds, let ticket):
      guard let current, current.song.id == song.id, current.song.song.range == song.song.range else {
        start(song, at: seconds, paused: wantedRate == 0, ticket: ticket)
        return
      }
      self.ticket = ticket
      player.seek(to: Self.time(seconds, in: song), toleranceBefore: .zero, toleranceAfter: .zero) {
        [place] _ in place.settle(ticket)
      }
    case .pause: setRate(0)
    case .resume: setRate(1)
    case .stop(let ticket):
      act(under: ticket) {
        setRate(0)
        player.removeAllItems()
        return nil
      }
    case .setUpcoming(let songs): setUpcoming(songs)
    case .setVolume(let percent): player.volume = Float(percent) / 100
    case .setMuted(let isMuted): player.isMuted = isMuted
    }
  }

  private func setRate(_ rate: Float) {
    wantedRate = rate
    applyRate()
  }

  private func applyRate() {
    let rate = isHeld ? 0 : wantedRate
    if player.rate != rate { player.rate = rate }
  }

  private func start(_ song: QueuedSong, at seconds: Double, paused: Bool, ticket: PlaybackTicket) {
    let rate: Float = paused ? 0 : 1
    // The player went on by itself to the very song that is to follow a failed one: not a frame of it is lost.
    if let current, current.item === substitute, current.song.id == song.id,
      current.song.song.range == song.song.range, seconds == 0
    {
      substitute = nil
      self.ticket = ticket
      setRate(rate)
      return
    }
    act(under: ticket) {
      for item in player.items().dropFirst() { player.remove(item) }
      let item = makeItem(song)
      let time = Self.time(seconds, in: song)
      if time > .zero { item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) }
      player.replaceCurrentItem(with: item)
      setRate(rate)
      return item
    }
  }

  private func setUpcoming(_ songs: [QueuedSong]) {
    isActing = true
    let items = player.items().drop { $0 === current?.item }
    let kept = zip(items, songs).prefix { item, song in
      let known = self.song(of: item)
      return known?.id == song.id && known?.song.range == song.song.range
    }.count
    for item in items.dropFirst(kept) { player.remove(item) }
    for song in songs.dropFirst(kept) {
      let item = makeItem(song)
      let time = Self.time(0, in: song)
      if time > .zero { item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) }
      player.insert(item, after: nil)
    }
    isActing = false
    // What happened meanwhile did so under the order that still counts.
    tellFailures()
    currentItemChanged()
    forgetOthers()
  }

  /// Obeys an order that makes everything before it pointless; `change` returns the item that is to be current.
  private func act(under ticket: PlaybackTicket, _ change: () -> AVPlayerItem?) {
    isActing = true
    let new = change()
    isActing = false
    self.ticket = ticket
    substitute = nil
    setCurrent()
    failures.removeAll { $0.item !== new }
    tellFailures()
    forgetOthers()
  }

  private func tellFailures() {
    let failed = failures
    failures = []
    for (item, reason) in failed { fail(item, reason) }
  }

  private func setCurrent() {
    let before = current?.item
    current = player.currentItem.flatMap { entries[ObjectIdentifier($0)] }
    place.set(current?.item, current?.song, ticket: ticket)
    if current?.item !== before { onEvent?(.current(current?.song)) }
  }

  /// Forgets items that are not in the player any more.
  private func forgetOthers() {
    let present = Set(player.items().map(ObjectIdentifier.init))
    entries = entries.filter { present.contains($0.key) }
  }

  private func makeItem(_ song: QueuedSong) -> AVPlayerItem {
    let item = AVPlayerItem(url: MediaPath(bytes: song.song.path).url)
    if let end = song.song.range?.endSeconds {
      item.forwardPlaybackEndTime = CMTime(seconds: end, preferredTimescale: 1000)
    }
    let observation = item.observe(\.status) { [weak self] item, _ in
      MainActor.assumeIsolated { if item.status == .failed { self?.failed(item, item.error) } }
    }
    entries[ObjectIdentifier(item)] = Entry(item: item, song: song, observation: observation)
    return item
  }

  /// A place in the file: fine enough for any file's frames.
  private static func time(_ seconds: Double, in song: QueuedSong) -> CMTime {
    CMTime(seconds: (song.song.range?.startSeconds ?? 0) + seconds, preferredTimescale: 1_000_000)
  }

  // MARK: What the player does by itself

  private func currentItemChanged() {
    guard !isActing, player.currentItem !== current?.item else { return }
    let left = current
    setCurrent()
    guard let left else { return }
    let hasFailed = entries.removeValue(forKey: ObjectIdentifier(left.item)) == nil
    if let current {
      if hasFailed { substitute = current.item } else { onReport(.advanced(to: current.song.id), ticket) }
    } else if !hasFailed {
      onReport(.ended(left.song.id), ticket)
    }
  }

  private func timeControlChanged() {
    if player.timeControlStatus == .playing, let current { onReport(.heard(current.song.id), ticket) }
  }

  private func failed(_ item: AVPlayerItem, _ error: (any Error)?) {
    let error = error as NSError?
    let reason = error.map { $0.localizedFailureReason ?? $0.localizedDescription } ?? "unknown error"
    if isActing { failures.append((item, reason)) } else { fail(item, reason) }
  }

  private func fail(_ item: AVPlayerItem, _ reason: String) {
    guard let entry = entries.removeValue(forKey: ObjectIdentifier(item)) else { return }
    // Another copy of the song that sounds now, to follow it: the one that sounds is all right.
    if let current, current.item !== item, current.song.id == entry.song.id { return }
    onEvent?(.failed(entry.song, reason: reason))
    let name = MediaPath(bytes: entry.song.song.path).description
    onReport(.failed(entry.song.id, reason: "\(name): \(reason)"), ticket)
  }
}
