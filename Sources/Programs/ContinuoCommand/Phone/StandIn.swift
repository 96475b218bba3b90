import AppLifecycle
import Clocks

/// The life cycle of a program without a link, which receives no calls: each call returns at once.
struct StandIn {
  private var machine = LifecycleMachine(modes: BackgroundModes(), isActive: true)

  /// - Parameters:
  ///   - isInFront: whether the program runs in the foreground; otherwise it is suspended.
  ///   - now: the present time.
  init(isInFront: Bool, at now: HostTime) { if !isInFront { _ = handle(.happened(.home), at: now) } }

  /// The earliest time at which `timePassed` has an effect; nil if none.
  var nextDeadline: HostTime? { machine.nextDeadline }

  /// Returns the actions to carry out, in order.
  mutating func handle(_ event: LifecycleMachine.Event, at now: HostTime) -> [LifecycleMachine.Action] {
    var actions: [LifecycleMachine.Action] = []
    var events = [event]
    while let event = events.popLast() {
      let steps = machine.handle(event, at: now)
      actions += steps
      events += steps.compactMap { step in Self.call(of: step).map { .callReturned($0) } }
      // Suspension is decided once nothing else is left to do.
      if events.isEmpty, event != .settled || !steps.isEmpty { events.append(.settled) }
    }
    return actions
  }

  private static func call(of step: LifecycleMachine.Action) -> LifecycleMachine.CallID? {
    switch step {
    case .call(let id, _), .expire(let id, _), .tellSession(let id, _), .launchTask(let id, _),
      .expireTask(let id, _), .reachMainQueue(let id):
      id
    default: nil
    }
  }
}
