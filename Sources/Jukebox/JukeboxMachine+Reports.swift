internal import ControlProtocol

extension JukeboxMachine {
  /// The player says something that happened under `ticket`. What happened before the last order counts no more.
  package mutating func report(_ report: PlayerReport, ticket: PlaybackTicket) {
    switch report {
    case .failed(_, let reason) where ticket != self.ticket || state == .stopped,
      .skipped(_, _, let reason) where ticket != self.ticket || state == .stopped:
      note(reason)
    case _ where ticket != self.ticket || state == .stopped:
      break
    case .advanced(let song):
      advanced(to: song)
    case .ended(let song) where song == currentID:
      failures = 0
      finish(song)
    case .failed(let song, let reason):
      note(reason)
      if song == currentID { skip(song) }
    case .skipped(let song, let follower, let reason):
      note(reason)
      if song == currentID { skip(song, to: follower) }
    case .heard(let song) where song == currentID:
      failures = 0
    case .ended, .heard:
      break
    }
  }

  private mutating func note(_ reason: String) {
    error = reason
    effects.changed.insert(.player)
  }

  private mutating func advanced(to song: SongID) {
    guard let left = currentID else { return }
    failures = 0
    // Since the player was told what follows, the queue or the modes have changed.
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

  /// A song was heard to its end and the player has not gone on by itself.
  mutating func finish(_ song: SongID) {
    let pauses = pausesBehindCurrent
    if pauses, single == .oneshot {
      single = .off
      effects.changed.insert(.options)
    }
    moveOn(from: song, to: following(song), paused: pauses)
    consume(song)
  }

  /// A song cannot be played: on to the next one, whatever `single` says, until as many have failed as there are. It
  /// is not consumed, since nobody has heard it and its disk may come back. `follower`: what the player has already
  /// gone on to.
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

  /// Leaves a song for another, which may be itself, or for nothing.
  mutating func moveOn(from song: SongID, to next: SongID?, paused: Bool) {
    guard let next else {
      halt(current: nil)
      effects.hasEnded = true
      return
    }
    state = paused ? .paused : .playing
    start(next)
  }

  /// A song was heard or skipped: takes it out if that is wanted.
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
