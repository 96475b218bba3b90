import AppLifecycle
import AudioCore
import AudioOutput
import Continuo
import ControlProtocol
import Foundation
import HostTime
import Jukebox
import JukeboxPlayback
import MediaTime
import MusicFiles
import QueuePlayer

@testable import ContinuoCommand
@testable import ContinuoTesting
@testable import MPDService

/// The jukebox, the application that plays it and the device under that, in virtual time: what `continuo play` and
/// `continuo serve` are made of, without a process around it.
@MainActor
final class VirtualRun {
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
  let device: Device
  let host: JukeboxHost
  let environment: PlaybackEnvironment
  private let library: SongLibrary
  let served: JukeboxService
  private let remote: RemoteControl
  private var wasLaunched = false
  /// What was seen so far.
  private(set) var seen: [Seen] = []
  /// Whether the queue was played to its end.
  private(set) var isEnded = false

  /// A run with songs of those lengths, in seconds. Nothing runs yet.
  init(modes: String, songs: [Double]) throws {
    let library = SongLibrary()
    self.library = library
    let mainQueue = mainQueue
    output = SimulatedOutput(clock: clock)
    environment = .virtual(clock: clock, output: output, mainQueue: mainQueue, library: library)
    device = Device(
      modes: BackgroundModes(list: modes), clock: clock, mainQueue: mainQueue,
      isOnMainQueue: { mainQueue.isCurrent })
    var generator = SystemRandomNumberGenerator()
    var machine = JukeboxMachine(using: &generator)
    try machine.add(
      songs.enumerated().map { index, seconds in
        let song = library.add(
          "\(index)", frames: Int64((seconds * 8000).rounded()), sampleRate: 8000, breaksAt: nil)
        return Jukebox.Song(path: Array(song.url.path.utf8))
      })
    host = JukeboxHost(machine, mainQueue: mainQueue)
    served = JukeboxService(
      JukeboxService.Parts(home: .workingDirectory(), plugin: "simulated"), host: host, device: device,
      clock: clock)
    remote = RemoteControl(device: device, host: host)
    host.onEnd { [weak self] in self?.isEnded = true }
    PlaybackEnvironment.withCurrent(environment) {
      MainActor.assumeIsolated {
        served.connectDevice(timeline: nil) { [weak self] record in self?.take(record) }
      }
    }
  }

  /// Ends everything.
  func close() {
    served.stopApplication()
    environment.suspension.closeAll()
    mainQueue.clear()
  }

  // MARK: The application

  private func take(_ record: LifecycleRecord) {
    switch record.event {
    case .state(let state):
      seen.append(.state(state))
      if state == .active, served.application == nil { startApplication() }
    case .terminated:
      served.stopApplication()
    default: break
    }
  }

  private func startApplication() {
    try? JukeboxApplication.activateSession()
    let application = served.startApplication { [weak self] event in self?.seen.append(.told("\(event)")) }
    application.onStep = { [weak self] time in self?.reached(time) }
    application.observesTime = true
    remote.application = application
    if wasLaunched { served.goOn() } else { try? host.change { $0.play() } }
    wasLaunched = true
  }

  private func reached(_ time: CMTime) {
    let song = served.application?.song.map { host.index(of: $0) }
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
    while mainQueue.step(clock, until: end) != nil {}
    mainQueue.aside { clock.advance(to: end) }
  }

  // MARK: What came of it

  /// What `status` answers.
  var status: String? {
    let commands = PlaybackCommands(
      host: host, sound: served.sound, home: .workingDirectory(), clock: clock, started: clock.now)
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
