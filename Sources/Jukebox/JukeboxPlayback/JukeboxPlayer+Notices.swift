import AudioCore
import AudioSession
import Clocks
import Continuo
import ControlProtocol
import DequeModule
import Foundation
import Jukebox
import MediaAssets
import MusicFiles
import QueuePlayer
import Transfer

extension JukeboxPlayer {
  // MARK: Notifications

  func observe() {
    observations = [
      player.observe(\.currentItem) { [weak self] player, _ in
        MainActor.assumeIsolated { self?.tell(.current(player.currentItem)) }
      },
      player.observe(\.timeControlStatus, options: [.old, .new]) { [weak self] _, change in
        guard change.newValue != change.oldValue else { return }
        MainActor.assumeIsolated { if self?.player.timeControlStatus == .playing { self?.reportHeard() } }
      },
    ]
    notifications = [
      observe(.AVPlayerItemFailedToPlayToEndTime) { .failed($0, reason: Self.reason($1)) },
      observe(.AVPlayerItemDidPlayToEndTime) { item, _ in .event(item) { .didPlayToEndTime($0) } },
      observe(AVPlayerItem.timeJumpedNotification) { item, _ in .event(item) { .timeJumped($0) } },
      observe(AVPlayerItem.playbackStalledNotification) { item, _ in .event(item) { .stalled($0) } },
      observe(AVPlayerItem.transferNotification) { [weak self] item, note in
        guard let transfer = note.userInfo?[AVPlayerItem.transferNoteKey] as? TransferNote else { return }
        MainActor.assumeIsolated { self?.tell(.transfer(item, transfer)) }
      },
    ]
  }

  func observe(
    _ name: Notification.Name, _ notice: @escaping @MainActor (AVPlayerItem, (any Error)?) -> Notice
  ) -> any NSObjectProtocol {
    observe(name) { [weak self] item, note in
      let error = note.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? any Error
      MainActor.assumeIsolated { self?.tell(notice(item, error)) }
    }
  }

  /// Observes notifications that items post on the main queue. All players of the process share
  /// `NotificationCenter.default`; a notification on another queue comes from another player's item.
  private func observe(
    _ name: Notification.Name, _ receive: @escaping @Sendable (AVPlayerItem, Notification) -> Void
  ) -> any NSObjectProtocol {
    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
      guard MainDispatchQueue.isCurrent, let item = note.object as? AVPlayerItem else { return }
      receive(item, note)
    }
  }

  func tell(_ notice: Notice) {
    if pending == nil { take(notice) } else { pending?.append(notice) }
  }

  func take(_ notice: Notice) {
    if case .other(let body) = notice { return body() }
    if let awaited {
      guard case .current(let item) = notice, item === awaited else { return }
      self.awaited = nil
    }
    switch notice {
    case .current(let item): currentItemChanged(to: item)
    case .event(let item, let event): if let song = song(of: item) { onEvent?(event(song)) }
    case .failed(let item, let reason): failed(item, reason)
    case .transfer(let item, let note): if let song = song(of: item) { take(note, of: item, song) }
    case .metadata(let item, let metadata): if let song = song(of: item) { tell(metadata, of: song) }
    case .other: break
    }
  }

  func tell(_ metadata: [AVMetadataItem], of song: QueuedSong) {
    for item in metadata {
      guard let identifier = item.identifier?.rawValue, let value = item.stringValue else { continue }
      let seconds = item.time.isNumeric ? item.time.seconds : 0
      onEvent?(.timedMetadata(song, identifier: identifier, value: value, seconds: seconds))
    }
  }

  func take(_ note: TransferNote, of item: AVPlayerItem, _ song: QueuedSong) {
    if case .progress(let progress) = note {
      let ranges = item.loadedTimeRanges.map { $0.timeRangeValue }.map { range in
        range.start.seconds..<max(range.start.seconds, range.end.seconds)
      }
      onEvent?(.loaded(song, ranges: ranges, bytes: progress.stored, total: progress.total))
    } else if let report = NetworkReport(note) {
      onEvent?(.network(song, report))
    }
  }

  private func currentItemChanged(to item: AVPlayerItem?) {
    isDry = item == nil
    guard item !== current?.item else { return }
    guard let item else { return endIfDry() }
    // An item that is not in `upcoming` was removed in the meantime.
    guard let index = upcoming.firstIndex(where: { $0.item === item }) else { return }
    let ticket = ticketOfLeaving
    let left = passCurrent(and: index)
    setCurrent(upcoming.removeFirst())
    guard let left, let current else { return }
    onReport(Self.report(left, then: current), ticket)
    // After a song that was heard to its end, the next one counts as heard without an observer.
    if left.failure != nil, current.item === self.current?.item {
      awaitSound(from: Self.time(current.song.start, in: current.song))
    }
  }

  /// Reports the end of the queue if the player has no item left. An item that was queued too late to follow
  /// automatically prevents the end, because the player will still report it as current.
  private func endIfDry() {
    guard isDry, upcoming.allSatisfy({ $0.failure != nil }) else { return }
    let ticket = ticketOfLeaving
    guard let left = passCurrent(and: upcoming.count) else { return }
    setCurrent(nil)
    let id = left.song.id
    onReport(left.failure.map { .failed(id, reason: $0) } ?? .ended(id), ticket)
  }

  /// The ticket before a seek in progress in the current item, otherwise the current one. Reports about
  /// leaving the item carry it.
  private var ticketOfLeaving: PlaybackTicket {
    if let seek, seek.item === current?.item { seek.ticketBefore } else { ticket }
  }

  /// Leaves the current song and the first `count` songs of `upcoming`, which failed before their turn and are
  /// removed. Reports each song as left, except the last one. Returns the last one for the caller to report; nil
  /// if no song was left.
  private func passCurrent(and count: Int) -> Entry? {
    let ticket = ticketOfLeaving
    var left = current
    // Before another song is current, because the position of this one is then lost.
    if let left, left.failure != nil, let progress = place.progress(of: left.song.id) {
      onBrokenOff?(left.song, progress)
    }
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

  private func reportHeard() {
    removeSoundObserver()
    if let current { onReport(.heard(current.song.id), ticket) }
  }

  /// If the player is playing, reports the current song as heard once playback passes 1/100 s after `start`, a time in
  /// the file. The time control status is not sufficient. It stays `playing` from one song to the next without a pause,
  /// and is briefly `playing` even if no sound follows. Without effect on a player that does not play: its change to
  /// `playing` reports the song.
  func awaitSound(from start: CMTime) {
    removeSoundObserver()
    guard let current, player.timeControlStatus == .playing else { return }
    let time = start + CMTime(value: 1, timescale: 100)
    soundObserver = player.addBoundaryTimeObserver(forTimes: [NSValue(time: time)], queue: .main) {
      [weak self] in MainActor.assumeIsolated { self?.reportHeard() }
    }
    // The observer may be too late, because playback may have passed that time already.
    if current.item.currentTime() >= time { reportHeard() }
  }

  func removeSoundObserver() {
    if let soundObserver { player.removeTimeObserver(soundObserver) }
    soundObserver = nil
  }

  private func failed(_ item: AVPlayerItem, _ reason: String) {
    let song: QueuedSong
    if let current, current.item === item {
      // Both the item's status and a notification may report the failure.
      guard current.failure == nil else { return }
      self.current?.failure = Self.named(reason, current.song)
      song = current.song
    } else if let index = upcoming.firstIndex(where: { $0.item === item }) {
      guard upcoming[index].failure == nil else { return }
      song = upcoming[index].song
      // The jukebox gets the failure at the song's turn.
      upcoming[index].failure = Self.named(reason, song)
      // A second copy of the current song failed; the copy that plays is unaffected.
      if current?.song.id == song.id { return }
    } else {
      return
    }
    onEvent?(.failed(song, reason: reason))
    endIfDry()
  }

  private static func named(_ reason: String, _ song: QueuedSong) -> String {
    "\(song.song.locator.displayName): \(reason)"
  }

  // MARK: Metadata of songs from the network

  /// Reports the tags of a remote item, if any, later and from another thread.
  func learnTags(of item: AVPlayerItem, _ song: QueuedSong) {
    let asset = item.asset
    asset.loadValuesAsynchronously(forKeys: ["metadata"]) { [onLearn] in
      let tags = asset.metadata.compactMap { SongTag($0) }
      if !tags.isEmpty { onLearn?(song, SongMetadata(tags: tags)) }
    }
  }

  /// Reports the item's duration in seconds, if known, and its decoded format.
  func reportSound(of item: AVPlayerItem, _ song: QueuedSong) {
    let duration = item.duration, format = item.tracks.first?.assetTrack?.format
    onLearn?(
      song,
      SongMetadata(
        duration: duration.isNumeric ? duration.seconds : nil, sampleRate: format?.sampleRate,
        channels: format?.channelCount))
  }
}
