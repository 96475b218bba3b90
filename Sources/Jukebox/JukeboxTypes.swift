package import ControlProtocol

/// What is asked for. Whether sound moves is the player's business: it may wait for a server or be suspended.
package enum PlaybackState: UInt8, Hashable, Sendable, CaseIterable {
  /// Nothing is loaded. There may be a current song nevertheless: it is where `play` begins.
  case stopped = 0
  /// The current song sounds, or will as soon as it can.
  case playing = 1
  /// The current song stands still at its place.
  case paused = 2
}

/// Numbers the orders to the player that move it to another place. A report that was made under an older order than
/// the last is about a past that no longer counts.
package struct PlaybackTicket: RawRepresentable, Hashable, Comparable, Sendable {
  /// Grows with each order.
  package let rawValue: UInt64

  /// Any number.
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The older order is the smaller one.
  package static func < (lhs: PlaybackTicket, rhs: PlaybackTicket) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// What the player is to do, in order. Places are seconds from the song's beginning, which is that of its range.
package enum JukeboxAction: Sendable {
  /// Drop everything and stand at `at` seconds of `song`; sound unless `paused`.
  case start(QueuedSong, at: Double, paused: Bool, ticket: PlaybackTicket)
  /// Go to `to` seconds of `song`, which is the current one; what follows it stays. If the player has gone on to
  /// another song already: the same as `start`, paused or not as it is.
  case seek(QueuedSong, to: Double, ticket: PlaybackTicket)
  /// Stand still where you are.
  case pause
  /// Sound again from where you stand.
  case resume
  /// Drop everything.
  case stop(ticket: PlaybackTicket)
  /// Have these follow the current song, without a gap, instead of what was to follow. The same song may be there
  /// several times, also the current one; what differs from before in number or range has to be exchanged, the rest
  /// may stay.
  case setUpcoming([QueuedSong])
  /// 0 ... 100.
  case setVolume(Int)
  /// Silence without touching the volume.
  case setMuted(Bool)
  /// `off`, `track` or `album`.
  case setReplayGain(ReplayGainMode)
}

extension JukeboxAction {
  /// Whether it concerns what is played, and not how loud.
  var isOfTransport: Bool {
    switch self {
    case .start, .seek, .pause, .resume, .stop, .setUpcoming: true
    case .setVolume, .setMuted, .setReplayGain: false
    }
  }

  /// Whether `earlier`, given before and not carried out yet, is pointless now. It has to be dropped: what was to
  /// follow a song long heard would be played once more.
  package func supersedes(_ earlier: JukeboxAction) -> Bool {
    switch (self, earlier) {
    case (.start, _), (.stop, _): earlier.isOfTransport
    case (.setUpcoming, .setUpcoming): true
    default: false
    }
  }
}

/// What the player says. Each report goes with the ticket of the last `start`, `seek` or `stop` that it has obeyed.
package enum PlayerReport: Hashable, Sendable {
  /// The current song was heard to its end and this one, the first of the upcoming ones, follows by itself. Not for a
  /// song that the player was told to start.
  case advanced(to: SongID)
  /// This song was heard to its end, and the player had none to follow.
  case ended(SongID)
  /// This song cannot be played, or not on; the reason is for people and names the file. If it is the current one,
  /// the player waits for what comes next.
  case failed(SongID, reason: String)
  /// The current song cannot be played, or not on, and the player has gone on to this one by itself, one of the
  /// upcoming ones: not a frame of it is lost.
  case skipped(SongID, to: SongID, reason: String)
  /// Some of this song is heard. Once for each song will do.
  case heard(SongID)
}

/// What has come of one or more commands and reports.
package struct JukeboxEffects: Sendable {
  /// For the player, in this order, after the lock is released.
  package var actions: [JukeboxAction] = []
  /// For clients that wait.
  package var changed: Subsystems = []
  /// The play order has come to its end: nothing follows, or nothing can be played. Not where somebody asked for
  /// silence: `stop`, `clear`, and taking the current song out are no such end.
  package var hasEnded = false

  /// No effects yet.
  package init() {}
}

/// Why a command was not carried out. Nothing has changed then.
package enum JukeboxError: Error, Hashable, Sendable {
  /// No song stands at that position, or the range begins behind the end of the queue.
  case badSongIndex
  /// No song of the queue has that number.
  case noSuchSong
  /// The command needs a song that plays or is paused.
  case notPlaying
  /// A position relative to the current song, and there is none.
  case noCurrentSong
  /// The position is beyond what the queue allows for this command.
  case numberTooLarge(Int)
  /// The current song cannot be moved to a place that is relative to itself.
  case moveRelativeToItself
  /// The song is playing or paused: its range cannot be changed.
  case songIsCurrent
  /// The song cannot go on at that place: a live stream, or what a server gives only from the beginning.
  case notSeekable
  /// The song is a file, and its tags are what that says.
  case songIsLocal
  /// The queue has `SongQueue.maximumCount` songs, or has used up all numbers.
  case queueFull
  /// The path is longer than `SongLocator.maximumPathLength`.
  case pathTooLong
}

extension JukeboxError {
  /// What is wrong, in mpd's words.
  package var message: String {
    switch self {
    case .badSongIndex: "Bad song index"
    case .noSuchSong: "No such song"
    case .notPlaying: "Not playing"
    case .noCurrentSong: "No current song"
    case .numberTooLarge(let number): "Number too large: \(number)"
    case .moveRelativeToItself: "Cannot move current song relative to itself"
    case .songIsCurrent: "Cannot edit the current song"
    case .notSeekable: "Not seekable"
    case .songIsLocal: "Cannot edit tags of local file"
    case .queueFull: "Playlist is too large"
    case .pathTooLong: "The name is too long"
    }
  }
}
