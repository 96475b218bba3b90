package import ControlProtocol

/// The requested playback state. The player's own state may differ, since the player may wait for a server or
/// be suspended. State files store the index of the case, so the order must not change.
package enum PlaybackState: UInt8, Hashable, Sendable, CaseIterable {
  /// No song is loaded. A current song may exist: `play` starts it.
  case stopped
  /// The current song plays, or will play as soon as possible.
  case playing
  case paused
}

/// Identifies a `start`, `seek` or `stop` action; later ones have larger tickets. A report with an earlier ticket than
/// that of the last such action is outdated.
package struct PlaybackTicket: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static func < (lhs: PlaybackTicket, rhs: PlaybackTicket) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// An action for the player, to be performed in order. Positions are seconds from the beginning of the song's
/// range.
package enum JukeboxAction: Sendable {
  /// Drop all songs and load `song` at `at` seconds. Sound starts unless `paused`.
  case start(QueuedSong, at: Double, paused: Bool, ticket: PlaybackTicket)
  /// Seek to `to` seconds of `song`, the current song; its upcoming songs stay. If the player has already
  /// continued with another song, act as for `start`, without changing whether playback is paused.
  case seek(QueuedSong, to: Double, ticket: PlaybackTicket)
  case pause
  case resume
  case stop(ticket: PlaybackTicket)
  /// Replace the songs that follow the current one without a gap. A song may occur several times, and may be
  /// the current one. Entries whose id, range or start differs from before must be replaced; the others may
  /// stay.
  case setUpcoming([QueuedSong])
  /// Set the volume in percent, 0 ... 100.
  case setVolume(Int)
  case setMuted(Bool)
  /// Apply a replay gain: `off`, `track` or `album`.
  case setReplayGain(ReplayGainMode)
  case setSpeed(PlaybackSpeed)
}

extension JukeboxAction {
  /// Whether the action concerns the songs and the position rather than the loudness and the speed.
  var isOfTransport: Bool {
    switch self {
    case .start, .seek, .pause, .resume, .stop, .setUpcoming: true
    case .setVolume, .setMuted, .setReplayGain, .setSpeed: false
    }
  }

  /// Whether a pending `earlier` action is obsolete after this one. The owner of the pending actions must drop it: an
  /// outdated `setUpcoming`, for example, would repeat songs that were already heard.
  package func supersedes(_ earlier: JukeboxAction) -> Bool {
    switch (self, earlier) {
    case (.start, _), (.stop, _): earlier.isOfTransport
    case (.setUpcoming, .setUpcoming): true
    default: false
    }
  }
}

/// A report of the player. Each report carries the ticket of the last `start`, `seek` or `stop` that the
/// player performed. A report about leaving a song during a seek in it carries the ticket before the seek.
package enum PlayerReport: Hashable, Sendable {
  /// The current song was heard to its end and the first upcoming song, `to`, follows automatically. Not
  /// reported for a song that the player was instructed to start.
  case advanced(to: SongID)
  /// The song was heard to its end, and the player had no song to follow.
  case ended(SongID)
  /// The song cannot be played, or cannot continue; `reason` is for people and names the file. If the song is
  /// the current one, the player waits for the next action.
  case failed(SongID, reason: String)
  /// The current song cannot be played, or cannot continue, and the player has continued with the upcoming
  /// song `to` automatically. No frame of that song is lost.
  case skipped(SongID, to: SongID, reason: String)
  /// Some of the song was heard. One report per song is enough.
  case heard(SongID)
}

package struct JukeboxEffects: Sendable {
  /// Actions for the player, to be performed in this order after the jukebox's lock is released.
  package var actions: [JukeboxAction] = []
  package var changed: Subsystems = []
  /// Whether the play order has ended, also by `next`: no song follows, or none can be played. False if `stop`, `clear`
  /// or the removal of the current song has stopped playback.
  package var hasEnded = false
  /// The location of the song that last counted as heard to its end; nil if none did since the last `takeEffects()`.
  var finished: SongLocator?

  package init() {}
}

/// A reason for the failure of a change to the jukebox or its queue. The failed method has changed nothing.
package enum JukeboxError: Error, Hashable, Sendable {
  /// A position or range is not in the queue. Most commands accept a range that extends past the end; a range
  /// to be moved must not, and must not be empty.
  case badSongIndex
  case noSuchSong
  case notPlaying
  /// The position is relative to the current song, but no song is current.
  case noCurrentSong
  /// The position is outside the range allowed for this command.
  case numberTooLarge(Int)
  case moveRelativeToItself
  /// The song is playing or paused, so its range cannot be changed.
  case songIsCurrent
  /// The song cannot be played from that position, for example because it is a live stream or its server supports no
  /// partial requests.
  case notSeekable
  /// The song is a local file; its tags come from the file only.
  case songIsLocal
  /// The queue would have more than `SongQueue.maximumCount` songs, a song's tags would be too large, or no
  /// id is left.
  case queueFull
  case pathTooLong
}

extension JukeboxError {
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
