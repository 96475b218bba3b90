import AppLifecycle
import Continuo
import ControlProtocol
import Jukebox
import JukeboxPlayback
import Testing

@testable import ContinuoCommand

/// What a key or `--at` does in each state of the application, and what a person is told that cannot be done.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct RemoteControlTests {
  static let transport: [PlayerCommand] = [
    .pause, .play, .toggle, .next, .previous, .seek(.absolute(.seconds(2))), .seek(.relative(.seconds(-1))),
  ]
  static let tasks: [PlayerCommand] = [.taskBegin(name: "a"), .taskEnd(name: "a")]

  /// What people have asked of the jukebox.
  private func wishes(_ run: VirtualRun) -> [String] {
    run.host.read { ["\($0.state)", "\($0.currentID as Any)", "\($0.volume)", "\($0.isMuted)"] }
  }

  @Test func withoutAnApplicationAllIsRefused() throws {
    try VirtualRun.with(songs: [10, 10]) { run in
      let before = wishes(run)
      let commands = Self.transport + Self.tasks + [.volume(.absolute(5)), .volume(.relative(-5)), .mute]
      for command in commands { run.perform(command) }
      #expect(run.complaints == commands.map { _ in "the application is not running" })
      #expect(wishes(run) == before)
      // The same after an end.
      run.session.start()
      run.pass(1)
      run.perform(.terminate)
      run.pass(0.1)
      #expect(run.device.state == .notRunning)
      run.perform(.next)
      #expect(run.complaints.count == commands.count + 1 && run.position == 0)
    }
  }

  @Test func transportMovesThePlayer() throws {
    try VirtualRun.with(songs: [10, 10, 10]) { run in
      run.session.start()
      run.pass(0.5)
      let state = { run.host.read { $0.state } }
      #expect(run.status == "play")
      run.perform(.pause)
      #expect(state() == .paused)
      run.perform(.pause)
      #expect(state() == .paused)
      run.perform(.toggle)
      #expect(state() == .playing)
      run.perform(.toggle)
      #expect(state() == .paused)
      run.perform(.play)
      #expect(state() == .playing)
      run.perform(.next)
      #expect(run.position == 1)
      run.pass(2.9)
      run.perform(.previous)
      #expect(run.position == 0)
      run.perform(.next)
      run.pass(3.5)
      // Into the song for more than three seconds: to its beginning first.
      run.perform(.previous)
      #expect(run.position == 1 && run.host.seconds == 0)
      run.perform(.seek(.absolute(.seconds(5))))
      #expect(run.host.seconds == 5)
      run.perform(.seek(.relative(.seconds(2))))
      run.perform(.seek(.relative(.seconds(-4))))
      #expect(run.host.seconds == 3)
      run.pass(1)
      #expect(run.complaints.isEmpty && abs(run.host.seconds - 4) < 0.2)
    }
  }

  @Test func volumeAndMute() throws {
    try VirtualRun.with(songs: [10]) { run in
      run.session.start()
      run.pass(0.5)
      let volume = { run.host.read { $0.volume } }
      for (command, expected) in [
        (.volume(.absolute(40)), 40), (.volume(.relative(5)), 45), (.volume(.relative(-10)), 35),
        (.volume(.relative(100)), 100), (.volume(.relative(-5)), 95), (.volume(.absolute(0)), 0),
      ] as [(PlayerCommand, Int)] {
        run.perform(command)
        #expect(volume() == expected, "\(command)")
      }
      run.perform(.mute)
      #expect(run.host.read { $0.isMuted })
      run.perform(.mute)
      #expect(!run.host.read { $0.isMuted })
      #expect(run.complaints.isEmpty)
    }
  }

  @Test func aSuspendedApplicationThatMayNotPlayIsLeftAlone() throws {
    try VirtualRun.with(modes: "none", songs: [10, 10]) { run in
      run.session.start()
      run.pass(0.5)
      run.perform(.home)
      run.pass(20)
      #expect(run.device.state == .suspended)
      let before = (run.host.read { $0.state }, run.position, run.host.seconds)
      for command in Self.transport { run.perform(command) }
      #expect(
        run.complaints
          == Self.transport.map { _ in "the application is suspended and has no audio background mode" })
      for command in Self.tasks { run.perform(command) }
      #expect(
        run.complaints.suffix(2)
          == Self.tasks.map { _ in "the application is suspended: background tasks cannot begin or end" })
      #expect((run.host.read { $0.state }, run.position, run.host.seconds) == before)
      #expect(run.device.state == .suspended && run.device.openTasks.isEmpty)
      // The volume is the jukebox's: the player hears of it when it runs again.
      run.perform(.volume(.absolute(30)))
      #expect(run.host.read { $0.volume } == 30 && run.complaints.count == Self.transport.count + 2)
    }
  }

  @Test func aSuspendedApplicationThatMayPlayIsWoken() throws {
    try VirtualRun.with(modes: "audio", songs: [10, 10]) { run in
      run.session.start()
      run.pass(0.5)
      run.perform(.pause)
      run.perform(.home)
      run.pass(20)
      #expect(run.device.state == .suspended)
      run.perform(.play)
      run.pass(0.5)
      #expect(run.device.state == .background && run.status == "play")
      #expect(run.complaints.isEmpty)
    }
  }

  @Test func tasksBeginAndEndByName() throws {
    try VirtualRun.with(songs: [10]) { run in
      run.session.start()
      run.pass(0.5)
      run.perform(.taskBegin(name: "upload"))
      run.perform(.taskBegin(name: "other"))
      #expect(run.device.openTasks.map(\.name) == ["upload", "other"])
      run.perform(.taskEnd(name: "third"))
      #expect(run.complaints == ["no background task third"])
      run.perform(.taskEnd(name: "upload"))
      #expect(run.device.openTasks.map(\.name) == ["other"])
      run.perform(.taskEnd(name: "upload"))
      #expect(run.complaints == ["no background task third", "no background task upload"])
    }
  }

  @Test func theDeviceIsPressed() throws {
    try VirtualRun.with(modes: "audio", songs: [60]) { run in
      run.session.start()
      run.pass(0.5)
      for (command, state) in [
        (.home, .background), (.foreground, .active), (.lock, .background), (.unlock, .active),
        (.memoryWarning, .active), (.terminate, .notRunning), (.launch, .active),
      ] as [(PlayerCommand, ApplicationState)] {
        run.perform(command)
        run.pass(0.5)
        #expect(run.device.state == state, "\(command)")
      }
      run.perform(.interruptBegin)
      run.pass(0.1)
      #expect(AVAudioSession.sharedInstance().isInterrupted && run.status == "pause")
      run.perform(.interruptEnd(resumes: true))
      run.pass(0.5)
      #expect(!AVAudioSession.sharedInstance().isInterrupted && run.status == "play")
      run.perform(.interruptBegin)
      run.perform(.interruptEnd(resumes: false))
      run.pass(0.5)
      #expect(run.host.read { $0.state } == .paused)
      #expect(run.complaints.isEmpty && run.exits.isEmpty)
      run.perform(.quit)
      #expect(run.exits == [0])
    }
  }
}
