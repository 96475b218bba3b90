import AppLifecycle
import Clocks
import ControlServer
import RunTimeline

extension Phone.Run {
  func run() throws {
    let modes = backgroundModes.map { BackgroundModes(list: $0) }
    for warning in modes?.warnings ?? [] { StandardOutput.complain(warning) }
    let clock = SystemClock.shared
    let timeline = try TimelineFile.orExit(
      option: self.timeline, notes: "background modes: \(modes.map { "\($0)" } ?? "the program's")",
      clock: clock)
    let events = try EventWriter.orExit(option: self.events)
    var parts = PhoneRun.Parts(arguments: program, timeline: timeline)
    parts.modes = modes
    parts.grace = grace ?? 1
    parts.schedule = scheduled.sorted { $0.time < $1.time }
    parts.events = events
    MainActor.assumeIsolated { PhoneRun.run(parts, bind: { noSocket ? nil : bindSocket() }) }
  }

  private func bindSocket() -> ListeningSocket? {
    ControlSocket.bind(socket) { "\($0); this phone has no control socket" }
  }
}
