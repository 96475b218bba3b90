import AudioCore
import AudioSession
import Continuo
import ControlProtocol
import DequeModule
import Foundation
import Jukebox
import MediaAssets
import QueuePlayer
import Transfer

/// Performs the jukebox's actions on an `AVQueuePlayer` and reports the results.
///
/// The player may be far ahead of its notifications, because a file output is written at full speed. So this
/// class keeps its own record of the queue and follows the notifications in the order in which they arrive.
@MainActor
package final class JukeboxPlayer {
  struct Entry {
    let item: AVPlayerItem
    let song: QueuedSong
    let observations: [NSKeyValueObservation]
    /// The reason why the song cannot be played, with the song's name; nil if it has not failed.
    var failure: String?
  }

  enum Notice {
    case current(AVPlayerItem?)
    case failed(AVPlayerItem, reason: String)
    case event(AVPlayerItem, @MainActor (QueuedSong) -> JukeboxEvent)
    case transfer(AVPlayerItem, TransferNote)
    case metadata(AVPlayerItem, [AVMetadataItem])
    /// A closure of another observer, called in order with the notices.
    case other(@MainActor () -> Void)
  }

  /// Receives the events of songs in order, on the main queue. An event precedes the report to `onReport`
  /// about the same change.
  var onEvent: (@MainActor (JukeboxEvent) -> Void)?
  /// Called with metadata that a remote song provides: its length, format and tags. Any thread.
  var onLearn: (@Sendable (QueuedSong, SongMetadata) -> Void)?
  /// The player. Others may observe it; while it is connected, only this class changes its queue and rate.
  let player: AVQueuePlayer
  let place: SongPlace
  /// Receives the player's reports, each with its ticket (see `PlayerReport`). Called on the main queue,
  /// possibly from inside `perform`.
  let onReport: @MainActor (PlayerReport, PlaybackTicket) -> Void
  /// The current entry: the one started last, or a later one according to the player's last notification.
  var current: Entry?
  /// Called when a song that broke off is left, with its last position.
  var onBrokenOff: (@MainActor (QueuedSong, JukeboxMachine.Progress) -> Void)?
  /// The entries queued after `current`.
  var upcoming: Deque<Entry> = []
  /// Whether the player's last notification since the last `start` was that it has no current item.
  var isDry = false
  private var wantedRate: Float = 0
  /// The requested volume, 0…1. `fade` is the factor by which it is reduced before playback ends.
  private var volume: Float = 1
  var fade: Float = 1 { didSet { if fade != oldValue { player.volume = volume * fade } } }
  /// The rate during playback.
  private var speed: Float = 1
  /// Whether the player stays paused regardless of the jukebox's actions.
  var isHeld = false { didSet { applyRate() } }
  var ticket = PlaybackTicket(rawValue: 0)
  /// The item of a seek in progress. An end of the item during the seek is reported under `ticketBefore`.
  var seek: (item: AVPlayerItem, ticketBefore: PlaybackTicket)?
  /// The item that was started last, until the player reports it as current. Notifications before that report
  /// are obsolete and ignored. The report comes immediately, unless the application is suspended.
  var awaited: AVPlayerItem?
  /// The notices that arrive while the player's queue is being changed; nil otherwise.
  var pending: [Notice]?
  var observations: [NSKeyValueObservation] = []
  var notifications: [any NSObjectProtocol] = []
  /// A boundary observer that detects the first sound of the current song where the player's status does not
  /// show it.
  var soundObserver: Any?

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

  /// The song of the player's current item. Nil while the player has not yet reported the item that was
  /// started last.
  var heardSong: SongID? { awaited == nil ? current?.song.id : nil }

  func song(of item: AVPlayerItem?) -> QueuedSong? { item.flatMap(entry)?.song }

  private func entry(of item: AVPlayerItem) -> Entry? {
    if let current, current.item === item { return current }
    return upcoming.first { $0.item === item }
  }

  /// Calls `body` after all earlier notices: immediately, unless the player's queue is being changed.
  func afterNotices(_ body: @escaping @MainActor () -> Void) { tell(.other(body)) }

  // MARK: Orders

  /// Performs one action. Must not be called from inside `onReport` or `onEvent`, or by an observer of
  /// `player`.
  func perform(_ action: JukeboxAction) {
    switch action {
    case .start(let song, let seconds, let paused, let ticket):
      start(song, at: seconds, paused: paused, ticket: ticket)
    case .seek(let song, let seconds, let ticket):
      guard let current, current.song.isSame(as: song) else {
        return start(song, at: seconds, paused: wantedRate == 0, ticket: ticket)
      }
      let item = current.item
      if seek?.item !== item { seek = (item, self.ticket) }
      self.ticket = ticket
      let time = Self.time(seconds, in: song)
      player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero) { [weak self, place] finished in
        MainActor.assumeIsolated {
          // A removed player has left its position in `place`.
          guard let self else { return }
          guard self.ticket == ticket else { return place.settle(ticket) }
          self.seek = nil
          guard !finished, self.current?.item !== item else { return place.settle(ticket) }
          // The song had already ended when the seek arrived; the player reports that only now.
          self.start(song, at: seconds, paused: self.wantedRate == 0, ticket: ticket)
        }
      }
      if soundObserver != nil { awaitSound(from: time) }
    case .pause: setRate(0)
    case .resume: setRate(1)
    case .stop(let ticket): stop(ticket)
    case .setUpcoming(let songs): setUpcoming(songs)
    case .setVolume(let percent):
      volume = Float(percent) / 100
      player.volume = volume * fade
    case .setMuted(let isMuted): player.isMuted = isMuted
    case .setSpeed(let speed):
      self.speed = Float(speed.factor)
      if wantedRate != 0 { applyRate() }
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

  /// Sets the rate even if `player.rate` has the value already, because that is the last reported rate and a
  /// change may be in progress.
  private func applyRate() { player.rate = isHeld ? 0 : wantedRate * speed }

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
    let told = collect {
      setRate(0)
      player.removeAllItems()
    }
    self.ticket = ticket
    upcoming = []
    awaited = nil
    setCurrent(nil)
    // All notices but `.other` concern songs that were removed.
    for case .other(let body) in told { body() }
  }

  private func setUpcoming(_ songs: [QueuedSong]) {
    let told = collect {
      let kept = zip(upcoming, songs).prefix { $0.song.isSame(as: $1) && $0.song.start == $1.start }.count
      for entry in upcoming.dropFirst(kept) { player.remove(entry.item) }
      upcoming.removeLast(upcoming.count - kept)
      for song in songs.dropFirst(kept) {
        let entry = makeEntry(song, at: song.start)
        // Append before inserting, because the item may have ended before `insert` returns.
        upcoming.append(entry)
        player.insert(entry.item, after: nil)
      }
    }
    // `setUpcoming` keeps the ticket, so the notices that arrived in the meantime are still valid.
    for notice in told { take(notice) }
  }

  /// Runs `change` and returns the notices that arrived during it, unprocessed.
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
        if item.status == .readyToPlay, song.song.locator.isRemote { self?.learnTags(of: item, song) }
        if let live = item.live { self?.tell(.event(item) { .station($0, name: live.name) }) }
      }
    }
    var observations = [observation]
    if song.song.locator.isRemote {
      observations += [
        // An estimate becomes exact when the decoder reads to the end.
        item.observe(\.duration) { [weak self] item, _ in
          MainActor.assumeIsolated { self?.reportSound(of: item, song) }
        },
        item.observe(\.timedMetadata) { [weak self] item, _ in
          MainActor.assumeIsolated { self?.tell(.metadata(item, item.timedMetadata ?? [])) }
        },
      ]
    }
    return Entry(item: item, song: song, observations: observations)
  }

  /// Returns the time in the file of a position in the song. The timescale, 1,000,000, is fine enough for the
  /// frames of any file.
  static func time(_ seconds: Double, in song: QueuedSong) -> CMTime {
    CMTime(seconds: (song.song.range?.start.seconds ?? 0) + seconds, preferredTimescale: 1_000_000)
  }

  package static func reason(_ error: (any Error)?) -> String {
    guard let error = error as NSError? else { return "unknown error" }
    return error.localizedFailureReason ?? error.localizedDescription
  }
}

extension QueuedSong {
  /// Whether the player's item for `self` can serve for `other`: both have the same id and range.
  fileprivate func isSame(as other: QueuedSong) -> Bool { id == other.id && song.range == other.song.range }
}
