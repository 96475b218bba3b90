import Testing

@testable import AppLifecycle

/// A state with all that decides what an event does in it.
enum Situation: String, CaseIterable {
  case neverLaunched, terminated, terminatedAndLocked, inactive, active
  case background, backgroundLocked, backgroundThenLocked
  case suspended, suspendedLocked, suspendedThenLocked

  /// A machine in that situation, without anything that keeps it running.
  func machine(modes: BackgroundModes = BackgroundModes([.audio])) -> LifecycleMachine {
    var machine = LifecycleMachine(modes: modes, state: self == .inactive ? .inactive : .notRunning)
    let events: [LifecycleMachine.Event] =
      switch self {
      case .neverLaunched, .inactive: []
      case .terminated: [.launch, .terminate]
      case .terminatedAndLocked: [.launch, .lock, .terminate]
      case .active: [.launch]
      case .background: [.launch, .home]
      case .backgroundLocked: [.launch, .lock]
      case .backgroundThenLocked: [.launch, .home, .lock]
      case .suspended: [.launch, .home, .settled]
      case .suspendedLocked: [.launch, .lock, .settled]
      case .suspendedThenLocked: [.launch, .home, .settled, .lock]
      }
    for event in events { _ = machine.handle(event) }
    return machine
  }
}

@Suite struct LifecycleMachineTests {
  typealias Action = LifecycleMachine.Action

  static let launch: [Action] = [
    .enter(.inactive), .call(.didFinishLaunching), .call(.didBecomeActive), .enter(.active),
  ]
  static let relaunch: [Action] = [
    .enter(.inactive), .resume, .call(.didFinishLaunching), .call(.didBecomeActive), .enter(.active),
  ]
  static let toBackground: [Action] = [
    .call(.willResignActive), .enter(.inactive), .call(.didEnterBackground), .enter(.background),
  ]
  static let toForeground: [Action] = [
    .call(.willEnterForeground), .enter(.inactive), .call(.didBecomeActive), .enter(.active),
  ]
  static let end: [Action] = [.call(.willTerminate), .suspend, .enter(.notRunning)]
  static let suspend: [Action] = [.suspend, .enter(.suspended)]

  /// What each event does in each situation; what is not listed does nothing.
  static func expected(_ event: LifecycleMachine.Event, in situation: Situation) -> [Action] {
    switch (situation, event) {
    case (.neverLaunched, .launch): launch
    case (.terminated, .launch), (.terminatedAndLocked, .launch): relaunch
    case (.active, .home), (.active, .lock): toBackground
    case (.inactive, .home), (.inactive, .lock): Array(toBackground.suffix(2))
    case (.background, .foreground), (.backgroundLocked, .foreground), (.backgroundThenLocked, .foreground),
      (.backgroundLocked, .unlock):
      toForeground
    case (.suspended, .foreground), (.suspendedLocked, .foreground), (.suspendedThenLocked, .foreground),
      (.suspendedLocked, .unlock):
      [.resume] + toForeground
    case (.suspended, .remoteControl), (.suspendedLocked, .remoteControl),
      (.suspendedThenLocked, .remoteControl):
      [.resume, .enter(.background)]
    case (.background, .settled), (.backgroundLocked, .settled), (.backgroundThenLocked, .settled): suspend
    case (.inactive, .terminate), (.active, .terminate), (.background, .terminate),
      (.backgroundLocked, .terminate), (.backgroundThenLocked, .terminate):
      end
    case (.suspended, .terminate), (.suspendedLocked, .terminate), (.suspendedThenLocked, .terminate):
      [.enter(.notRunning)]
    default: []
    }
  }

  static let events: [LifecycleMachine.Event] = [
    .launch, .home, .foreground, .lock, .unlock, .terminate, .keepersChanged([]), .keepersChanged([.audio]),
    .remoteControl, .settled,
  ]

  @Test(arguments: Situation.allCases, events)
  func everyEventInEverySituation(situation: Situation, event: LifecycleMachine.Event) {
    var machine = situation.machine()
    let before = machine.state
    let actions = machine.handle(event)
    #expect(actions == Self.expected(event, in: situation))
    let entered = actions.compactMap { if case .enter(let state) = $0 { state } else { nil } }
    #expect(machine.state == entered.last ?? before)
  }

  @Test func locksAndUnlocks() {
    for situation in Situation.allCases {
      var machine = situation.machine()
      _ = machine.handle(.lock)
      #expect(machine.isLocked)
      _ = machine.handle(.unlock)
      #expect(!machine.isLocked)
      #expect(machine.handle(.unlock).isEmpty)
      for opening in [LifecycleMachine.Event.foreground, .launch] {
        machine = situation.machine()
        if !machine.handle(opening).isEmpty { #expect(!machine.isLocked) }
      }
    }
  }

  @Test(arguments: [
    ("audio", [BackgroundKeeper.audio], true), ("none", [.audio], false), ("fetch", [.audio], false),
    ("none", [.task], true), ("fetch", [.fetch], true), ("audio", [.fetch], false), ("audio", [], false),
    ("none", [.audio, .task], true),
  ])
  func onlyWhatTheModesAllowKeepsItRunning(modes: String, keepers: [BackgroundKeeper], isKept: Bool) {
    var machine = LifecycleMachine(modes: BackgroundModes(list: modes))
    for event in [LifecycleMachine.Event.keepersChanged(Set(keepers)), .launch, .home] {
      _ = machine.handle(event)
    }
    #expect(machine.effectiveKeepers.isEmpty == !isKept)
    #expect(machine.handle(.settled) == (isKept ? [] : Self.suspend))
    // A second time nothing is left to do, and without keepers it is suspended after all.
    #expect(machine.handle(.settled).isEmpty)
    _ = machine.handle(.keepersChanged([]))
    #expect(machine.handle(.settled) == (isKept ? Self.suspend : []))
    #expect(machine.state == .suspended)
  }

  @Test func nothingWakesASuspendedApplicationButTheForeground() {
    var machine = Situation.suspended.machine()
    #expect(machine.handle(.keepersChanged([.audio, .task])).isEmpty)
    #expect(machine.handle(.settled).isEmpty)
    #expect(machine.handle(.home).isEmpty)
    #expect(machine.state == .suspended)
  }

  /// A thousand sequences of a thousand events each hold all rules of `ActionRules`.
  @Test func randomSequencesKeepTheRules() {
    for seed in 0..<1000 as Range<UInt64> {
      var random = Random(seed: seed)
      let modes = BackgroundModes(list: ["none", "audio", "fetch,audio", "fetch"][Int(seed % 4)])
      var machine = LifecycleMachine(modes: modes)
      var rules = ActionRules()
      for _ in 0..<1000 {
        let event = Self.randomEvent(&random)
        for action in machine.handle(event) { rules.take(action) }
        rules.expect(rules.state == machine.state && rules.isStopped == machine.isStopped, "machine differs")
        if event == .settled, machine.state == .background {
          rules.expect(!machine.effectiveKeepers.isEmpty, "in the background without a reason")
        }
      }
      #expect(rules.violations.isEmpty, "seed \(seed)")
      #expect(rules.count > 100, "seed \(seed) did too little")
    }
  }

  static func randomEvent(_ random: inout Random) -> LifecycleMachine.Event {
    switch random.next() % 12 {
    case 0: .launch
    case 1: .home
    case 2: .foreground
    case 3: .lock
    case 4: .unlock
    case 5: random.next() % 4 == 0 ? .terminate : .launch
    case 6: .keepersChanged(Set(BackgroundKeeper.allCases.filter { _ in random.next() % 2 == 0 }))
    case 7: .keepersChanged([])
    case 8: .foreground
    case 9: .remoteControl
    default: .settled
    }
  }
}
