import AudioCore
import Continuo
import ControlProtocol
import DequeModule
import Foundation
import HostTime
import Jukebox
import MusicFiles
import QueuePlayer
import Transfer

extension JukeboxPlayer {
  // MARK: What the player tells

  func observe() {
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
      observe(AVPlayerItem.playbackStalledNotification) { item, _ in .stalled(item) },
      observe(AVPlayerItem.transferNotification) { [weak self] item, note in
        guard let transfer = note.userInfo?[AVPlayerItem.transferNoteKey] as? TransferNote else { return }
        MainActor.assumeIsolated { self?.tell(.transfer(item, transfer)) }
      },
    ]
  }

  func observe(
    _ name: Notification.Name,
    _ notice: @escaping @MainActor (AVPlayerItem, (any Error)?) -> Notice
  ) -> any NSObjectProtocol {
    observe(name) { [weak self] item, note in
      let error = note.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? any Error
      MainActor.assumeIsolated { self?.tell(notice(item, error)) }
    }
  }

  /// Observes `name` for items that notify on the main queue. An item whose environment has a queue of its own notifies
  /// there and belongs to another player: `NotificationCenter.default` is one for the whole process.
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
    case .playedToEnd(let item): if let song = song(of: item) { onEvent?(.didPlayToEndTime(song)) }
    case .failed(let item, let reason): failed(item, reason)
    case .timeJumped(let item): if let song = song(of: item) { onEvent?(.timeJumped(song)) }
    case .stalled(let item): if let song = song(of: item) { onEvent?(.stalled(song)) }
    case .transfer(let item, let note): if let song = song(of: item) { take(note, of: item, song) }
    case .station(let item, let live):
      if let song = song(of: item) { onEvent?(.station(song, name: live.name)) }
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
    // An estimate is exact then.
    if case .complete = note { tellSound(of: item, song) }
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
  func awaitSound(from start: CMTime) {
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

  func removeSoundObserver() {
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
    "\(song.song.locator.displayName): \(reason)"
  }
}
