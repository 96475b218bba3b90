internal import ControlProtocol

extension JukeboxMachine {
  /// Handles a report that the player made under `ticket`. Reports from before the last action are outdated:
  /// only their errors are kept.
  package mutating func report(_ report: PlayerReport, ticket: PlaybackTicket) {
    switch report {
    case .failed(_, let reason) where ticket != self.ticket || state == .stopped,
      .skipped(_, _, let reason) where ticket != self.ticket || state == .stopped:
      note(reason)
    case _ where ticket != self.ticket || state == .stopped: break
    case .advanced(let song): advanced(to: song)
    case .ended(let song) where song == currentID:
      failures = 0
      finish(song)
    case .failed(let song, let reason):
      note(reason)
      if song == currentID { skip(song) }
    case .skipped(let song, let follower, let reason):
      note(reason)
      if song == currentID { skip(song, to: follower) }
    case .heard(let song) where song == currentID: failures = 0
    case .ended, .heard: break
    }
  }

  private mutating func note(_ reason: String) {
    error = reason
    effects.changed.insert(.player)
  }

  private mutating func advanced(to song: SongID) {
    guard let left = currentID else { return }
    failures = 0
    // The queue or the modes have changed since the player got its upcoming songs.
    guard queue[song] != nil, !pausesBehindCurrent else {
      finish(left)
      return
    }
    becomeCurrent(song)
    announced = nil
    effects.changed.insert(.player)
    if song != left { consume(left) }
  }

  private var pausesBehindCurrent: Bool { single != .off && !isRepeating }

  /// Handles the end of a song after which the player has not continued by itself.
  mutating func finish(_ song: SongID) {
    let pauses = pausesBehindCurrent
    if pauses, single == .oneshot {
      single = .off
      effects.changed.insert(.options)
    }
    moveOn(from: song, to: following(song), paused: pauses)
    consume(song)
  }

  /// Continues with the next song after one that cannot be played, whatever `single` says, until as many
  /// songs have failed as the queue has. The song is not consumed: it was not heard, and its disk may come
  /// back.
  ///
  /// `follower` is the song with which the player has already continued, if any.
  private mutating func skip(_ song: SongID, to follower: SongID? = nil) {
    failures += 1
    guard failures < queue.count, let next = succeeding(song) else {
      halt(current: failures < queue.count ? nil : song)
      effects.hasEnded = true
      return
    }
    guard let follower, queue[follower] != nil else {
      start(next)
      return
    }
    becomeCurrent(follower)
    announced = nil
    effects.changed.insert(.player)
  }

  /// Leaves a song for `next`, which may be the same song. Without `next`, playback stops and has ended.
  mutating func moveOn(from song: SongID, to next: SongID?, paused: Bool) {
    guard let next else {
      halt(current: nil)
      effects.hasEnded = true
      return
    }
    state = paused ? .paused : .playing
    start(next)
  }

  /// Removes a song that was heard or skipped from the queue if `consume` is on.
  mutating func consume(_ song: SongID) {
    guard consume != .off, song != currentID, let position = queue.position(of: song) else { return }
    if consume == .oneshot {
      consume = .off
      effects.changed.insert(.options)
    }
    discard(position..<position + 1)
    drawNextRound()
  }
}
