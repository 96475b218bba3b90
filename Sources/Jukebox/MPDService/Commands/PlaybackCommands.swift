import Clocks
import ControlProtocol
import Jukebox
import JukeboxPlayback
import MusicFiles
import MusicLibrary
import TextFormatting

/// The commands that query and control playback. None of them blocks.
struct PlaybackCommands: Sendable {
  let host: JukeboxHost
  let sound: SoundState
  let home: MusicHome
  var library: MusicDatabase?
  let clock: any HostClock
  let started: HostTime
  let sleepTimer: SleepTimer
  private let kept = CurrentSongReply()

  // MARK: Queries

  private func status() -> Reply {
    let (obstacle, error) = sound.hindrance
    var (status, song) = host.read { (StatusReply($0), $0.state == .stopped ? nil : $0.currentSong) }
    if status.state == .play, obstacle != nil { status.state = .pause }
    if let error { status.error = status.error ?? error }
    if status.state != .stop {
      let place = song.flatMap { host.place.time(of: $0.id) }
      // The player's duration is that of the open file; the metadata's may be older or estimated.
      let duration = place?.duration ?? song?.song.duration
      status.progress = StatusReply.Progress(
        elapsed: Milliseconds(seconds: place?.seconds ?? 0),
        duration: duration.map { Milliseconds(seconds: $0) }, bitRate: place?.bitRate ?? 0,
        audio: song?.song.metadata.flatMap { AudioFormatText($0) })
    }
    status.updatingDatabase = library?.updatingJob
    var reply = Reply()
    status.write(into: &reply)
    return reply
  }

  func currentSong(tags: TagSet) -> Reply {
    guard let key = host.read({ CurrentSongReply.Key($0, tags: tags) }) else { return Reply() }
    if let reply = kept.reply(for: key) { return reply }
    var reply = Reply()
    let current = host.read { machine in
      machine.currentSong.map { (song: $0, key: CurrentSongReply.Key(machine, tags: tags)) }
    }
    if let current, let key = current.key {
      reply.append(current.song, at: key.position, home: home, tags: tags)
      kept.keep(reply, for: key)
    }
    return reply
  }

  /// Returns the reply to `stats`. Without a library it has two lines, as from mpd without a database. With a
  /// library all lines follow, in mpd's order.
  private func stats() -> Reply {
    var reply = Reply()
    reply.append("uptime", Int64(clock.now.seconds(since: started)))
    reply.append("playtime", Int64(sound.secondsPlayed))
    guard let figures = library?.figures else { return reply }
    reply.append("artists", figures.artists)
    reply.append("albums", figures.albums)
    reply.append("songs", figures.songs)
    reply.append("db_playtime", figures.playtime)
    reply.append("db_update", figures.updated)
    return reply
  }

  private func positions() -> Reply {
    var reply = Reply()
    for (locator, seconds) in host.read({ $0.positions }).all {
      reply.append("file", Argument(home.name(of: locator)))
      reply.append("elapsed", Milliseconds(seconds: seconds))
    }
    return reply
  }

  // MARK: Control

  private func seek(_ target: SeekTarget) throws(JukeboxError) {
    // A position in one song means nothing in the next, which may become current in the meantime.
    while try !seek(target, in: host.read { Self.current($0) }) {}
  }

  private static func current(_ machine: borrowing JukeboxMachine) -> SongID? {
    machine.state == .stopped ? nil : machine.currentID
  }

  /// Seeks in the song `id`. Returns false, without effect, if another song is current.
  private func seek(_ target: SeekTarget, in id: SongID?) throws(JukeboxError) -> Bool {
    let seconds: Double
    switch target {
    case .absolute(let time): seconds = time.inSeconds
    case .relative(let distance):
      let position = id.flatMap(host.place.seconds)
      // The player has just left the song, and a relative seek in it is too late.
      if id != nil, position == nil { return true }
      seconds = (position ?? 0) + distance.inSeconds
    }
    return try seek(id, to: seconds) { m, progress throws(JukeboxError) in
      guard Self.current(m) == id else { return false }
      try m.seekCurrent(seconds, progress: progress)
      return true
    }
  }

  /// Seeks by calling `body`. Throws the errors of `body`, and `notSeekable` if the song `id` cannot be played from
  /// `seconds`.
  private func seek<Result: Sendable>(
    _ id: SongID?, to seconds: Double,
    _ body: (inout JukeboxMachine, JukeboxMachine.Progress?) throws(JukeboxError) -> Result
  ) throws(JukeboxError) -> Result {
    if let id, !host.place.canSeek(id, to: seconds) { throw .notSeekable }
    let progress = id.flatMap(host.place.progress)
    return try host.change { m throws(JukeboxError) in try body(&m, progress) }
  }

  /// Performs a transport command, for which a lock screen has controls.
  func perform(_ command: Command.Transport) throws(JukeboxError) -> Reply {
    switch command {
    case .play(let position?):
      try host.change { m throws(JukeboxError) in try m.play(position: Int(position)) }
    case .playid(let id?): try host.change { m throws(JukeboxError) in try m.play(id: SongID(rawValue: id)) }
    case .play(nil), .playid(nil): try host.change { $0.play() }
    case .pause(let isPaused): try host.change { $0.pause(isPaused) }
    case .stop: try host.change { $0.stop() }
    case .next: try host.change { m throws(JukeboxError) in try m.next() }
    case .previous: try host.change { m throws(JukeboxError) in try m.previous() }
    case .seek(let position, let time):
      let id = host.read { $0.queue[position: Int(position)]?.id }
      try seek(id, to: time.seconds) { m, progress throws(JukeboxError) in
        try m.seek(position: Int(position), to: time.seconds, progress: progress)
      }
    case .seekid(let id, let time):
      let id = SongID(rawValue: id)
      try seek(id, to: time.seconds) { m, progress throws(JukeboxError) in
        try m.seek(id: id, to: time.seconds, progress: progress)
      }
    case .seekcur(let target): try seek(target)
    }
    return Reply()
  }

  func perform(_ command: Command.Playback, tags: TagSet) throws(JukeboxError) -> Reply {
    switch command {
    case .status: return status()
    case .currentsong: return currentSong(tags: tags)
    case .stats: return stats()
    case .getvol: return Reply(["volume": String(host.read { $0.volume })])
    case .setvol(let percent): try host.change { $0.setVolume(percent) }
    case .volume(let difference): try host.change { $0.setVolume($0.volume + difference) }
    case .speed(let speed): try host.change { $0.setSpeed(speed) }
    case .sleep(let request): try sleepTimer.set(request)
    case .getsleep: return Reply(["sleep": sleepTimer.pending])
    case .positions: return positions()
    case .getspeed: return Reply(["speed": host.read { $0.speed }.description])
    case .repeat(let isOn): try host.change { $0.setRepeat(isOn) }
    case .random(let isOn): try host.change { $0.setRandom(isOn) }
    case .single(let mode): try host.change { $0.setSingle(mode) }
    case .consume(let mode): try host.change { $0.setConsume(mode) }
    case .replayGainMode(let mode): try host.change { $0.setReplayGain(mode) }
    case .replayGainStatus: return Reply(["replay_gain_mode": host.read { $0.replayGain }.rawValue])
    case .clearerror: try host.change { $0.clearError() }
    }
    return Reply()
  }
}

extension StatusReply {
  /// Creates a status from the jukebox's state, without the progress of playback.
  init(_ machine: borrowing JukeboxMachine) {
    self.init()
    volume = machine.volume
    repeats = machine.isRepeating
    random = machine.isRandom
    single = machine.single
    consume = machine.consume
    playlistVersion = machine.queue.version
    playlistLength = machine.queue.count
    state =
      switch machine.state {
      case .stopped: .stop
      case .playing: .play
      case .paused: .pause
      }
    error = machine.error
    func place(_ id: SongID?) -> Place? {
      guard let id, let position = machine.queue.position(of: id) else { return nil }
      return Place(id, at: position)
    }
    song = place(machine.currentID)
    nextSong = place(machine.nextID)
  }
}
