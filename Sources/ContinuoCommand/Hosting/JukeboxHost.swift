import Continuo
import ControlProtocol
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
    var onChange: (@Sendable (Subsystems) -> Void)?
    var onEnd: (@MainActor () -> Void)?
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
  func onChange(_ body: @escaping @Sendable (Subsystems) -> Void) {
    subscriber.withLock { $0.onChange = body }
  }

  /// Called on the main queue when the play order has come to its end, and the player has obeyed.
  func onEnd(_ body: @escaping @MainActor () -> Void) { subscriber.withLock { $0.onEnd = body } }

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
    let (result, hasEnded) = apply(body)
    if hasEnded { DispatchQueue.main.async { MainActor.assumeIsolated { self.ended() } } }
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
        for action in effects.actions {
          state.actions.removeAll { action.supersedes($0) }
          state.actions.append(action)
        }
        let mustDrain = !state.actions.isEmpty && !state.isDraining
        if mustDrain { state.isDraining = true }
        return (result, effects, mustDrain)
      }
    if !effects.changed.isEmpty { subscriber.withLock { $0.onChange }?(effects.changed) }
    // Never on the caller's stack, also on the main queue: it may be inside of a callback of the player.
    if mustDrain { DispatchQueue.main.async { MainActor.assumeIsolated { self.drain() } } }
    return (result, effects.hasEnded)
  }

  /// Gives the jukebox a player, or takes it away; orders without a player are dropped. `onEvent` hears of songs.
  @MainActor
  func setPlayer(_ player: AVQueuePlayer?, onEvent: (@MainActor (JukeboxPlayer.Event) -> Void)? = nil) {
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
    self.player?.onEvent = onEvent
  }

  /// Whether sound is held back, whatever the jukebox wants.
  @MainActor
  func setHeld(_ isHeld: Bool) { player?.isHeld = isHeld }

  /// Calls `body` when everything is taken in that the player has told before.
  @MainActor
  func afterNotices(_ body: @escaping @MainActor () -> Void) {
    if let player { player.afterNotices(body) } else { body() }
  }

  /// The song that `item` is.
  @MainActor
  func song(of item: AVPlayerItem?) -> QueuedSong? { player?.song(of: item) }

  @MainActor
  private func drain() {
    while let action = nextAction() { player?.perform(action) }
  }

  @MainActor
  private func ended() {
    // Somebody may have begun anew meanwhile.
    guard read({ $0.state == .stopped }) else { return }
    subscriber.withLock { $0.onEnd }?()
  }

  private func nextAction() -> JukeboxAction? {
    state.withLock { state in
      if state.actions.isEmpty { state.isDraining = false }
      return state.actions.popFirst()
    }
  }
}
