import ControlProtocol
import SystemSupport

@testable import Jukebox

/// A machine with a player that does what it is told, at once or late, and songs of no length that end when the test
/// says so.
struct Rig {
  var machine: JukeboxMachine
  /// What the machine changed since it was asked last.
  var changed: Subsystems = []
  /// How often the machine said that the play order had come to its end.
  var ends = 0
  /// What the player has not been told yet.
  var orders: [JukeboxAction] = []
  /// What the player has said and the machine not heard yet.
  var reports: [(PlayerReport, PlaybackTicket)] = []

  // MARK: The player

  var current: QueuedSong?
  var upcoming: [QueuedSong] = []
  var isPaused = false
  var seconds = 0.0
  var ticket = PlaybackTicket(rawValue: 0)
  var volume = 100
  var replayGain = ReplayGainMode.off
  var speed = PlaybackSpeed.normal
  /// Every song that began, in order.
  var begun: [UInt32] = []

  init(seed: UInt64 = 1, songs: Int = 0) {
    var generator = SplitMix64(state: seed)
    machine = JukeboxMachine(using: &generator)
    _ = try? machine.add((0..<songs).map { SongQueueTests.song("\($0)") })
    collect()
    changed = []
  }

  /// Takes what the machine has to say.
  mutating func collect() {
    let effects = machine.takeEffects()
    orders += effects.actions
    changed.formUnion(effects.changed)
    if effects.hasEnded { ends += 1 }
  }

  /// The player obeys one order.
  mutating func obey() {
    guard !orders.isEmpty else { return }
    switch orders.removeFirst() {
    case .start(let song, let at, let paused, let ticket):
      begin(song, at: at)
      upcoming = []
      isPaused = paused
      self.ticket = ticket
    case .seek(let song, let to, let ticket):
      if current?.id != song.id {
        begin(song, at: to)
        upcoming = []
      }
      seconds = to
      self.ticket = ticket
    case .pause: isPaused = true
    case .resume: isPaused = false
    case .stop(let ticket):
      current = nil
      upcoming = []
      self.ticket = ticket
    case .setUpcoming(let songs): upcoming = songs
    case .setVolume(let volume): self.volume = volume
    case .setMuted: break
    case .setReplayGain(let mode): replayGain = mode
    case .setSpeed(let speed): self.speed = speed
    }
  }

  private mutating func begin(_ song: QueuedSong, at seconds: Double) {
    current = song
    self.seconds = seconds
    begun.append(song.id.rawValue)
  }

  /// The current song is heard to its end.
  mutating func end() {
    guard let ended = current, !isPaused else { return }
    if upcoming.isEmpty {
      current = nil
      reports.append((.ended(ended.id), ticket))
    } else {
      begin(upcoming[0], at: upcoming.removeFirst().start)
      if let current { reports.append((.advanced(to: current.id), ticket)) }
    }
  }

  /// The current song turns out to be none.
  mutating func fail() {
    guard let current else { return }
    reports.append((.failed(current.id, reason: "song \(current.id.rawValue): no"), ticket))
    self.current = nil
    upcoming = []
  }

  /// The same, and the player goes on with what is to follow, if it has something.
  mutating func failAndGoOn() {
    guard let failed = current, !upcoming.isEmpty else {
      fail()
      return
    }
    begin(upcoming.removeFirst(), at: 0)
    guard let current else { return }
    let reason = "song \(failed.id.rawValue): no"
    reports.append((.skipped(failed.id, to: current.id, reason: reason), ticket))
  }

  /// The machine hears one report.
  mutating func hear() {
    guard !reports.isEmpty else { return }
    let (report, ticket) = reports.removeFirst()
    machine.report(report, ticket: ticket)
    collect()
  }

  /// Until nobody has anything to say.
  mutating func settle() {
    repeat {
      while !reports.isEmpty { hear() }
      collect()
      while !orders.isEmpty { obey() }
    } while !reports.isEmpty
  }

  // MARK: Seen from outside

  /// State, position, next position and what changed, as `play 0 1 player`.
  mutating func summary() -> String {
    let name = ["stop", "play", "pause"][Int(machine.state.rawValue)]
    let next = machine.nextID.flatMap { machine.queue.position(of: $0) }
    let flags: [(Subsystems, String)] = [
      (.playlist, "playlist"), (.player, "player"), (.mixer, "mixer"), (.options, "options"),
    ]
    let changes = flags.filter { changed.contains($0.0) }.map(\.1)
    changed = []
    let positions = [machine.currentPosition, next].map { $0.map(String.init) ?? "-" }
    return ([name] + positions + changes).joined(separator: " ")
  }

  /// Where player and machine, both at rest, differ.
  var difference: String? {
    let wanted = machine.state == .stopped ? nil : machine.currentID
    if current?.id != wanted { return "plays \(current?.id as Any) instead of \(wanted as Any)" }
    if current != nil, isPaused != (machine.state == .paused) { return "paused: \(isPaused)" }
    if upcoming.map(\.id) != machine.upcoming().map(\.id) { return "other songs follow" }
    if upcoming.map(\.song.range) != machine.upcoming().map(\.song.range) { return "other ranges follow" }
    if volume != machine.volume { return "volume \(volume)" }
    if speed != machine.speed { return "speed \(speed)" }
    return nil
  }
}

extension SongRange {
  /// From milliseconds.
  init?(start: UInt32, end: UInt32? = nil) {
    self.init(start: Milliseconds(rawValue: Int64(start)), end: end.map { Milliseconds(rawValue: Int64($0)) })
  }
}
