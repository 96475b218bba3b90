import AppLifecycle
import Continuo
package import ControlProtocol
import DequeModule
package import HostTime
package import Jukebox
import Synchronization

/// The jukebox of this process: commands come from any thread, orders to the player go out on the main queue.
///
/// A command takes a short lock and is done; what the player has to do for it follows, in order. So nobody who asks
/// waits for the main queue, for a file or for the server. While the application is suspended its player gets no
/// orders: they wait, and are carried out when it runs again.
package final class JukeboxHost: Suspendable {
  /// What the player is to do.
  private enum Order {
    case action(JukeboxAction)
    /// Hold sound back, whatever the jukebox wants, or no longer.
    case hold(Bool)

    func supersedes(_ earlier: Order) -> Bool {
      switch (self, earlier) {
      case (.action(let action), .action(let other)): action.supersedes(other)
      case (.hold, .hold): true
      default: false
      }
    }
  }

  private struct State {
    var machine: JukeboxMachine
    var orders: Deque<Order> = []
    var isDraining = false
    var isSuspended = false

    mutating func append(_ order: Order) {
      orders.removeAll { order.supersedes($0) }
      orders.append(order)
    }

    /// Whether somebody has to see to the orders now.
    mutating func mustDrain() -> Bool {
      guard !orders.isEmpty, !isDraining, !isSuspended else { return false }
      isDraining = true
      return true
    }

    mutating func nextOrder() -> Order? {
      guard !isSuspended, let order = orders.popFirst() else {
        isDraining = false
        return nil
      }
      return order
    }
  }

  private let state: Mutex<State>
  /// In a value of its own: a `Mutex` of a function wraps it anew whenever it is looked at, and keeps the wrapping.
  private struct Subscriber {
    var onChange: (@Sendable (Subsystems) -> Void)?
    var onEnd: (@MainActor () -> Void)?
  }

  private let subscriber = Mutex(Subscriber())
  /// How far the player is.
  package let place = SongPlace()
  @MainActor private var player: JukeboxPlayer?
  /// The song that has the title of a live stream.
  @MainActor private var titled: SongID?
  private let mainQueue: any DeliveryQueue

  /// A host of `machine`, without a player. What the machine already wants of one is kept for the first. `mainQueue` is
  /// where the player is driven: the main actor's thread.
  package init(_ machine: JukeboxMachine, mainQueue: any DeliveryQueue = MainDispatchQueue.shared) {
    var machine = machine
    // At once: the place in a restored song has to be known before anyone asks for it, or keeps it.
    let actions = machine.takeEffects().actions
    place.expect(actions)
    self.mainQueue = mainQueue
    state = Mutex(State(machine: machine, orders: Deque(actions.map(Order.action))))
  }

  /// Called with what changed, after every change, on the thread that made it; without a lock.
  package func onChange(_ body: @escaping @Sendable (Subsystems) -> Void) {
    var body: (@Sendable (Subsystems) -> Void)? = body
    subscriber.withLock { swap(&$0.onChange, &body) }
  }

  /// Called on the main queue when the play order has come to its end, and the player has obeyed.
  package func onEnd(_ body: @escaping @MainActor () -> Void) {
    var body: (@MainActor () -> Void)? = body
    subscriber.withLock { swap(&$0.onEnd, &body) }
  }

  /// Where a song stands in the queue; 0 if it is gone. Any thread.
  package func index(of song: QueuedSong) -> Int { read { $0.queue.position(of: song.id) } ?? 0 }

  /// Looks at the jukebox. Any thread; `body` is called under the lock.
  package func read<Result: Sendable>(_ body: (borrowing JukeboxMachine) -> Result) -> Result {
    state.withLock { body($0.machine) }
  }

  /// Where the current song stands, in seconds from its beginning; 0 if there is none. Any thread.
  package var seconds: Double { read { $0.currentID }.flatMap { place.seconds(of: $0) } ?? 0 }

  /// Changes the jukebox. Any thread; `body` is called under the lock.
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
    let (result, effects, mustDrain): (Swift.Result<Result, JukeboxError>, JukeboxEffects, Bool) =
      state.withLock { state in
        let result: Swift.Result<Result, JukeboxError>
        do throws(JukeboxError) {
          result = .success(try body(&state.machine))
        } catch {
          result = .failure(error)
        }
        let effects = state.machine.takeEffects()
        place.expect(effects.actions)
        for action in effects.actions { state.append(.action(action)) }
        return (result, effects, state.mustDrain())
      }
    if !effects.changed.isEmpty { subscriber.withLock { $0.onChange }?(effects.changed) }
    if mustDrain { drainSoon() }
    return (result, effects.hasEnded)
  }

  /// Gives the jukebox a player, or takes it away; orders without a player are dropped. `onEvent` hears of songs.
  @MainActor
  func setPlayer(_ player: AVQueuePlayer?, onEvent: (@MainActor (JukeboxEvent) -> Void)? = nil) {
    if player == nil { place.freeze() }
    self.player = player.map { player in
      JukeboxPlayer(player: player, place: place) { [weak self] report, ticket in
        guard let self else { return }
        let (_, hasEnded) = self.apply { machine throws(JukeboxError) in
          machine.report(report, ticket: ticket)
        }
        // Nothing is left to obey.
        if hasEnded { self.ended() }
      }
    }
    self.player?.onEvent = { [weak self] event in
      self?.learn(event)
      onEvent?(event)
    }
    self.player?.onLearn = { [weak self] id, news in
      try? self?.change { $0.learn(id, news) }
    }
  }

  /// Keeps a live stream's title, and the station's name, as tags of the song; the title for as long as it is current.
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

  /// Holds sound back, whatever the jukebox wants, or no longer: in order with what the jukebox wants. Any thread.
  package func setHeld(_ isHeld: Bool) {
    let mustDrain = state.withLock { state in
      state.append(.hold(isHeld))
      return state.mustDrain()
    }
    if mustDrain { drainSoon() }
  }

  // MARK: The life cycle

  /// The application is suspended: nothing of it runs, and its player gets no orders until `resume`. Any thread.
  package func suspend() { state.withLock { $0.isSuspended = true } }

  /// The application runs again: what was ordered meanwhile follows. Any thread.
  package func resume() {
    let mustDrain = state.withLock { state in
      state.isSuspended = false
      return state.mustDrain()
    }
    if mustDrain { drainSoon() }
  }

  /// The application has ended: the song stays where its player was or was told to go, and what else was ordered of
  /// that player is void. Before its players are ended. Any thread.
  package func terminate() {
    place.freeze()
    state.withLock { state in
      state.orders = []
      state.isSuspended = false
    }
  }

  /// Calls `body` when everything is taken in that the player has told before.
  @MainActor
  func afterNotices(_ body: @escaping @MainActor () -> Void) {
    if let player { player.afterNotices(body) } else { body() }
  }

  /// The song that `item` is.
  @MainActor
  func song(of item: AVPlayerItem?) -> QueuedSong? { player?.song(of: item) }

  /// Never on the caller's stack, also on the main queue: it may be inside of a callback of the player.
  private func drainSoon() { mainQueue.enqueue { MainActor.assumeIsolated { self.drain() } } }

  @MainActor
  private func drain() {
    while let order = state.withLock({ $0.nextOrder() }) {
      switch order {
      case .action(let action): player?.perform(action)
      case .hold(let isHeld): player?.isHeld = isHeld
      }
    }
  }

  @MainActor
  private func ended() {
    // Somebody may have begun anew meanwhile.
    guard read({ $0.state == .stopped }) else { return }
    subscriber.withLock { $0.onEnd }?()
  }
}
