import AudioCore
import Continuo
import ControlProtocol
import DequeModule
import Foundation
import Jukebox
import QueuePlayer
import Transfer

/// Does what the jukebox wants with an `AVQueuePlayer`, and tells it what became of that.
///
/// The player may be far ahead of what it has told: a file is written as fast as it goes. So this class keeps its own
/// account of what it has handed over, and believes what is told, in the order in which it is told.
@MainActor
package final class JukeboxPlayer {
  /// What a song of the queue has become in the player.
  struct Entry {
    let item: AVPlayerItem
    let song: QueuedSong
    let observations: [NSKeyValueObservation]
    /// Why it cannot be played, with its name.
    var failure: String?
  }

  /// What the player has told.
  enum Notice {
    case current(AVPlayerItem?)
    case playedToEnd(AVPlayerItem)
    case failed(AVPlayerItem, reason: String)
    case timeJumped(AVPlayerItem)
    case stalled(AVPlayerItem)
    case station(AVPlayerItem, LiveStream)
    case transfer(AVPlayerItem, TransferNote)
    case metadata(AVPlayerItem, [AVMetadataItem])
    /// Something that others observe.
    case other(@MainActor () -> Void)
  }

  /// Called on the main queue for what happens to songs, in order, before the jukebox hears of it.
  var onEvent: (@MainActor (JukeboxEvent) -> Void)?
  /// Called with what a song from the network says about itself: its length, and tags. Any thread.
  var onLearn: (@Sendable (SongID, SongMetadata) -> Void)?
  /// What plays. Others may observe it; only this class changes its queue and rate.
  let player: AVQueuePlayer
  /// What threads other than the main one may know of it.
  let place: SongPlace
  /// Called on the main queue, outside of all calls of the player.
  let onReport: @MainActor (PlayerReport, PlaybackTicket) -> Void
  /// The one that is current, as last told.
  var current: Entry?
  /// What was handed over to follow it and is not current yet, as far as was told.
  var upcoming: Deque<Entry> = []
  /// Whether the player has told that it has no item.
  var isDry = false
  /// What the jukebox wants: 0 or 1.
  private var wantedRate: Float = 0
  /// Whether sound is held back, whatever the jukebox wants: during an interruption, or with the output switched off.
  var isHeld = false {
    didSet { applyRate() }
  }
  /// Of the last order that was obeyed.
  var ticket = PlaybackTicket(rawValue: 0)
  /// The item in which a seek is under way, and the order before that: if the item is over meanwhile, that was so before
  /// the seek.
  var seek: (item: AVPlayerItem, ticketBefore: PlaybackTicket)?
  /// The item that was started, until it is told that it is the current one. What is told before is about a past that
  /// no longer counts. (Told at once, unless the application is suspended.)
  var awaited: AVPlayerItem?
  /// What was told while the player's queue is being changed; nil while it is not.
  var pending: [Notice]?
  var observations: [NSKeyValueObservation] = []
  var notifications: [any NSObjectProtocol] = []
  /// Waits for sound of the current song where the player's status does not tell of it.
  var soundObserver: Any?

  /// Takes over `player`, which has to be empty.
  init(
    player: AVQueuePlayer, place: SongPlace,
    onReport: @escaping @MainActor (PlayerReport, PlaybackTicket) -> Void
  ) {
    self.player = player
    self.place = place
    self.onReport = onReport
    observe()
  }

  isolated deinit {
    for token in notifications { NotificationCenter.default.removeObserver(token) }
    removeSoundObserver()
  }

  /// The song that the player has an item of.
  func song(of item: AVPlayerItem?) -> QueuedSong? { item.flatMap(entry)?.song }

  private func entry(of item: AVPlayerItem) -> Entry? {
    if let current, current.item === item { return current }
    return upcoming.first { $0.item === item }
  }

  /// Calls `body` once everything is taken that was told before: at once, unless the player's queue is being changed.
  func afterNotices(_ body: @escaping @MainActor () -> Void) { tell(.other(body)) }

  // MARK: Orders

  /// Carries out one order. Outside of callbacks of the player.
  func perform(_ action: JukeboxAction) {
    switch action {
    case .start(let song, let seconds, let paused, let ticket):
      start(song, at: seconds, paused: paused, ticket: ticket)
    case .seek(let song, let seconds, let ticket):
      guard let current, current.song.isSame(as: song) else {
        start(song, at: seconds, paused: wantedRate == 0, ticket: ticket)
        return
      }
      let item = current.item
      if seek?.item !== item { seek = (item, self.ticket) }
      self.ticket = ticket
      let time = Self.time(seconds, in: song)
      player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { [weak self, place] finished in
        MainActor.assumeIsolated {
          guard let self, self.ticket == ticket else { return place.settle(ticket) }
          self.seek = nil
          // The song was over before the order came, which was told only now.
          let isOver = !finished && self.current?.item !== item
          guard isOver else { return place.settle(ticket) }
          self.start(song, at: seconds, paused: self.wantedRate == 0, ticket: ticket)
        }
      }
      if soundObserver != nil { awaitSound(from: time) }
    case .pause: setRate(0)
    case .resume: setRate(1)
    case .stop(let ticket): stop(ticket)
    case .setUpcoming(let songs): setUpcoming(songs)
    case .setVolume(let percent): player.volume = Float(percent) / 100
    case .setMuted(let isMuted): player.isMuted = isMuted
    case .setReplayGain(let mode):
      player.replayGain =
        switch mode {
        case .off: nil
        case .track: .track
        case .album, .auto: .album
        }
    }
  }

  private func setRate(_ rate: Float) {
    wantedRate = rate
    applyRate()
  }

  /// Also if `rate` says so already: that is what was told, and a change may be under way.
  private func applyRate() { player.rate = isHeld ? 0 : wantedRate }

  private func start(_ song: QueuedSong, at seconds: Double, paused: Bool, ticket: PlaybackTicket) {
    let entry = makeEntry(song, at: seconds)
    let told = collect {
      if paused { setRate(0) }
      for old in upcoming { player.remove(old.item) }
      upcoming = []
      player.replaceCurrentItem(with: entry.item)
      if !paused { setRate(1) }
    }
    self.ticket = ticket
    isDry = false
    awaited = entry.item
    setCurrent(entry)
    awaitSound(from: Self.time(seconds, in: song))
    for notice in told { take(notice) }
  }

  private func stop(_ ticket: PlaybackTicket) {
    _ = collect {
      setRate(0)
      player.removeAllItems()
    }
    self.ticket = ticket
    upcoming = []
    awaited = nil
    setCurrent(nil)
  }

  private func setUpcoming(_ songs: [QueuedSong]) {
    let told = collect {
      let kept = zip(upcoming, songs).prefix { $0.song.isSame(as: $1) }.count
      for entry in upcoming.dropFirst(kept) { player.remove(entry.item) }
      upcoming.removeLast(upcoming.count - kept)
      for song in songs.dropFirst(kept) {
        let entry = makeEntry(song, at: 0)
        // First: it may be over before the call returns.
        upcoming.append(entry)
        player.insert(entry.item, after: nil)
      }
    }
    // What happened meanwhile did so under the order that still counts.
    for notice in told { take(notice) }
  }

  /// Runs `change` and returns what the player told meanwhile, instead of taking it at once.
  private func collect(_ change: () -> Void) -> [Notice] {
    pending = []
    change()
    defer { pending = nil }
    return pending ?? []
  }

  func setCurrent(_ entry: Entry?) {
    let before = current?.item
    removeSoundObserver()
    current = entry
    place.set(entry?.item, entry?.song, ticket: ticket)
    if entry?.item !== before { onEvent?(.currentItem(entry?.song)) }
  }

  private func makeEntry(_ song: QueuedSong, at seconds: Double) -> Entry {
    let item = AVPlayerItem(
      asset: AVURLAsset(
        url: song.song.locator.mediaURL, reach: song.song.reach, credentials: song.song.credentials))
    let ahead = PlaybackEnvironment.current.preferredForwardBufferDuration
    if ahead > 0 { item.preferredForwardBufferDuration = ahead }
    if let end = song.song.range?.end?.seconds {
      item.forwardPlaybackEndTime = CMTime(seconds: end, preferredTimescale: 1000)
    }
    let time = Self.time(seconds, in: song)
    if time > .zero { item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) }
    let observation = item.observe(\.status) { [weak self] item, _ in
      MainActor.assumeIsolated {
        if item.status == .failed { self?.tell(.failed(item, reason: Self.reason(item.error))) }
        if item.status == .readyToPlay, song.song.locator.isRemote { self?.learn(of: item, song) }
        if let live = item.live { self?.tell(.station(item, live)) }
      }
    }
    var observations = [observation]
    if song.song.locator.isRemote {
      observations.append(
        item.observe(\.timedMetadata) { [weak self] item, _ in
          MainActor.assumeIsolated { self?.tell(.metadata(item, item.timedMetadata ?? [])) }
        })
    }
    return Entry(item: item, song: song, observations: observations)
  }

  /// A place in the file: fine enough for any file's frames.
  static func time(_ seconds: Double, in song: QueuedSong) -> CMTime {
    CMTime(seconds: (song.song.range?.start.seconds ?? 0) + seconds, preferredTimescale: 1_000_000)
  }

  /// What an error says, for a person.
  package static func reason(_ error: (any Error)?) -> String {
    guard let error = error as NSError? else { return "unknown error" }
    return error.localizedFailureReason ?? error.localizedDescription
  }
}

extension QueuedSong {
  /// Whether the player's item of one will do for the other.
  fileprivate func isSame(as other: QueuedSong) -> Bool { id == other.id && song.range == other.song.range }
}
