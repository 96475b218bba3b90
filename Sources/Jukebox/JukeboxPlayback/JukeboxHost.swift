import AppLifecycle
package import Clocks
import Continuo
package import ControlProtocol
package import Jukebox
import Synchronization

/// The jukebox of this process. Commands come from any thread; they hold a lock briefly and never wait for
/// the main queue, a file or the audio server. The player's actions follow in order on the main queue, and
/// stay pending while the application is suspended.
package final class JukeboxHost: Suspendable {
  private enum Order {
    case action(JukeboxAction)
    /// Start (true) or stop (false) keeping the player paused regardless of the jukebox's actions.
    case hold(Bool)
    /// Set the factor, 0…1, by which the requested volume is multiplied. Replaces the previous factor.
    case fade(Double)

    func supersedes(_ earlier: Order) -> Bool {
      switch (self, earlier) {
      case (.action(let action), .action(let other)): action.supersedes(other)
      case (.hold, .hold), (.fade, .fade): true
      default: false
      }
    }
  }

  private struct State {
    var machine: JukeboxMachine
    /// The player's orders. They are held while the application is suspended.
    var orders: StepQueue<Order>
    /// The last result of `index(of:)` and the edition of the queue for which it is valid. A cache, since
    /// every time step looks up the same song.
    var found: (song: SongID, index: Int, edition: UInt64)?

    mutating func append(_ order: Order) {
      orders.removeAll { order.supersedes($0) }
      orders.append(order)
    }
  }

  private let state: Mutex<State>
  /// The subscribers' closures, in a struct: a `Mutex` that holds a bare closure wraps it again at each
  /// access and keeps the wrapper.
  private struct Subscriber {
    var onChange: (@Sendable (Subsystems) -> Void)?
    var onEnd: (@MainActor () -> Void)?
  }

  private let subscriber = Mutex(Subscriber())
  package let place = SongPlace()
  @MainActor private var player: JukeboxPlayer?
  /// The song whose title tag comes from the live stream's metadata.
  @MainActor private var titled: SongID?
  package let mainQueue: any DeliveryQueue

  /// Creates the host of `machine`. Actions that `machine` has already requested stay pending until the next
  /// call of `change`, `setHeld`, `setFade` or `resume`. `mainQueue`, on which the player is driven, must run on
  /// the main actor's thread.
  package init(_ machine: JukeboxMachine, mainQueue: any DeliveryQueue = MainDispatchQueue.shared) {
    var machine = machine
    // A restored song's position must be available before a client asks for it or it is saved.
    let actions = machine.takeEffects().actions
    place.expect(actions)
    self.mainQueue = mainQueue
    state = Mutex(State(machine: machine, orders: StepQueue(actions.map(Order.action))))
  }

  /// Sets the closure for changes, which is called on the thread that made the change, without a lock.
  package func onChange(_ body: @escaping @Sendable (Subsystems) -> Void) {
    var body: (@Sendable (Subsystems) -> Void)? = body
    subscriber.withLock { swap(&$0.onChange, &body) }
  }

  /// Sets the closure that is called on the main queue when the play order has ended, unless playback has started
  /// again by then. If a command ended the order, pending actions are performed first, except during a suspension.
  package func onEnd(_ body: @escaping @MainActor () -> Void) {
    var body: (@MainActor () -> Void)? = body
    subscriber.withLock { swap(&$0.onEnd, &body) }
  }

  /// Returns the song's position in the queue, from 0; 0 if the song has left the queue. Any thread.
  package func index(of song: SongID) -> Int {
    state.withLock { state in
      let edition = state.machine.queue.edition
      if let found = state.found, found.song == song, found.edition == edition { return found.index }
      let index = state.machine.queue.position(of: song) ?? 0
      state.found = (song, index, edition)
      return index
    }
  }

  /// Returns the result of `body`, which reads the jukebox's state under the lock. Any thread.
  package func read<Result: Sendable>(_ body: (borrowing JukeboxMachine) -> Result) -> Result {
    state.withLock { body($0.machine) }
  }

  /// The position in the current song, in seconds from the beginning of its range; 0 without a current song or a
  /// known position. Any thread.
  package var seconds: Double { read { $0.currentID }.flatMap { place.seconds(of: $0) } ?? 0 }

  /// Returns the result of `body`, which changes the jukebox under the lock, or throws its error. Calls the closure for
  /// changes before it returns. Any thread.
  @discardableResult
  package func change<Result: Sendable>(
    _ body: (inout JukeboxMachine) throws(JukeboxError) -> Result
  ) throws(JukeboxError) -> Result {
    let (result, hasEnded) = apply(body)
    if hasEnded { mainQueue.enqueue { MainActor.assumeIsolated { self.ended() } } }
    return try result.get()
  }

  private func apply<Result: Sendable>(
    _ body: (inout JukeboxMachine) throws(JukeboxError) -> Result
  ) -> (result: Swift.Result<Result, JukeboxError>, hasEnded: Bool) {
    let left = longSong()
    let (result, effects, mustDrain) = state.withLock { state in
      let result: Swift.Result<Result, JukeboxError>
      do throws(JukeboxError) {
        result = .success(try body(&state.machine))
      } catch {
        result = .failure(error)
      }
      if let left, state.machine.currentID != left.song.id || state.machine.state == .stopped {
        state.machine.notePosition(in: left.song.song, at: left.progress)
      }
      let effects = state.machine.takeEffects()
      place.expect(effects.actions)
      for action in effects.actions { state.append(.action(action)) }
      return (result, effects, state.orders.begin())
    }
    if !effects.changed.isEmpty { subscriber.withLock { $0.onChange }?(effects.changed) }
    if mustDrain { drainSoon() }
    return (result, effects.hasEnded)
  }

  /// Returns the current song with its progress; nil when stopped, without a position, or if songs do not
  /// resume. To be called before a change, which may make another song current.
  private func longSong() -> (song: QueuedSong, progress: JukeboxMachine.Progress)? {
    let song = read { $0.positions.threshold == nil || $0.state == .stopped ? nil : $0.currentSong }
    guard let song, let progress = place.progress(of: song.id) else { return nil }
    return (song, progress)
  }

  /// Connects `player`, or disconnects the previous one if nil. Without a player, actions are dropped.
  /// `onEvent` receives the events of songs.
  @MainActor
  func setPlayer(_ player: AVQueuePlayer?, onEvent: (@MainActor (JukeboxEvent) -> Void)? = nil) {
    if player == nil { place.freeze() }
    self.player = player.map { player in
      JukeboxPlayer(player: player, place: place) { [weak self] report, ticket in
        guard let self else { return }
        let (_, hasEnded) = self.apply { machine throws(JukeboxError) in
          machine.report(report, ticket: ticket)
        }
        // The player reported the end itself, so no pending action has to be awaited.
        if hasEnded { self.ended() }
      }
    }
    self.player?.onBrokenOff = { [weak self] song, progress in
      self?.state.withLock { $0.machine.notePosition(in: song.song, at: progress) }
    }
    self.player?.onEvent = { [weak self] event in
      self?.learn(event)
      onEvent?(self?.complete(event) ?? event)
    }
    self.player?.onLearn = { [weak self] song, news in
      guard let self else { return }
      try? change { $0.learn(song.id, news) }
      mainQueue.enqueue { MainActor.assumeIsolated { onEvent?(.learned(song, news)) } }
    }
  }

  /// Adds to the event of a new current song the tags that were read before its turn. Returns other events unchanged.
  private func complete(_ event: JukeboxEvent) -> JukeboxEvent {
    guard case .currentItem(let song?) = event else { return event }
    let known = read { machine in
      machine.queue.position(of: song.id).flatMap { machine.queue[position: $0] }
    }
    return .currentItem(known ?? song)
  }

  /// Stores a live stream's title and station as tags. The title is removed when the current song changes.
  @MainActor
  private func learn(_ event: JukeboxEvent) {
    switch event {
    case .station(let song, let name?): learn(.name, name, of: song.id)
    case .timedMetadata(let song, "icy/StreamTitle", let title, _):
      titled = song.id
      learn(.title, title, of: song.id)
    case .currentItem(let song) where titled != song?.id:
      if let titled { learn(.title, "", of: titled) }
      titled = nil
    default: break
    }
  }

  private func learn(_ type: TagType, _ text: String, of id: SongID) {
    try? change { $0.learn(id, SongMetadata(tags: [SongTag(type, Argument(text))])) }
  }

  /// Starts or stops keeping the player paused, in order with the jukebox's actions. Any thread.
  package func setHeld(_ isHeld: Bool) { changeOrders { $0.append(.hold(isHeld)) } }

  /// Sets the factor by which the requested volume is multiplied, 0…1, in order with the jukebox's actions.
  /// Replaces the previous factor. Any thread.
  package func setFade(_ gain: Double) { changeOrders { $0.append(.fade(gain)) } }

  private func changeOrders(_ change: (inout State) -> Void) {
    let mustDrain = state.withLock { state in
      change(&state)
      return state.orders.begin()
    }
    if mustDrain { drainSoon() }
  }

  // MARK: Life cycle

  /// Records that the application is suspended: the player gets no actions until `resume`. Any thread.
  package func suspend() { state.withLock { $0.orders.isHeld = true } }

  /// Records that the application runs again, and schedules its pending actions on the main queue. Any thread.
  package func resume() { changeOrders { $0.orders.isHeld = false } }

  /// Records that the application has terminated, and discards pending actions. Called while the player still has a
  /// position, which is kept as heard or requested. Any thread.
  package func terminate() {
    place.freeze()
    state.withLock { state in
      state.orders.removeAll { _ in true }
      state.orders.isHeld = false
    }
  }

  @MainActor
  func afterNotices(_ body: @escaping @MainActor () -> Void) {
    if let player { player.afterNotices(body) } else { body() }
  }

  /// The song to which the player's time steps belong; nil if there is none. Requires no search, unlike
  /// `song(of:)`.
  @MainActor
  package var heardSong: SongID? { player?.heardSong }

  @MainActor
  func song(of item: AVPlayerItem?) -> QueuedSong? { player?.song(of: item) }

  /// Performs pending orders, always asynchronously, because the caller may be inside a callback of the
  /// player.
  private func drainSoon() { mainQueue.enqueue { MainActor.assumeIsolated { self.drain() } } }

  @MainActor
  private func drain() {
    while let order = state.withLock({ $0.orders.next() }) {
      switch order {
      case .action(let action): player?.perform(action)
      case .hold(let isHeld): player?.isHeld = isHeld
      case .fade(let gain): player?.fade = Float(gain)
      }
    }
  }

  @MainActor
  private func ended() {
    // Playback may have started again in the meantime.
    guard read({ $0.state == .stopped }) else { return }
    subscriber.withLock { $0.onEnd }?()
  }
}
