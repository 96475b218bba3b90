import AppLifecycle
import Continuo
import ControlProtocol
import ControlServer
import Dispatch
import Foundation
import HostTime
import Jukebox
import JukeboxPlayback
import MPDService
import MusicFiles
import MusicLibrary
import RunTimeline

/// One run of `continuo serve`: the device and the application that it carries, the jukebox, and the clients that ask
/// for music. The device and the answers to clients have threads of their own; the application is on the main queue.
@MainActor
final class ServeSession {
  private let clock: any HostClock = SystemClock.shared
  private let device: Device
  private let host: JukeboxHost
  /// Where clients are answered.
  nonisolated let served: JukeboxService
  private nonisolated let keeper: StateKeeper?
  private let timeline: TimelineRecorder?
  private var isEnded = false

  /// What a session is made of.
  struct Parts {
    var machine: JukeboxMachine
    var state: StateDirectory?
    var home: MusicHome
    /// The songs below the home; nil if none are to be looked for.
    var library: MusicLibrary?
    var modes: BackgroundModes
    var settings: LifecycleSettings
    var output: SoundOutput
    /// What drives the output, for clients.
    var plugin: String
    var timeline: TimelineRecorder?
  }

  init(_ parts: Parts) {
    host = JukeboxHost(parts.machine)
    timeline = parts.timeline
    keeper = parts.state.map { [host, clock] directory in
      StateKeeper(host, in: directory, clock: clock) { StandardOutput.complain($0) }
    }
    device = Device(modes: parts.modes, clock: clock, settings: parts.settings)
    Device.current = device
    served = JukeboxService(
      JukeboxService.Parts(home: parts.home, plugin: parts.plugin, library: parts.library), host: host,
      device: device, clock: clock)
    var environment = PlaybackEnvironment(clock: clock, device: parts.output.device)
    environment.onDiagnostic = { [served] diagnostic in
      MainActor.assumeIsolated { Self.note(diagnostic, served) }
    }
    PlaybackEnvironment.current = environment
  }

  // MARK: From start to end

  /// The session of this process.
  static var current: ServeSession?

  /// Notes what has changed, to be kept. Any thread.
  nonisolated func keep(_ changed: Subsystems) { keeper?.note(changed) }

  /// Launches the application. `files` become the queue and are played, if there is no queue.
  func start(_ files: [MediaPath]) {
    served.connectDevice(timeline: timeline) { [weak self] record in self?.take(record) }
    device.launch()
    if !files.isEmpty {
      try? host.change { machine throws(JukeboxError) in
        guard machine.queue.isEmpty else { return }
        try machine.add(files.map { Song(path: $0.bytes) })
        machine.play()
      }
    }
    // Also of what was restored.
    served.readTags()
  }

  /// Ends the session and the process, with everything kept.
  func end(status: Int32) {
    guard !isEnded else { return }
    isEnded = true
    keeper?.save()
    served.stopApplication()
    PlaybackEnvironment.current.closePlayers()
    served.close()
    CleanUp.exit(status)
  }

  // MARK: The application

  private func startApplication() {
    do {
      try JukeboxApplication.activateSession()
    } catch {
      StandardOutput.complain("the audio session: \(error.localizedDescription)")
    }
    served.startApplication { [host, timeline, clock] event in
      if let entry = Timeline.Entry(event, host) { timeline?.record(entry, at: clock.now) }
    }
    served.goOn()
  }

  private func stopApplication() {
    served.stopApplication()
    keeper?.note(.player)
  }

  private static func note(_ diagnostic: PlaybackDiagnostic, _ served: JukeboxService) {
    guard served.note(diagnostic) else { return }
    switch diagnostic {
    case .outputOpened(let route): StandardOutput.complain("playing to \(route)")
    case .outputUnavailable(let message, let retryAfter):
      StandardOutput.complain(retryAfter == nil ? message : "\(message); waiting for it")
    case .stepsCoalesced(let count):
      StandardOutput.complain("watchers are more than a second behind: \(count) time steps left out")
    }
  }

  // MARK: The life cycle

  private func take(_ record: LifecycleRecord) {
    switch record.event {
    case .state(.active) where served.application == nil: startApplication()
    case .terminated: stopApplication()
    case .refused(let refusal): StandardOutput.complain("\(refusal)")
    default: break
    }
  }
}
