import AppLifecycle
import Continuo
import ControlProtocol
import Foundation
import Jukebox
import JukeboxPlayback
import Synchronization
import Testing

@testable import ContinuoTesting
@testable import ControlServer
@testable import MPDService

/// What clients that watch are sent, and that only those cost anything.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct WatchDeskTests {
  /// What was sent.
  private final class Sent: Sendable {
    struct Line: Hashable, Sendable {
      var event: WatchRecord.Event
      var topic: WatchTopic
      var client: ClientID?
    }

    private let lines = Mutex<[Line]>([])

    func add(_ line: Line) { lines.withLock { $0.append(line) } }
    func take() -> [Line] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  /// A desk, the jukebox that it tells of, and a song that sounds once there is an application.
  @MainActor
  private struct Stage {
    let device: TestDevice
    let host: JukeboxHost
    let desk: WatchDesk
    let sent = Sent()
    let song: QueuedSong

    init(_ device: TestDevice) throws {
      self.device = device
      var generator = SystemRandomNumberGenerator()
      var machine = JukeboxMachine(using: &generator)
      try machine.add([Jukebox.Song(path: Array(device.song("a", duration: .seconds(60)).url.path.utf8))])
      song = try #require(machine.queue[position: 0])
      host = JukeboxHost(machine, mainQueue: device.mainQueue)
      desk = WatchDesk(host: host, clock: device.hostClock)
      desk.setBroadcast { [sent] in sent.add(Sent.Line(event: $0.event, topic: $1, client: $2)) }
    }

    func launch() -> JukeboxApplication {
      let application = JukeboxApplication(
        host: host, sound: SoundState(clock: device.hostClock), system: device.application
      ) { [desk] in desk.tell($0) }
      desk.setApplication(application)
      return application
    }

    /// Lets what waits for the main queue run.
    func settle() async { await device.advance(by: .zero) }
  }

  private let hundredth = WatchInterval("0.01")!
  private let tenth = WatchInterval("0.1")!

  private func client(_ number: UInt64) -> ClientID { ClientID(number: number) }

  @Test func watcherHearsFirstHowThingsAre() async throws {
    try await withTestDevice { device in
      await device.launch()
      let stage = try Stage(device)
      stage.desk.began([.events], by: client(1), application: { .notRunning })
      await stage.settle()
      #expect(
        stage.sent.take().map(\.event) == [
          .currentItem(nil, url: nil), .timeControlStatus(.paused, reason: nil),
          .applicationState("notRunning"),
        ])
      let application = stage.launch()
      try stage.host.change { $0.play() }
      await device.advance(by: .milliseconds(500))
      _ = stage.sent.take()
      stage.desk.began([.events], by: client(2), application: { .active })
      stage.desk.began([.time(tenth)], by: client(3), application: { .active })
      await stage.settle()
      let sent = stage.sent.take()
      #expect(
        sent.map(\.event).prefix(3) == [
          .currentItem(StatusReply.Place(position: 0, id: stage.song.id.rawValue), url: stage.song.url),
          .timeControlStatus(.playing, reason: nil), .applicationState("active"),
        ])
      #expect(sent.prefix(4).map(\.client) == [client(2), client(2), client(2), client(3)])
      // The observer's own first step follows, for all.
      #expect(sent.dropFirst(3).allSatisfy { $0.topic == .time(tenth) })
      #expect(sent.dropFirst(4).allSatisfy { $0.client == nil })
      stage.desk.setApplication(nil)
      application.stop()
    }
  }

  @Test("The last state that a new watcher hears is the latest one") func stateChangesBeforeTheGreeting()
    async throws
  {
    try await withTestDevice { device in
      await device.launch()
      let stage = try Stage(device)
      let state = Mutex(ApplicationState.active)
      let change = { @Sendable [desk = stage.desk] (new: ApplicationState) in
        state.withLock { $0 = new }
        desk.tell(.applicationState(new.rawValue))
      }
      // Before the greeting, and while it is made.
      let reads = Mutex(0)
      stage.desk.began([.events], by: client(1)) {
        defer {
          if reads.withLock({
            $0 += 1; return $0
          }) == 1 {
            change(.suspended)
          }
        }
        return state.withLock { $0 }
      }
      change(.background)
      await stage.settle()
      let states = stage.sent.take().compactMap { line -> String? in
        if case .applicationState(let name) = line.event { name } else { nil }
      }
      #expect(states == ["background", "suspended", "background", "suspended"])
    }
  }

  @Test func thereIsOneObserverForEachIntervalThatIsWatched() async throws {
    try await withTestDevice { device in
      await device.launch()
      let stage = try Stage(device)
      // Before there is an application.
      stage.desk.began([.time(tenth)], by: client(1), application: { .active })
      await stage.settle()
      #expect(stage.desk.observers.isEmpty)
      var application = stage.launch()
      #expect(Set(stage.desk.observers.keys) == [tenth])
      stage.desk.began([.time(tenth)], by: client(2), application: { .active })
      stage.desk.began([.time(hundredth), .events], by: client(3), application: { .active })
      await stage.settle()
      #expect(Set(stage.desk.observers.keys) == [tenth, hundredth])
      try stage.host.change { $0.play() }
      await device.advance(by: .milliseconds(550))
      let steps = stage.sent.take().compactMap { line -> Int64? in
        guard case .time(tenth) = line.topic, line.client == nil, case .time(_, let value, 10) = line.event
        else {
          return nil
        }
        return value
      }
      #expect(steps == Array(0..<Int64(steps.count)) && steps.count > 3)
      // The application goes and comes.
      stage.desk.setApplication(nil)
      application.stop()
      #expect(stage.desk.observers.isEmpty)
      application = stage.launch()
      #expect(Set(stage.desk.observers.keys) == [tenth, hundredth])
      stage.desk.ended(by: client(1))
      stage.desk.ended(by: client(3))
      await stage.settle()
      #expect(Set(stage.desk.observers.keys) == [tenth])
      stage.desk.ended(by: client(2))
      await stage.settle()
      #expect(stage.desk.observers.isEmpty)
      stage.desk.setApplication(nil)
      application.stop()
    }
  }

  @Test func intervalThatNobodyWatchesAnyMoreIsNotSent() async throws {
    try await withTestDevice { device in
      await device.launch()
      let stage = try Stage(device)
      let application = stage.launch()
      stage.desk.began([.time(tenth)], by: client(1), application: { .active })
      await stage.settle()
      try stage.host.change { $0.play() }
      await device.advance(by: .milliseconds(500))
      let watched = stage.sent.take().filter { $0.topic == .time(tenth) && $0.client == nil }
      #expect(!watched.isEmpty)
      stage.desk.ended(by: client(1))
      await stage.settle()
      await device.advance(by: .milliseconds(500))
      let unwatched = stage.sent.take().filter { $0.topic == .time(tenth) }
      #expect(unwatched == [])
      stage.desk.setApplication(nil)
      application.stop()
    }
  }
}
