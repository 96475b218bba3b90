package import ControlProtocol

/// The logic behind the control commands as a value: commands and the player's reports go in, actions and the names of
/// what changed come out by `takeEffects()`. No threads, no locks, no I/O.
///
/// `state` is what is *asked for*; the player below may be waiting or suspended. It plays several songs ahead: it has
/// the current one and `upcoming`, goes on by itself without a gap, and reports. The parts are in extensions, one file
/// each: transport, modes, the queue, reports, the play order, the saved state.
///
/// The behaviour follows MPD's, down to what looks odd there; the module's page lists where it differs on purpose.
package struct JukeboxMachine: Sendable {
  /// How many songs the player is told ahead. Each change of the queue looks at so many.
  package let upcomingLimit: Int

  /// The songs. Edits go through the machine, since they may change what plays.
  package internal(set) var queue = SongQueue()
  /// What is asked for.
  package internal(set) var state = PlaybackState.stopped
  /// The song that plays, is paused, or is where `play` begins. In the queue whenever it is not `nil`.
  package internal(set) var currentID: SongID?
  /// Begin again behind the last song.
  package internal(set) var isRepeating = false
  /// Play in an order of its own that chance made.
  package internal(set) var isRandom = false
  /// Pause behind each song, or with `isRepeating`: play the current one again and again.
  package internal(set) var single = OneshotMode.off
  /// Take songs out of the queue that were heard to their end or skipped by `next`.
  package internal(set) var consume = OneshotMode.off
  /// 0 ... 100.
  package internal(set) var volume = 100
  /// Silent, whatever the volume.
  package internal(set) var isMuted = false
  /// Which of the levels in songs' tags makes them louder or quieter.
  package internal(set) var replayGain = ReplayGainMode.off
  /// Why a song could not be played, for people; stays until `clearError` or a song is asked for.
  package internal(set) var error: String?
  /// Of the last order that moved the player.
  package internal(set) var ticket = PlaybackTicket(rawValue: 0)

  /// The play order as long as it is not the queue's, by the queue's slots.
  var shuffled: SlotSequence?
  var generator: SplitMix64
  /// Songs that failed one after the other with nothing heard between them.
  var failures = 0
  var effects = JukeboxEffects()
  /// What the player has been told to play after the current song, as number and range; `nil` when it may have gone on
  /// by itself since, so that it has to be told in any case.
  var announced: [Announcement]? = []

  /// What makes the player exchange an item it has.
  struct Announcement: Hashable {
    let id: SongID
    let range: SongRange?
  }

  /// A stopped jukebox with an empty queue.
  ///
  /// - Parameters:
  ///   - generator: Gives one number, from which all chance comes.
  ///   - upcomingLimit: How many songs the player is told ahead, 1 and above. With 4, songs that are shorter than the
  ///     player's buffers follow each other without a gap.
  package init(using generator: inout some RandomNumberGenerator, upcomingLimit: Int = 4) {
    self.generator = SplitMix64(state: generator.next())
    self.upcomingLimit = upcomingLimit
  }

  // MARK: Asking

  /// Where the current song stands in the queue.
  package var currentPosition: Int? {
    guard let currentID else { return nil }
    return queue.position(of: currentID)
  }

  /// The current song.
  package var currentSong: QueuedSong? {
    guard let currentID, let song = queue[currentID] else { return nil }
    return QueuedSong(id: currentID, song: song)
  }

  /// What clients are shown as the next song: it follows if nobody does anything, at the latest after `play`.
  package var nextID: SongID? {
    guard let currentID else { return nil }
    return following(currentID)
  }

  /// The songs that will follow the current one by themselves, at most `limit` (nil: `upcomingLimit`): the modes
  /// respected, the order of chance fixed. Empty while stopped, and where playback pauses behind the current song.
  ///
  /// The list may be shorter than what will be played (a new random round is drawn when the last song of the old one
  /// begins), but is only empty if nothing follows.
  package func upcoming(limit: Int? = nil) -> [QueuedSong] {
    let limit = limit ?? upcomingLimit
    guard state != .stopped, let currentSong, limit > 0 else { return [] }
    if single != .off {
      guard isRepeating else { return [] }
      if consume == .off { return Array(repeating: currentSong, count: limit) }
    }
    let count = queue.count
    let start = orderRank(of: currentSong.id)
    var songs: [QueuedSong] = []
    for distance in 1...limit {
      var rank = start + distance
      if rank >= count {
        // A song that is consumed does not come again; the next round of chance is not drawn yet.
        let isKnown = consume == .off ? !isRandom || count == 1 : distance < count
        guard isRepeating, isKnown else { break }
        rank %= count
      }
      songs.append(queue.queued(orderSlot(rank)))
    }
    return songs
  }

  // MARK: Effects

  /// What is to be done since it was asked last. Under the same lock as the commands; the actions are carried out
  /// after it is released, in order.
  package mutating func takeEffects() -> JukeboxEffects {
    let upcoming = upcoming()
    let announcement = upcoming.map { Announcement(id: $0.id, range: $0.song.range) }
    if announcement != announced {
      announced = announcement
      effects.actions.append(.setUpcoming(upcoming))
    }
    defer { effects = JukeboxEffects() }
    return effects
  }

  /// Moves the player to a song; the state is playing or paused already.
  mutating func start(_ id: SongID, at seconds: Double = 0) {
    guard let song = queue[id] else { return }
    becomeCurrent(id)
    supersede()
    effects.actions.append(
      .start(QueuedSong(id: id, song: song), at: seconds, paused: state == .paused, ticket: ticket))
    effects.changed.insert(.player)
  }

  /// The player lets everything go; `current` is where the next `play` begins.
  mutating func halt(current: SongID?) {
    if state != .stopped || current != currentID { effects.changed.insert(.player) }
    currentID = current
    guard state != .stopped else { return }
    state = .stopped
    supersede()
    effects.actions.append(.stop(ticket: ticket))
  }

  /// Takes the next ticket, and drops the transport orders that were not handed out yet: they are pointless now.
  private mutating func supersede() {
    ticket = PlaybackTicket(rawValue: ticket.rawValue + 1)
    announced = []
    effects.actions.removeAll { $0.isOfTransport }
  }

  /// Goes to another place of the current song.
  mutating func seekCurrent(to seconds: Double) {
    guard let currentSong else { return }
    ticket = PlaybackTicket(rawValue: ticket.rawValue + 1)
    announced = nil
    effects.actions.append(.seek(currentSong, to: seconds, ticket: ticket))
    effects.changed.insert(.player)
  }
}
