import AppLifecycle
import AudioCore
import AudioOutput
import Clocks
import Continuo
import ControlProtocol
import Foundation
import Jukebox
import MusicFiles
import QueuePlayer
import Synchronization

@testable import ContinuoTesting
@testable import JukeboxPlayback

/// Players on a simulated output in virtual time, and songs to play. What is late is up to the test: time can pass
/// without the main queue.
@MainActor
final class PlaybackStage {
  /// Files that are gone, by the songs' names.
  private final class GoneFiles: Sendable {
    let names = Mutex<Set<String>>([])
  }

  let clock = VirtualClock(runLimit: 1_000_000)
  let mainQueue = VirtualMainQueue()
  let output: SimulatedOutput
  private let network: SimulatedNetwork
  let environment: PlaybackEnvironment
  /// A jukebox of the songs in the order in which they were given; nothing is asked for.
  private(set) var machine: JukeboxMachine
  private let library = SongLibrary()
  private let gone = GoneFiles()
  private var ids: [String: SongID] = [:]

  /// Calls `body` with a stage that has songs of those lengths, in seconds. Those in `breaking` cannot be decoded from
  /// that second on.
  static func with(
    _ songs: KeyValuePairs<String, Double>, breaking: [String: Double] = [:],
    _ body: @MainActor (PlaybackStage) throws -> Void
  ) throws {
    let stage = try PlaybackStage(songs, breaking)
    try PlaybackEnvironment.withCurrent(stage.environment) {
      try MainActor.assumeIsolated {
        defer {
          stage.environment.suspension.closeAll()
          stage.mainQueue.clear()
        }
        try body(stage)
      }
    }
  }

  private init(_ songs: KeyValuePairs<String, Double>, _ breaking: [String: Double]) throws {
    output = SimulatedOutput(clock: clock)
    network = SimulatedNetwork(clock: clock)
    var environment = PlaybackEnvironment.virtual(
      clock: clock, output: output, mainQueue: mainQueue, library: library,
      network: network)
    environment.makeSource = { [gone, source = environment.makeSource] url, isPrecise in
      guard gone.names.withLock({ $0.contains(url.deletingPathExtension().lastPathComponent) }) else {
        return source(url, isPrecise)
      }
      return UnplayableSource(error: DecodingError(reason: .notFound, message: "no such file"))
    }
    self.environment = environment
    var generator = SystemRandomNumberGenerator()
    machine = JukeboxMachine(using: &generator)
    for (name, seconds) in songs {
      let song = library.add(
        name, frames: Self.frames(seconds), sampleRate: 8000, breaksAt: breaking[name].map(Self.frames))
      ids[name] = try machine.add([Jukebox.Song(path: Array(song.url.path.utf8))])[0]
    }
  }

  /// Makes a song of a second at that URL.
  func serve(_ url: String) {
    let song = library.addRemote(url, frames: 44_100)
    let stream = MarkedStream(song: song, length: 44_100, sampleRate: 44_100, bitRate: 128_000)
    network.serve(SimulatedNetwork.Content(kind: .song(stream), etag: nil), at: url)
  }

  /// Serves these bytes at that URL.
  func serve(_ url: String, _ bytes: [UInt8]) { network.serve(.data(bytes), at: url) }

  private static func frames(_ seconds: Double) -> Int64 { Int64((seconds * 8000).rounded()) }

  /// The song of that name as it is in the queue; with a range if one is given, in seconds.
  func song(_ name: String, from start: Double = 0, to end: Double? = nil) -> QueuedSong {
    if start > 0 || end != nil, let id = ids[name] {
      let range = SongRange(start: Milliseconds(seconds: start), end: end.map { Milliseconds(seconds: $0) })
      try? machine.setRange(range, of: id)
    }
    let position = ids[name].flatMap { machine.queue.position(of: $0) }
    return position.flatMap { machine.queue[position: $0] }!
  }

  /// What that song is called.
  func name(_ id: SongID) -> String { ids.first { $0.value == id }?.key ?? "?" }

  /// The file of that song is gone from now on.
  func lose(_ name: String) { _ = gone.names.withLock { $0.insert(name) } }

  /// Lets that many seconds pass, and what is due be done.
  func pass(_ seconds: Double) {
    let end = clock.now.advanced(bySeconds: seconds)
    repeat {
      while mainQueue.runNext() {}
      mainQueue.advance(clock, to: end)
    } while !mainQueue.isEmpty
  }

  /// Lets that many seconds pass while the main queue is busy: what is told meanwhile arrives late.
  func passUntold(_ seconds: Double) { mainQueue.aside { clock.advance(bySeconds: seconds) } }
}

/// A jukebox's player that gets orders directly. What it says is written down in order: `current a` and the like for
/// what people hear of, `advanced b @2` for a report with its ticket.
@MainActor
final class PlayerRig {
  let stage: PlaybackStage
  let place = SongPlace()
  let player: JukeboxPlayer
  /// What was said since it was last asked for.
  private let log: Log

  @MainActor
  final class Log {
    var lines: [String] = []
  }

  init(_ stage: PlaybackStage) {
    self.stage = stage
    let log = Log()
    self.log = log
    player = JukeboxPlayer(player: AVQueuePlayer(), place: place) { report, ticket in
      let text =
        switch report {
        case .advanced(let song): "advanced \(stage.name(song))"
        case .ended(let song): "ended \(stage.name(song))"
        case .failed(let song, let reason): "failed \(stage.name(song)): \(reason)"
        case .skipped(let song, let next, let reason):
          "skipped \(stage.name(song)) to \(stage.name(next)): \(reason)"
        case .heard(let song): "heard \(stage.name(song))"
        }
      log.lines.append("\(text) @\(ticket.rawValue)")
    }
    player.onEvent = { event in
      switch event {
      case .currentItem(let song): log.lines.append("current \(song.map { stage.name($0.id) } ?? "none")")
      case .didPlayToEndTime(let song): log.lines.append("played \(stage.name(song.id))")
      case .failed(let song, let reason): log.lines.append("broken \(stage.name(song.id)): \(reason)")
      case .timeJumped(let song): log.lines.append("jumped \(stage.name(song.id))")
      case .timeControlStatus, .interruption, .playerFailed, .stalled, .loaded, .network, .station,
        .timedMetadata, .learned:
        log.lines.append("unexpected \(event)")
      }
    }
  }

  /// Writes a line among what is said.
  func note(_ line: String) { log.lines.append(line) }

  /// What was said since the last call.
  func said() -> [String] {
    defer { log.lines = [] }
    return log.lines
  }

  /// Carries out orders.
  func start(_ name: String, at seconds: Double = 0, paused: Bool = false, ticket: UInt64) {
    start(stage.song(name), at: seconds, paused: paused, ticket: ticket)
  }

  func start(_ song: QueuedSong, at seconds: Double = 0, paused: Bool = false, ticket: UInt64) {
    player.perform(.start(song, at: seconds, paused: paused, ticket: PlaybackTicket(rawValue: ticket)))
  }

  func seek(_ name: String, to seconds: Double, ticket: UInt64) {
    player.perform(.seek(stage.song(name), to: seconds, ticket: PlaybackTicket(rawValue: ticket)))
  }

  func stop(ticket: UInt64) { player.perform(.stop(ticket: PlaybackTicket(rawValue: ticket))) }

  func follow(_ names: String...) { player.perform(.setUpcoming(names.map { stage.song($0) })) }

  /// Where the song of that name stands, in seconds.
  func seconds(_ name: String) -> Double? { place.seconds(of: stage.song(name).id) }
}
