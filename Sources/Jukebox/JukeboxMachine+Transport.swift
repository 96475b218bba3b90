internal import ControlProtocol

extension JukeboxMachine {
  /// Goes on where it was paused; begins at the current song when stopped, without one at the first, or at one that
  /// chance chooses. Nothing happens while it plays, or to an empty queue.
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

  /// Plays the song at `position` from its beginning, also if it is the current one.
  ///
  /// - Throws: `badSongIndex`.
  package mutating func play(position: Int) throws(JukeboxError) {
    guard let song = queue[position: position] else { throw .badSongIndex }
    play(song.id)
  }

  /// Plays the song of that number from its beginning, also if it is the current one.
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

  /// Pauses (`true`), goes on (`false`) or changes between the two (`nil`). Nothing happens when stopped.
  package mutating func pause(_ paused: Bool? = nil) {
    guard state != .stopped else { return }
    let paused = paused ?? (state == .playing)
    guard paused != (state == .paused) else { return }
    state = paused ? .paused : .playing
    effects.actions.append(paused ? .pause : .resume)
    effects.changed.insert(.player)
  }

  /// Stops; the current song stays the one where `play` begins.
  package mutating func stop() { halt(current: currentID) }

  /// Plays the next song in the play order, whatever `single` says; stops behind the last one, with no current song.
  ///
  /// - Throws: `notPlaying` when stopped.
  package mutating func next() throws(JukeboxError) {
    guard state != .stopped, let left = currentID else { throw .notPlaying }
    failures = 0
    moveOn(from: left, to: succeeding(left), paused: false)
    consume(left)
  }

  /// Plays the song before the current one in the play order; the first one again from its beginning.
  ///
  /// - Throws: `notPlaying` when stopped.
  package mutating func previous() throws(JukeboxError) {
    guard state != .stopped, let left = currentID else { throw .notPlaying }
    failures = 0
    state = .playing
    start(preceding(left))
  }

  /// Goes to `seconds` of the song at `position`, playing if stopped. Behind its end, if that is known: as if it had
  /// been heard to its end, or when paused, at the end.
  ///
  /// - Throws: `badSongIndex`.
  package mutating func seek(position: Int, to seconds: Double) throws(JukeboxError) {
    guard let song = queue[position: position] else { throw .badSongIndex }
    seek(song.id, to: seconds)
  }

  /// The same for the song of that number.
  ///
  /// - Throws: `noSuchSong`.
  package mutating func seek(id: SongID, to seconds: Double) throws(JukeboxError) {
    guard queue[id] != nil else { throw .noSuchSong }
    seek(id, to: seconds)
  }

  /// The same for the current song. For a relative seek the caller adds the way to the place where it is; a negative
  /// sum is the beginning.
  ///
  /// - Throws: `notPlaying` when stopped.
  package mutating func seekCurrent(_ seconds: Double) throws(JukeboxError) {
    guard state != .stopped, let currentID else { throw .notPlaying }
    seek(currentID, to: seconds)
  }

  private mutating func seek(_ id: SongID, to seconds: Double) {
    forgetErrors()
    // Not a number is as bad as a negative one.
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

  /// Forgets why songs could not be played.
  package mutating func clearError() {
    guard error != nil else { return }
    error = nil
    effects.changed.insert(.player)
  }

  /// Someone asks for a song: what failed before counts no more.
  private mutating func forgetErrors() {
    failures = 0
    clearError()
  }

  /// The volume, cut to 0 ... 100.
  package mutating func setVolume(_ volume: Int) {
    self.volume = min(max(volume, 0), 100)
    effects.actions.append(.setVolume(self.volume))
    effects.changed.insert(.mixer)
  }

  /// Silence, or not.
  package mutating func setMuted(_ muted: Bool) {
    isMuted = muted
    effects.actions.append(.setMuted(muted))
    effects.changed.insert(.mixer)
  }

  /// The player has died and a new one is there: everything that it has to know to go on at `seconds` of the current
  /// song, as it was asked for.
  package mutating func relaunch(at seconds: Double) {
    effects.actions.append(.setVolume(volume))
    effects.actions.append(.setMuted(isMuted))
    if replayGain != .off { effects.actions.append(.setReplayGain(replayGainNow)) }
    guard state != .stopped, let currentID else { return }
    start(currentID, at: seconds > 0 ? seconds : 0)
  }
}
