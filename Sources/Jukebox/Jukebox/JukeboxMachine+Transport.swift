internal import ControlProtocol

extension JukeboxMachine {
  /// Resumes when paused. When stopped, starts the current song; without one, starts the first song or, in
  /// random order, a random one. While playing or on an empty queue, only clears the error.
  package mutating func play() {
    forgetErrors()
    switch state {
    case .playing: break
    case .paused: pause(false)
    case .stopped:
      guard !queue.isEmpty else { return }
      if isRandom, currentID == nil { drawOrder() }
      state = .playing
      start(currentID ?? orderID(0))
    }
  }

  package mutating func play(position: Int) throws(JukeboxError) {
    guard let song = queue[position: position] else { throw .badSongIndex }
    play(song.id)
  }

  package mutating func play(id: SongID) throws(JukeboxError) {
    guard queue[id] != nil else { throw .noSuchSong }
    play(id)
  }

  /// Starts a song at its beginning. A long song resumes where it was left, unless it is playing or paused
  /// already.
  private mutating func play(_ id: SongID) {
    let isRestart = id == currentID && state != .stopped
    forgetErrors()
    bringForward(id)
    state = .playing
    start(id, at: isRestart ? 0 : nil)
  }

  /// Pauses (true), resumes (false) or toggles (nil). Has no effect when stopped.
  package mutating func pause(_ paused: Bool? = nil) {
    guard state != .stopped else { return }
    let paused = paused ?? (state == .playing)
    guard paused != (state == .paused) else { return }
    state = paused ? .paused : .playing
    effects.actions.append(paused ? .pause : .resume)
    effects.changed.insert(.player)
  }

  /// Stops. The current song is kept; the next `play` starts it.
  package mutating func stop() { halt(current: currentID) }

  /// Plays the next song in the play order, regardless of `single`. If no song follows, stops without a
  /// current song.
  ///
  /// - Throws: `notPlaying` when stopped.
  package mutating func next() throws(JukeboxError) {
    guard state != .stopped, let left = currentID else { throw .notPlaying }
    failures = 0
    moveOn(from: left, to: succeeding(left), paused: false)
    consume(left)
  }

  /// Plays the previous song in the play order. If the first song is current, plays the last one with
  /// repeat; without repeat, plays the first song again from its beginning.
  ///
  /// - Throws: `notPlaying` when stopped.
  package mutating func previous() throws(JukeboxError) {
    guard state != .stopped, let left = currentID else { throw .notPlaying }
    failures = 0
    state = .playing
    let song = preceding(left)
    start(song, at: song == left ? 0 : nil)
  }

  /// The position in a song and its duration according to the player, in seconds. `duration` is nil if the
  /// player does not know it.
  package typealias Progress = (seconds: Double, duration: Double?)

  /// Seeks to `seconds` of the song at `position`, and plays if stopped. A target at or after a known end counts as the
  /// end of the song; when paused, the position becomes that end. `progress` is the player's progress in the song; nil
  /// if another song is the player's current one.
  ///
  /// - Throws: `badSongIndex` if `position` is not in the queue.
  package mutating func seek(
    position: Int, to seconds: Double, progress: Progress? = nil
  ) throws(JukeboxError) {
    guard let song = queue[position: position] else { throw .badSongIndex }
    seek(song.id, to: seconds, progress)
  }

  package mutating func seek(
    id: SongID, to seconds: Double, progress: Progress? = nil
  ) throws(JukeboxError) {
    guard queue[id] != nil else { throw .noSuchSong }
    seek(id, to: seconds, progress)
  }

  /// Seeks to `seconds` of the current song. For a relative seek the caller adds the current position; a
  /// negative sum means the beginning.
  ///
  /// - Throws: `notPlaying` when stopped.
  package mutating func seekCurrent(_ seconds: Double, progress: Progress? = nil) throws(JukeboxError) {
    guard state != .stopped, let currentID else { throw .notPlaying }
    seek(currentID, to: seconds, progress)
  }

  private mutating func seek(_ id: SongID, to seconds: Double, _ progress: Progress?) {
    forgetErrors()
    // NaN is treated like a negative number.
    var seconds = seconds > 0 ? seconds : 0
    var duration = progress?.duration ?? queue[id]?.duration ?? .infinity
    // Playback has passed the end: files joined to one announce the length of the first, and a length
    // estimated from the first frame may be too short. The player will report the actual end.
    if let progress, progress.seconds > duration { duration = .infinity }
    let isElsewhere = id != currentID || state == .stopped
    bringForward(id)
    if state == .paused {
      seconds = min(seconds, duration)
    } else if seconds >= duration {
      state = .playing
      becomeCurrent(id)
      forgetPosition(of: id)
      finish(id)
      return
    }
    if isElsewhere {
      if state == .stopped { state = .playing }
      start(id, at: seconds)
    } else {
      seekCurrent(to: seconds)
    }
  }

  package mutating func clearError() {
    guard error != nil else { return }
    error = nil
    effects.changed.insert(.player)
  }

  /// Resets the failure count and the error message when a client requests a song.
  private mutating func forgetErrors() {
    failures = 0
    clearError()
  }

  package mutating func setVolume(_ volume: Int) {
    self.volume = min(max(volume, 0), 100)
    effects.actions.append(.setVolume(self.volume))
    effects.changed.insert(.mixer)
  }

  package mutating func setMuted(_ muted: Bool) {
    isMuted = muted
    effects.actions.append(.setMuted(muted))
    effects.changed.insert(.mixer)
  }

  package mutating func setSwitchedOff(_ isOff: Bool) {
    guard isOff != isSwitchedOff else { return }
    isSwitchedOff = isOff
    effects.changed.insert(.output)
  }

  /// Sends a new player, which has default settings, the whole state: volume, mute, replay gain and speed. Unless
  /// stopped, also starts the current song at `seconds`, playing or paused as requested.
  package mutating func relaunch(at seconds: Double) {
    effects.actions.append(.setVolume(volume))
    effects.actions.append(.setMuted(isMuted))
    if replayGain != .off { effects.actions.append(.setReplayGain(replayGainNow)) }
    if speed != .normal { effects.actions.append(.setSpeed(speed)) }
    guard state != .stopped, let currentID else { return }
    start(currentID, at: seconds > 0 ? seconds : 0)
  }
}

extension JukeboxMachine {
  /// Handles a report that the player made under `ticket`. Only the error is kept of a report that precedes
  /// the last `start`, `seek` or `stop`, or that arrives while stopped.
  package mutating func report(_ report: PlayerReport, ticket: PlaybackTicket) {
    switch report {
    case .failed(_, let reason) where ticket != self.ticket || state == .stopped,
      .skipped(_, _, let reason) where ticket != self.ticket || state == .stopped:
      note(reason)
    case _ where ticket != self.ticket || state == .stopped: break
    case .advanced(let song): advanced(to: song)
    case .ended(let song) where song == currentID:
      failures = 0
      forgetPosition(of: song)
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

  mutating func note(_ reason: String) {
    error = reason
    effects.changed.insert(.player)
  }

  private mutating func forgetPosition(of song: SongID) {
    guard let song = queue[song] else { return }
    positions.remove(song)
    effects.finished = song.locator
  }

  /// Records the position at which a song was left or stopped, unless it counts as heard to its end since the
  /// last `takeEffects()`.
  package mutating func notePosition(in song: Song, at progress: Progress) {
    guard song.locator != effects.finished else { return }
    positions.note(song, leftAt: progress.seconds, duration: progress.duration ?? song.duration)
  }

  private mutating func advanced(to song: SongID) {
    guard let left = currentID else { return }
    failures = 0
    forgetPosition(of: left)
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

  private var pausesBehindCurrent: Bool { pausesAfterSong || single != .off && !isRepeating }

  /// Handles the end of a song: continues with the following one or pauses or stops, as the modes require.
  mutating func finish(_ song: SongID) {
    let pauses = pausesBehindCurrent
    if pausesAfterSong {
      pausesAfterSong = false
    } else if pauses, single == .oneshot {
      single = .off
      effects.changed.insert(.options)
    }
    moveOn(from: song, to: following(song), paused: pauses)
    consume(song)
  }

  /// Continues with the next song after one that cannot be played, regardless of `single`, until as many
  /// songs have failed as the queue has. The failed song is not consumed, because it was not heard and its
  /// disk may become available again.
  ///
  /// `follower` is the song with which the player has already continued, if any.
  private mutating func skip(_ song: SongID, to follower: SongID? = nil) {
    failures += 1
    guard failures < queue.count, let next = succeeding(song) else {
      halt(current: failures < queue.count ? nil : song)
      effects.hasEnded = true
      return
    }
    // If a song repeats, the upcoming songs are copies of it. All copies would fail, and each would count as
    // another failed song.
    guard let follower, follower != song, queue[follower] != nil else {
      start(next)
      return
    }
    becomeCurrent(follower)
    announced = nil
    effects.changed.insert(.player)
  }

  /// Leaves a song for `next`, which may be the same song. Without `next`, playback stops and the play order
  /// has ended.
  mutating func moveOn(from song: SongID, to next: SongID?, paused: Bool) {
    guard let next else {
      halt(current: nil)
      effects.hasEnded = true
      return
    }
    state = paused ? .paused : .playing
    start(next)
  }

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
