import AppLifecycle
import Clocks
import Continuo
import ControlProtocol
import ControlServer
import Dispatch
import Jukebox
import JukeboxPlayback
import Synchronization

/// Sends records to the clients that watch a topic.
final class WatchDesk: Sendable {
  /// Sends a record to all clients that watch a topic, or to a single one.
  typealias Broadcast = @Sendable (WatchRecord, WatchTopic, ClientID?) -> Void

  private struct State {
    var topics: [ClientID: Set<WatchTopic>] = [:]
    var broadcast: Broadcast?
  }

  private let state = Mutex(State())
  private let host: JukeboxHost
  private let clock: any HostClock
  @MainActor private var application: JukeboxApplication?
  @MainActor private(set) var observers: [WatchInterval: Any] = [:]

  init(host: JukeboxHost, clock: any HostClock) {
    self.host = host
    self.clock = clock
  }

  /// Sets the destination of records; nil drops them.
  func setBroadcast(_ broadcast: Broadcast?) { state.withLock { $0.broadcast = broadcast } }

  @MainActor
  func tell(_ event: JukeboxEvent) {
    if let event = WatchRecord.Event(event, host) { tell(event) }
  }

  /// Sends an event to all clients that watch events. Any thread.
  func tell(_ event: WatchRecord.Event, at time: HostTime? = nil) { send(event, to: .events, at: time) }

  private func send(
    _ event: WatchRecord.Event, to topic: WatchTopic, only client: ClientID? = nil, at time: HostTime? = nil
  ) {
    guard let broadcast = state.withLock({ $0.broadcast }) else { return }
    let host = (time ?? clock.now).nanoseconds
    broadcast(WatchRecord(event, host: UInt64(clamping: host)), topic, client)
  }

  // MARK: Watchers

  /// Starts a watch, and schedules sending the current state to the client. `state` returns that of the application; any
  /// thread. Called on the control loop.
  func began(
    _ topics: Set<WatchTopic>, by client: ClientID,
    application state: @escaping @Sendable () -> ApplicationState
  ) {
    self.state.withLock { $0.topics[client] = topics }
    host.mainQueue.enqueue { MainActor.assumeIsolated { self.greet(client, topics, state) } }
  }

  /// Ends a watch. Called on the control loop.
  func ended(by client: ClientID) {
    state.withLock { $0.topics[client] = nil }
    host.mainQueue.enqueue { MainActor.assumeIsolated { self.updateObservers() } }
  }

  @MainActor
  private func greet(_ client: ClientID, _ topics: Set<WatchTopic>, _ state: () -> ApplicationState) {
    updateObservers()
    for topic in topics {
      switch topic {
      case .time:
        guard let song = host.read({ $0.currentID }), let time = application?.player.currentTime() else {
          continue
        }
        send(step(time, of: song.rawValue), to: topic, only: client)
      case .events:
        let (status, reason) = application?.timeControl ?? (.paused, nil)
        send(.currentItem(application?.song, host), to: topic, only: client)
        send(.timeControlStatus(status, reason: reason), to: topic, only: client)
        // A change on another thread may have been sent before this record. The last record is the latest state.
        var sent: ApplicationState
        repeat {
          sent = state()
          send(.applicationState(sent.rawValue), to: topic, only: client)
        } while state() != sent
      }
    }
  }

  private func step(_ time: CMTime, of song: UInt32) -> WatchRecord.Event {
    .time(songID: song, value: time.value, timescale: max(1, time.timescale))
  }

  // MARK: Time observers

  /// Replaces the application; nil if none runs.
  @MainActor
  func setApplication(_ application: JukeboxApplication?) {
    if let old = self.application {
      for observer in observers.values { old.player.removeTimeObserver(observer) }
      observers = [:]
    }
    self.application = application
    updateObservers()
  }

  /// Keeps one periodic time observer for each watched interval, however many clients watch it.
  @MainActor
  private func updateObservers() {
    guard let player = application?.player else { return }
    var wanted: Set<WatchInterval> = []
    for case .time(let interval) in state.withLock({ $0.topics.values.flatMap { $0 } }) {
      wanted.insert(interval)
    }
    for (interval, observer) in observers where !wanted.contains(interval) {
      player.removeTimeObserver(observer)
      observers[interval] = nil
    }
    for interval in wanted where observers[interval] == nil {
      observers[interval] = player.addMainActorObserver(
        forInterval: CMTime(value: interval.value, timescale: interval.timescale)
      ) { [weak self] time in self?.stepReached(time, interval) }
    }
  }

  @MainActor
  private func stepReached(_ time: CMTime, _ interval: WatchInterval) {
    guard let song = host.heardSong else { return }
    send(step(time, of: song.rawValue), to: .time(interval))
  }
}
