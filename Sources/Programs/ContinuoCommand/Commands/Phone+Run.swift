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
    // Must precede everything that a signal would have to clean up.
    let signals = Signals(end: { PhoneRun.end($0) }, redraw: { PhoneRun.current?.redraw() })
    StandardOutput.waitForNobody()
    if let timeline { CleanUp.add(timeline.writeAtEnd) }
    MainActor.assumeIsolated {
      let run = PhoneRun(
        PhoneRun.Parts(
          arguments: program, modes: modes, grace: grace ?? 1,
          schedule: scheduled.sorted { $0.time < $1.time }, events: events, timeline: timeline))
      run.start(socket: noSocket ? nil : bindSocket())
    }
    signals.mainQueueRuns()
    withExtendedLifetime(signals) { MainLoop.shared.run() }
  }

  private func bindSocket() -> ListeningSocket? {
    ControlSocket.bind(socket) { "\($0); this phone has no control socket" }
  }
}
