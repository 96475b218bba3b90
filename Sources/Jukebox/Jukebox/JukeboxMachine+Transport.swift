internal import ControlProtocol

extension JukeboxMachine {
  /// Resumes when paused. When stopped, starts the current song; without one, starts the first song or, in
  /// random order, a random one. Has no effect while playing or on an empty queue.
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

  /// Plays the song at `position` from its beginning, even if that is the current song.
  ///
  /// - Throws: `badSongIndex`.
  package mutating func play(position: Int) throws(JukeboxError) {
    guard let song = queue[position: position] else { throw .badSongIndex }
    play(song.id)
  }

  /// Plays the song with that id from its beginning, even if that is the current song.
  ///
  /// - Throws: `noSuchSong`.
  package mutating func play(id: SongID) throws(JukeboxError) {
    guard queue[id] != nil else { throw .noSuchSong }
    play(id)
  }

  private mutating func play(_ id: SongID) {
    forgetErrors()
    bringForward(id)
    state = .playing
    start(id)
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

  /// Plays the next song in the play order, whatever `single` says. After the last song, stops without a
  /// current song.
  ///
  /// - Throws: `notPlaying` when stopped.
  package mutating func next() throws(JukeboxError) {
    guard state != .stopped, let left = currentID else { throw .notPlaying }
    failures = 0
    moveOn(from: left, to: succeeding(left), paused: false)
    consume(left)
  }

  /// Plays the previous song in the play order, or the first song again from its beginning.
  ///
  /// - Throws: `notPlaying` when stopped.
  package mutating func previous() throws(JukeboxError) {
    guard state != .stopped, let left = currentID else { throw .notPlaying }
    failures = 0
    state = .playing
    start(preceding(left))
  }

  /// Seeks to `seconds` of the song at `position`, and plays if stopped. A target at or after a known end
  /// counts as the end of the song; when paused, the position is the song's end.
  ///
  /// - Throws: `badSongIndex`.
  package mutating func seek(position: Int, to seconds: Double) throws(JukeboxError) {
    guard let song = queue[position: position] else { throw .badSongIndex }
    seek(song.id, to: seconds)
  }

  /// Seeks to `seconds` of the song with that id, and plays if stopped, as `seek(position:to:)` does.
  ///
  /// - Throws: `noSuchSong`.
  package mutating func seek(id: SongID, to seconds: Double) throws(JukeboxError) {
    guard queue[id] != nil else { throw .noSuchSong }
    seek(id, to: seconds)
  }

  /// Seeks to `seconds` of the current song. For a relative seek the caller adds the current position; a
  /// negative sum means the beginning.
  ///
  /// - Throws: `notPlaying` when stopped.
  package mutating func seekCurrent(_ seconds: Double) throws(JukeboxError) {
    guard state != .stopped, let currentID else { throw .notPlaying }
    seek(currentID, to: seconds)
  }

  private mutating func seek(_ id: SongID, to seconds: Double) {
    forgetErrors()
    // NaN is treated like a negative number.
    var seconds = seconds > 0 ? seconds : 0
    let duration = queue[id]?.duration ?? .infinity
    let isElsewhere = id != currentID || state == .stopped
    bringForward(id)
    if state == .paused {
      seconds = min(seconds, duration)
    } else if seconds >= duration {
      state = .playing
      becomeCurrent(id)
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

  /// Removes the error message.
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

  /// Sets the volume in percent, clamped to 0 ... 100.
  package mutating func setVolume(_ volume: Int) {
    self.volume = min(max(volume, 0), 100)
    effects.actions.append(.setVolume(self.volume))
    effects.changed.insert(.mixer)
  }

  /// Mutes or unmutes the output.
  package mutating func setMuted(_ muted: Bool) {
    isMuted = muted
    effects.actions.append(.setMuted(muted))
    effects.changed.insert(.mixer)
  }

  /// Sends a new player the whole state after the previous one died: volume, mute, replay gain, and the
  /// current song at `seconds`, playing or paused as requested.
  package mutating func relaunch(at seconds: Double) {
    effects.actions.append(.setVolume(volume))
    effects.actions.append(.setMuted(isMuted))
    if replayGain != .off { effects.actions.append(.setReplayGain(replayGainNow)) }
    guard state != .stopped, let currentID else { return }
    start(currentID, at: seconds > 0 ? seconds : 0)
  }
}
