package import ControlProtocol
import SystemSupport

/// The logic of the control commands as a value. Commands and the player's reports go in; `takeEffects()`
/// returns actions for the player and the changed subsystems. No threads, no locks, no I/O.
///
/// `state` is the *requested* state; the player may be waiting or suspended. The player has the current song
/// and the `upcoming` ones, continues automatically without a gap, and reports. The extensions contain
/// transport, modes, the queue, reports, the play order and the saved state.
///
/// The behaviour follows MPD's, including its oddities; the module's page lists the deliberate differences.
package struct JukeboxMachine: Sendable {
  /// The number of upcoming songs that the player gets. The cost of each change of the queue grows with this
  /// number.
  package let upcomingLimit: Int

  package internal(set) var queue = SongQueue()
  package internal(set) var state = PlaybackState.stopped
  /// The song that is playing or paused, or with which `play` starts. In the queue whenever it is not nil.
  package internal(set) var currentID: SongID?
  /// Whether playback continues with the first song after the last one.
  package internal(set) var isRepeating = false
  package internal(set) var isRandom = false
  /// Whether playback pauses after each song (`oneshot`: after one). With `isRepeating`, the current song
  /// repeats instead, unless `consume` is on, which makes `single` ineffective.
  package internal(set) var single = OneshotMode.off
  /// Whether songs leave the queue after they were heard to their end or skipped by `next` (`oneshot`: only the next
  /// such song).
  package internal(set) var consume = OneshotMode.off
  /// The volume in percent, 0 ... 100.
  package internal(set) var volume = 100
  package internal(set) var isMuted = false
  /// Whether clients have disabled the output. Recorded for the saved state only; the owner keeps the player
  /// paused meanwhile.
  package internal(set) var isSwitchedOff = false
  package internal(set) var speed = PlaybackSpeed.normal
  /// The mode that selects the replay gain from the songs' tags.
  package internal(set) var replayGain = ReplayGainMode.off
  /// The reason why a song could not be played or a speed was refused, for people. Reset by `clearError()`, by `play`
  /// and by a seek.
  package internal(set) var error: String?
  /// The positions of long songs, and whether these resume.
  package var positions = ResumePositions()
  /// Whether playback pauses once at the end of the current song, regardless of `single`.
  package internal(set) var pausesAfterSong = false
  package internal(set) var ticket = PlaybackTicket(rawValue: 0)

  /// The random play order, by the queue's slots; nil while the play order is the queue's.
  var shuffled: SlotSequence?
  var generator: SplitMix64
  /// The number of songs that have failed since a song was last heard or requested.
  var failures = 0
  var effects = JukeboxEffects()
  /// The last upcoming songs sent to the player. Nil if the player may have continued by itself since, so
  /// that the songs must be sent again.
  var announced: [Announcement]? = []

  /// The properties of a song that require a new player item when they change.
  struct Announcement: Hashable {
    let id: SongID
    let range: SongRange?
    let start: Double
  }

  /// Creates a stopped jukebox with an empty queue.
  ///
  /// - Parameters:
  ///   - generator: Provides one number, the seed of all random orders.
  ///   - upcomingLimit: The number of upcoming songs that the player gets, 1 or more. With 4, even songs
  ///     shorter than the player's buffers follow each other without a gap.
  package init(using generator: inout some RandomNumberGenerator, upcomingLimit: Int = 4) {
    self.generator = SplitMix64(state: generator.next())
    self.upcomingLimit = upcomingLimit
  }

  // MARK: Queries

  package var currentPosition: Int? {
    guard let currentID else { return nil }
    return queue.position(of: currentID)
  }

  package var currentSong: QueuedSong? {
    guard let currentID, let song = queue[currentID] else { return nil }
    return QueuedSong(id: currentID, song: song)
  }

  /// The next song as shown to clients. Without further commands it follows the current song or, if playback
  /// pauses in between, plays after `play`.
  package var nextID: SongID? {
    guard let currentID else { return nil }
    return following(currentID)
  }

  /// Returns the songs that follow the current one automatically, at most `upcomingLimit`, according to the modes and
  /// the play order. Empty while stopped, and if playback pauses after the current song.
  ///
  /// The list may be too short near the end of a random round, since the next round is drawn when the last
  /// song begins. Even then the list contains the next song, if one follows.
  package func upcoming() -> [QueuedSong] {
    guard state != .stopped, !pausesAfterSong, let currentSong else { return [] }
    if single != .off {
      guard isRepeating else { return [] }
      if consume == .off { return Array(repeating: currentSong, count: upcomingLimit) }
    }
    let count = queue.count
    let start = orderRank(of: currentSong.id)
    var songs: [QueuedSong] = []
    for distance in 1...upcomingLimit {
      var rank = start + distance
      if rank >= count {
        // A consumed song does not play again; the next random round is not drawn yet.
        let isKnown = consume == .off ? !isRandom || count == 1 : distance < count
        guard isRepeating, isKnown else { break }
        rank %= count
      }
      var next = queue.queued(orderSlot(rank))
      if next.id != currentSong.id { next.start = positions.start(of: next.song) }
      songs.append(next)
    }
    return songs
  }

  // MARK: Effects

  /// Returns the effects since the last call. Call it under the same lock as the commands, and perform the
  /// actions, in order, after the lock is released.
  package mutating func takeEffects() -> JukeboxEffects {
    let upcoming = upcoming()
    let announcement = upcoming.map { Announcement(id: $0.id, range: $0.song.range, start: $0.start) }
    if announcement != announced {
      announced = announcement
      effects.actions.append(.setUpcoming(upcoming))
    }
    defer { effects = JukeboxEffects() }
    return effects
  }

  /// Moves the player to a song, at `position` in seconds or, if nil, where a long song was left. The state
  /// must already be playing or paused.
  mutating func start(_ id: SongID, at position: Double? = nil) {
    guard let song = queue[id] else { return }
    let seconds = position ?? positions.start(of: song)
    becomeCurrent(id)
    supersede()
    effects.actions.append(
      .start(QueuedSong(id: id, song: song), at: seconds, paused: state == .paused, ticket: ticket))
    effects.changed.insert(.player)
  }

  mutating func halt(current: SongID?) {
    if state != .stopped || current != currentID { effects.changed.insert(.player) }
    currentID = current
    guard state != .stopped else { return }
    state = .stopped
    pausesAfterSong = false
    supersede()
    effects.actions.append(.stop(ticket: ticket))
  }

  /// Takes the next ticket, and drops pending transport actions because the new action makes them obsolete.
  private mutating func supersede() {
    ticket = PlaybackTicket(rawValue: ticket.rawValue + 1)
    announced = []
    effects.actions.removeAll { $0.isOfTransport }
  }

  mutating func seekCurrent(to seconds: Double) {
    guard let currentSong else { return }
    ticket = PlaybackTicket(rawValue: ticket.rawValue + 1)
    announced = nil
    effects.actions.append(.seek(currentSong, to: seconds, ticket: ticket))
    effects.changed.insert(.player)
  }
}

/// The modes. Setting a mode to its current value has no effect and notifies no client.
extension JukeboxMachine {
  package mutating func setRepeat(_ on: Bool) {
    guard on != isRepeating else { return }
    isRepeating = on
    effects.changed.insert(.options)
    drawNextRound()
  }

  /// Sets whether songs play in random order. The current song begins the round.
  ///
  /// Switching on takes time proportional to the length of the queue, since it draws the order.
  package mutating func setRandom(_ on: Bool) {
    guard on != isRandom else { return }
    isRandom = on
    if on { drawOrder() } else { shuffled = nil }
    if replayGain == .auto { effects.actions.append(.setReplayGain(replayGainNow)) }
    effects.changed.insert(.options)
  }

  package mutating func setSingle(_ setting: OneshotMode) {
    guard setting != single else { return }
    single = setting
    effects.changed.insert(.options)
  }

  /// Sets whether playback pauses once at the end of the current song. Has no effect when stopped.
  package mutating func setPausesAfterSong(_ on: Bool) {
    guard on != pausesAfterSong, state != .stopped else { return }
    pausesAfterSong = on
  }

  package mutating func setSpeed(_ speed: PlaybackSpeed) {
    guard speed != self.speed else { return }
    self.speed = speed
    effects.actions.append(.setSpeed(speed))
    effects.changed.insert(.options)
  }

  /// Returns to the normal speed because the player supports no other. Clients get `reason` as the error.
  package mutating func refuseSpeed(_ reason: String) {
    setSpeed(.normal)
    note(reason)
  }

  package mutating func setReplayGain(_ mode: ReplayGainMode) {
    guard mode != replayGain else { return }
    let before = replayGainNow
    replayGain = mode
    if replayGainNow != before { effects.actions.append(.setReplayGain(replayGainNow)) }
    effects.changed.insert(.options)
  }

  /// The effective mode. As in mpd, `auto` means track gain in random order and album gain otherwise.
  var replayGainNow: ReplayGainMode {
    guard replayGain == .auto else { return replayGain }
    return isRandom ? .track : .album
  }

  package mutating func setConsume(_ setting: OneshotMode) {
    guard setting != consume else { return }
    consume = setting
    effects.changed.insert(.options)
    drawNextRound()
  }
}
