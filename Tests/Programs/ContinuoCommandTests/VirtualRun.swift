import AppLifecycle
import AudioCore
import AudioOutput
import Clocks
import Continuo
import ControlProtocol
import Foundation
import Jukebox
import JukeboxPlayback
import MediaTime
import MusicFiles
import QueuePlayer

@testable import ContinuoCommand
@testable import ContinuoTesting
@testable import MPDService

/// A session in virtual time, without a process around it, played to its end as `continuo play` does.
@MainActor
final class VirtualRun: SessionDelegate {
  /// What was seen, in order.
  enum Seen: Hashable {
    case state(ApplicationState)
    /// Something that the application's observers were told.
    case told(String)
    /// A time step: of which song, and the hundredth of a second.
    case step(song: Int, Int64)
    /// An observer's call at a start, a stop or a jump.
    case time
  }

  let clock = VirtualClock(runLimit: 1_000_000)
  let mainQueue = VirtualMainQueue()
  let output: SimulatedOutput
  let session: Session
  private let library: SongLibrary
  private let remote: RemoteControl
  private var wasLaunched = false
  /// What was seen so far.
  private(set) var seen: [Seen] = []
  /// Whether the queue was played to its end.
  private(set) var isEnded = false
  /// What a person was told that cannot be done.
  private(set) var complaints: [String] = []
  /// Of each report about the output, whether it was news.
  private(set) var notes: [Bool] = []
  /// How often an application was started.
  private(set) var starts = 0
  private let process = Process()

  var device: Device { session.device }
  var host: JukeboxHost { session.host }
  var environment: PlaybackEnvironment { session.environment }

  /// A run with songs of those lengths, in seconds. Nothing runs yet.
  init(modes: String, songs: [Double]) throws {
    let library = SongLibrary()
    self.library = library
    let mainQueue = mainQueue
    output = SimulatedOutput(clock: clock)
    let environment = PlaybackEnvironment.virtual(
      clock: clock, output: output, mainQueue: mainQueue, library: library,
      network: SimulatedNetwork(clock: clock))
    var generator = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &generator)
    try machine.add(
      songs.enumerated().map { index, seconds in
        let song = library.add(
          "\(index)", frames: Int64((seconds * 8000).rounded()), sampleRate: 8000, breaksAt: nil)
        return Jukebox.Song(path: Array(song.url.path.utf8))
      })
    session = Session(
      Session.Parts(
        machine: machine, modes: BackgroundModes(list: modes), environment: environment, plugin: "simulated",
        exit: { [process] in process.exits.append($0) }))
    remote = RemoteControl(device: session.device, host: session.host)
    session.delegate = self
    session.host.onEnd { [weak self] in self?.isEnded = true }
    remote.refuse = { [weak self] in self?.complaints.append($0) }
    remote.quit = { [weak self] in self?.session.end(0) }
  }

  @MainActor
  private final class Process {
    var exits: [Int32] = []
  }

  /// With what the process ended, each time that it did.
  var exits: [Int32] { process.exits }

  /// Calls `body` with a run in its environment.
  static func with(
    modes: String = "audio", songs: [Double], _ body: @MainActor (VirtualRun) throws -> Void
  ) throws {
    let run = try VirtualRun(modes: modes, songs: songs)
    try PlaybackEnvironment.withCurrent(run.environment) {
      try MainActor.assumeIsolated {
        defer { run.close() }
        try body(run)
      }
    }
  }

  /// Ends everything.
  func close() {
    session.service.stopApplication()
    environment.suspension.closeAll()
    mainQueue.clear()
  }

  // MARK: The application

  func recorded(_ event: LifecycleRecord.Event) {
    if case .state(let state) = event { seen.append(.state(state)) }
  }

  func started(_ application: JukeboxApplication) {
    starts += 1
    application.onStep = { [weak self] time in self?.reached(time) }
    application.observedStep = 1
    remote.application = application
    if wasLaunched { session.service.goOn() } else { try? host.change { $0.play() } }
    wasLaunched = true
  }

  func saw(_ event: JukeboxEvent) { seen.append(.told("\(event)")) }

  func noted(_ diagnostic: PlaybackDiagnostic, isNews: Bool) { notes.append(isNews) }

  func redraw() {}

  func ending() { seen.append(.told("ending")) }

  func complain(_ text: String) { complaints.append(text) }

  private func reached(_ time: CMTime) {
    let song = session.service.application?.song.map { host.index(of: $0.id) }
    seen.append(time.timescale == 100 ? .step(song: song ?? -1, time.value) : .time)
  }

  // MARK: Time and people

  /// Does what a person asks for: on the main queue as `--at` does, or from a thread of the control socket's.
  func perform(_ command: PlayerCommand, overSocket: Bool = false) {
    if overSocket, command.isOfDevice {
      mainQueue.aside { remote.perform(command) }
    } else {
      remote.perform(command)
    }
  }

  /// Lets that many seconds pass, and does what is due.
  func pass(_ seconds: Double) {
    let end = clock.now.advanced(bySeconds: seconds)
    repeat {
      while mainQueue.runNext() {}
      mainQueue.advance(clock, to: end)
    } while !mainQueue.isEmpty
  }

  // MARK: What came of it

  /// The position of the current song.
  var position: Int? { host.read { machine in machine.currentID.flatMap { machine.queue.position(of: $0) } } }

  /// What `status` answers.
  var status: String? {
    let commands = PlaybackCommands(
      host: host, sound: session.service.sound, home: .workingDirectory(), clock: clock, started: clock.now,
      sleepTimer: SleepTimer(host: host, clock: clock))
    guard let reply = try? commands.perform(.status, tags: .all) else { return nil }
    return String(decoding: reply.bytes, as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix("state: ")
    }
    .map { String($0.dropFirst(7)) }
  }

  /// Frames that were heard so far.
  var heardFrames: Int { output.recording.runs.reduce(0) { $0 + $1.frameCount } }

  /// What was heard.
  var heard: HeardSound { HeardSound(output.recording, songs: library.names) }

  /// What the application was told while it was suspended or not running: nothing.
  var toldWhileSuspended: [Seen] {
    var state = ApplicationState.notRunning
    return seen.filter { seen in
      if case .state(let new) = seen {
        state = new
        return false
      }
      return state == .suspended || state == .notRunning
    }
  }
}
