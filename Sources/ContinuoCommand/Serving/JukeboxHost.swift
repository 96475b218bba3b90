import Continuo
import DequeModule
import Dispatch
import Jukebox
import Synchronization

/// The jukebox of this process: commands come from any thread, orders to the player go out on the main queue.
///
/// A command takes a short lock and is done; what the player has to do for it follows, in order. So nobody who asks
/// waits for the main queue, for a file or for the server.
final class JukeboxHost: Sendable {
  private struct State {
    var machine: JukeboxMachine
    var actions: Deque<JukeboxAction> = []
    var isDraining = false
  }

  private let state: Mutex<State>
  /// In a value of its own: a `Mutex` of a function wraps it anew whenever it is looked at, and keeps the wrapping.
  private struct Subscriber {
    var onChange: (@Sendable (JukeboxSubsystems) -> Void)?
  }

  private let subscriber = Mutex(Subscriber())
  /// How far the player is.
  let place = SongPlace()
  @MainActor private var player: JukeboxPlayer?

  /// A host of `machine`, without a player. What the machine already wants of one is kept for the first.
  init(_ machine: JukeboxMachine) {
    var machine = machine
    // At once: the place in a restored song has to be known before anyone asks for it, or keeps it.
    let actions = machine.takeEffects().actions
    place.expect(actions)
    state = Mutex(State(machine: machine, actions: Deque(actions)))
  }

  /// Called with what changed, after every change, on the thread that made it; without a lock.
  func onChange(_ body: @escaping @Sendable (JukeboxSubsystems) -> Void) {
    subscriber.withLock { $0.onChange = body }
  }

  /// Looks at the jukebox. Any thread; `body` is called under the lock.
  func read<Result: Sendable>(_ body: (borrowing JukeboxMachine) -> Result) -> Result {
    state.withLock { body($0.machine) }
  }

  /// Where the current song stands, in seconds from its beginning; 0 if there is none. Any thread.
  var seconds: Double { read { $0.currentID }.flatMap { place.seconds(of: $0) } ?? 0 }

  /// Changes the jukebox. Any thread; `body` is called under the lock.
  @discardableResult
  func change<Result: Sendable>(
    _ body: (inout JukeboxMachine) throws(JukeboxError) -> Result
  ) throws(JukeboxError) -> Result {
    let (result, changed, mustDrain): (Swift.Result<Result, JukeboxError>, JukeboxSubsystems, Bool) =
      state.withLock { state in
        let result: Swift.Result<Result, JukeboxError>
        do throws(JukeboxError) {
          result = .success(try body(&state.machine))
        } catch {
          result = .failure(error)
        }
        let effects = state.machine.takeEffects()
        place.expect(effects.actions)
        state.actions.append(contentsOf: effects.actions)
        let mustDrain = !state.actions.isEmpty && !state.isDraining
        if mustDrain { state.isDraining = true }
        return (result, effects.changed, mustDrain)
      }
    if !changed.isEmpty { subscriber.withLock { $0.onChange }?(changed) }
    // Never on the caller's stack, also on the main queue: it may be inside of a callback of the player.
    if mustDrain { DispatchQueue.main.async { MainActor.assumeIsolated { self.drain() } } }
    return try result.get()
  }

  /// Gives the jukebox a player, or takes it away; orders without a player are dropped. `onEvent` hears of songs.
  @MainActor
  func setPlayer(_ player: AVQueuePlayer?, onEvent: (@MainActor (JukeboxPlayer.Event) -> Void)? = nil) {
    if player == nil { place.freeze() }
    self.player = player.map { player in
      JukeboxPlayer(player: player, place: place) { [weak self] report, ticket in
        try? self?.change { machine throws(JukeboxError) in machine.report(report, ticket: ticket) }
      }
    }
    self.player?.onEvent = onEvent
  }

  /// Whether sound is held back, whatever the jukebox wants.
  @MainActor
  func setHeld(_ isHeld: Bool) { player?.isHeld = isHeld }

  /// The song that `item` is.
  @MainActor
  func song(of item: AVPlayerItem?) -> QueuedSong? { player?.song(of: item) }

  @MainActor
  private func drain() {
    while let action = nextAction() { player?.perform(action) }
  }

  private func nextAction() -> JukeboxAction? {
    state.withLock { state in
      if state.actions.isEmpty { state.isDraining = false }
      return state.actions.popFirst()
    }
  }
}
