import AppLifecycle

/// The rules that any sequence of actions must keep, whoever carries them out.
struct ActionRules: Sendable {
  private(set) var state = ApplicationState.notRunning
  private(set) var isStopped = false
  private(set) var violations: [String] = []
  private(set) var count = 0
  private var previous: LifecycleMachine.Action?

  mutating func expect(_ condition: Bool, _ rule: StaticString) {
    guard !condition, violations.count < 5 else { return }
    violations.append("\(rule): action \(count) in \(state) after \(String(describing: previous))")
  }

  mutating func take(_ action: LifecycleMachine.Action) {
    count += 1
    switch action {
    case .suspend:
      expect(!isStopped, "suspended twice")
      expect(
        previous == .enter(.background) || previous == .call(.willTerminate) || state == .background,
        "suspended in the wrong state")
      isStopped = true
    case .resume:
      expect(isStopped, "resumed twice")
      expect(state == .suspended || state == .inactive, "resumed in the wrong state")
      isStopped = false
    case .enter(let next):
      expect(Self.successors(of: state).contains(next), "not the next state")
      expect((next == .suspended || next == .notRunning) <= isStopped, "entered without being stopped")
      state = next
    case .call(let callback):
      expect(!isStopped, "call while stopped")
      expect(Self.states(of: callback).contains(state), "call in the wrong state")
      expect(follows(callback), "call out of order")
    }
    previous = action
  }

  private func follows(_ callback: LifecycleMachine.Callback) -> Bool {
    switch callback {
    case .didFinishLaunching: previous == .enter(.inactive) || previous == .resume
    case .didBecomeActive: previous == .call(.didFinishLaunching) || previous == .enter(.inactive)
    case .willResignActive: previous == .enter(.active)
    case .didEnterBackground: previous == .enter(.inactive)
    case .willEnterForeground: previous == .enter(.background) || previous == .resume
    case .willTerminate: previous == .enter(state)
    }
  }

  private static func states(of callback: LifecycleMachine.Callback) -> Set<ApplicationState> {
    switch callback {
    case .didFinishLaunching, .didBecomeActive: [.inactive]
    case .willResignActive: [.active]
    case .didEnterBackground: [.inactive]
    case .willEnterForeground: [.background, .suspended]
    case .willTerminate: [.active, .inactive, .background]
    }
  }

  private static func successors(of state: ApplicationState) -> Set<ApplicationState> {
    switch state {
    case .notRunning: [.inactive]
    case .inactive: [.active, .background, .notRunning]
    case .active: [.inactive, .notRunning]
    case .background: [.suspended, .inactive, .notRunning]
    case .suspended: [.background, .inactive, .notRunning]
    }
  }
}

/// Implication, for rules that read "if this, then that".
private func <= (condition: Bool, consequence: Bool) -> Bool { !condition || consequence }

/// A small reproducible generator (xorshift64*).
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return (state &* 0x2545_F491_4F6C_DD1D) >> 16
  }
}
