import AudioCore
import Continuo
import ControlProtocol
import DequeModule
import Foundation
import Jukebox
import MusicFiles
import QueuePlayer

/// Does what the jukebox wants with an `AVQueuePlayer`, and tells it what became of that.
///
/// The player may be far ahead of what it has told: a file is written as fast as it goes. So this class keeps its own
/// account of what it has handed over, and believes what is told, in the order in which it is told.
@MainActor
package final class JukeboxPlayer {
  /// What a song of the queue has become in the player.
  private struct Entry {
    let item: AVPlayerItem
    let song: QueuedSong
    let observation: NSKeyValueObservation
    /// Why it cannot be played, with its name.
    var failure: String?
  }

  /// What the player has told.
  private enum Notice {
    case current(AVPlayerItem?)
    case playedToEnd(AVPlayerItem)
    case failed(AVPlayerItem, reason: String)
    case timeJumped(AVPlayerItem)
    /// Something that others observe.
    case other(@MainActor () -> Void)
  }

  /// Called on the main queue for what happens to songs, in order, before the jukebox hears of it.
  var onEvent: (@MainActor (JukeboxEvent) -> Void)?
  /// What plays. Others may observe it; only this class changes its queue and rate.
  let player: AVQueuePlayer
  /// What threads other than the main one may know of it.
  let place: SongPlace
  /// Called on the main queue, outside of all calls of the player.
  private let onReport: @MainActor (PlayerReport, PlaybackTicket) -> Void
  /// The one that is current, as last told.
  private var current: Entry?
  /// What was handed over to follow it and is not current yet, as far as was told.
  private var upcoming: Deque<Entry> = []
  /// Whether the player has told that it has no item.
  private var isDry = false
  /// What the jukebox wants: 0 or 1.
  private var wantedRate: Float = 0
  /// Whether sound is held back, whatever the jukebox wants: during an interruption, or with the output switched off.
  var isHeld = false {
    didSet { applyRate() }
  }
  /// Of the last order that was obeyed.
  private var ticket = PlaybackTicket(rawValue: 0)
  /// The item in which a seek is under way, and the order before that: if the item is over meanwhile, that was so before
  /// the seek.
  private var seek: (item: AVPlayerItem, ticketBefore: PlaybackTicket)?
  /// The item that was started, until it is told that it is the current one. What is told before is about a past that
  /// no longer counts. (Told at once, unless the application is suspended.)
  private var awaited: AVPlayerItem?
  /// What was told while the player's queue is being changed; nil while it is not.
  private var pending: [Notice]?
  private var observations: [NSKeyValueObservation] = []
  private var notifications: [any NSObjectProtocol] = []
  /// Waits for sound of the current song where the player's status does not tell of it.
  private var soundObserver: Any?

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

  private func setCurrent(_ entry: Entry?) {
    let before = current?.item
    removeSoundObserver()
    current = entry
    place.set(entry?.item, entry?.song, ticket: ticket)
    if entry?.item !== before { onEvent?(.currentItem(entry?.song)) }
  }

  private func makeEntry(_ song: QueuedSong, at seconds: Double) -> Entry {
    let item = AVPlayerItem(url: MediaPath(bytes: song.song.path).url)
    if let end = song.song.range?.end?.seconds {
      item.forwardPlaybackEndTime = CMTime(seconds: end, preferredTimescale: 1000)
    }
    let time = Self.time(seconds, in: song)
    if time > .zero { item.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) }
    let observation = item.observe(\.status) { [weak self] item, _ in
      MainActor.assumeIsolated {
        if item.status == .failed { self?.tell(.failed(item, reason: Self.reason(item.error))) }
      }
    }
    return Entry(item: item, song: song, observation: observation)
  }

  /// A place in the file: fine enough for any file's frames.
  private static func time(_ seconds: Double, in song: QueuedSong) -> CMTime {
    CMTime(seconds: (song.song.range?.start.seconds ?? 0) + seconds, preferredTimescale: 1_000_000)
  }

  /// What an error says, for a person.
  package static func reason(_ error: (any Error)?) -> String {
    guard let error = error as NSError? else { return "unknown error" }
    return error.localizedFailureReason ?? error.localizedDescription
  }

  // MARK: What the player tells

  private func observe() {
    observations = [
      player.observe(\.currentItem) { [weak self] player, _ in
        MainActor.assumeIsolated { self?.tell(.current(player.currentItem)) }
      },
      player.observe(\.timeControlStatus, options: [.old, .new]) { [weak self] _, change in
        guard change.newValue != change.oldValue else { return }
        MainActor.assumeIsolated { self?.timeControlChanged() }
      },
    ]
    notifications = [
      observe(.AVPlayerItemFailedToPlayToEndTime) { .failed($0, reason: Self.reason($1)) },
      observe(.AVPlayerItemDidPlayToEndTime) { item, _ in .playedToEnd(item) },
      observe(AVPlayerItem.timeJumpedNotification) { item, _ in .timeJumped(item) },
    ]
  }

  private func observe(
    _ name: Notification.Name,
    _ notice: @escaping @MainActor (AVPlayerItem, (any Error)?) -> Notice
  ) -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] note in
      guard let item = note.object as? AVPlayerItem else { return }
      let error = note.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? any Error
      MainActor.assumeIsolated { self?.tell(notice(item, error)) }
    }
  }

  private func tell(_ notice: Notice) {
    if pending == nil { take(notice) } else { pending?.append(notice) }
  }

  private func take(_ notice: Notice) {
    if case .other(let body) = notice { return body() }
    if let awaited {
      guard case .current(let item) = notice, item === awaited else { return }
      self.awaited = nil
    }
    switch notice {
    case .current(let item): currentItemChanged(to: item)
    case .playedToEnd(let item): if let song = song(of: item) { onEvent?(.didPlayToEndTime(song)) }
    case .failed(let item, let reason): failed(item, reason)
    case .timeJumped(let item): if let song = song(of: item) { onEvent?(.timeJumped(song)) }
    case .other: break
    }
  }

  private func currentItemChanged(to item: AVPlayerItem?) {
    isDry = item == nil
    guard item !== current?.item else { return }
    // Unknown: it was taken out meanwhile.
    guard let item else { return endIfDry() }
    guard let index = upcoming.firstIndex(where: { $0.item === item }) else { return }
    let ticket = ticketOfLeaving
    let left = passCurrent(and: index)
    setCurrent(upcoming.removeFirst())
    guard let left, let current else { return }
    onReport(Self.report(left, then: current), ticket)
    // A song that follows one that was heard to its end counts as heard anyway.
    if left.failure != nil, current.item === self.current?.item {
      awaitSound(from: Self.time(0, in: current.song))
    }
  }

  /// It has nothing left to play, unless what was handed over came too late to follow: that will be told of.
  private func endIfDry() {
    guard isDry, upcoming.allSatisfy({ $0.failure != nil }) else { return }
    let ticket = ticketOfLeaving
    guard let left = passCurrent(and: upcoming.count) else { return }
    setCurrent(nil)
    let id = left.song.id
    onReport(left.failure.map { .failed(id, reason: $0) } ?? .ended(id), ticket)
  }

  /// The order under which the current item is left by itself.
  private var ticketOfLeaving: PlaybackTicket {
    if let seek, seek.item === current?.item { seek.ticketBefore } else { ticket }
  }

  /// Tells the jukebox, one after the other, of those in front of the `count`-th of `upcoming`: they failed long
  /// before their turn. Returns the last that was left, nil if nothing was current.
  private func passCurrent(and count: Int) -> Entry? {
    let ticket = ticketOfLeaving
    var left = current
    for _ in 0..<count {
      let next = upcoming.removeFirst()
      if let left { onReport(Self.report(left, then: next), ticket) }
      left = next
    }
    return left
  }

  private static func report(_ left: Entry, then next: Entry) -> PlayerReport {
    guard let reason = left.failure else { return .advanced(to: next.song.id) }
    return .skipped(left.song.id, to: next.song.id, reason: reason)
  }

  private func timeControlChanged() { if player.timeControlStatus == .playing { reportHeard() } }

  private func reportHeard() {
    removeSoundObserver()
    if let current { onReport(.heard(current.song.id), ticket) }
  }

  /// Reports the current song as heard when some of it is, from `start` on. The status says `playing` all along where
  /// the song before it sounded to the last, and for a moment also if no sound comes.
  private func awaitSound(from start: CMTime) {
    removeSoundObserver()
    guard let current, player.timeControlStatus == .playing else { return }
    let time = start + CMTime(value: 1, timescale: 100)
    soundObserver = player.addBoundaryTimeObserver(forTimes: [NSValue(time: time)], queue: .main) {
      [weak self] in
      MainActor.assumeIsolated { self?.reportHeard() }
    }
    // The player may be there already: this is told late.
    if current.item.currentTime() >= time { reportHeard() }
  }

  private func removeSoundObserver() {
    if let soundObserver { player.removeTimeObserver(soundObserver) }
    soundObserver = nil
  }

  private func failed(_ item: AVPlayerItem, _ reason: String) {
    let song: QueuedSong
    if let current, current.item === item {
      // Its status and a notification may both say so.
      guard current.failure == nil else { return }
      self.current?.failure = Self.named(reason, current.song)
      song = current.song
    } else if let index = upcoming.firstIndex(where: { $0.item === item }) {
      guard upcoming[index].failure == nil else { return }
      song = upcoming[index].song
      // The jukebox hears of it when its turn has come.
      upcoming[index].failure = Self.named(reason, song)
      // Another copy of the song that sounds now, to follow it: the one that sounds is all right.
      if current?.song.id == song.id { return }
    } else {
      return
    }
    onEvent?(.failed(song, reason: reason))
    endIfDry()
  }

  private static func named(_ reason: String, _ song: QueuedSong) -> String {
    "\(MediaPath(bytes: song.song.path)): \(reason)"
  }
}

extension QueuedSong {
  /// Whether the player's item of one will do for the other.
  fileprivate func isSame(as other: QueuedSong) -> Bool { id == other.id && song.range == other.song.range }
}
