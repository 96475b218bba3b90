import Clocks
import Continuo
import Foundation
import PulseOutput
import QueuePlayer
import TestSupport
import Testing

/// Random sequences of all that can be done with players and their application: whatever is done, and whenever,
/// nothing that clients rely on breaks. A fault is told with the seed that repeats it; CONTINUO_WALK=seed runs that one
/// alone and writes each step.
@Suite("Random walks", .timeLimit(.minutes(60)))
@MainActor
struct WalkTests {
  private static let variables = ProcessInfo.processInfo.environment
  private static let seed = variables["CONTINUO_WALK"].flatMap(UInt64.init)

  private static func seeds(_ usual: Int) -> [UInt64] { seed.map { [$0] } ?? Rounds.seeds(usual) }

  @Test("In virtual time") func virtual() async {
    var failures = 0
    for seed in Self.seeds(150) {
      let plan = WalkPlan(seed: seed)
      let faults = await Self.faults(plan)
      guard !faults.isEmpty else { continue }
      let short = Self.seed == nil && failures < 3 ? await Self.shrunk(plan) : plan
      let found = await Self.faults(short)
      Issue.record("walk \(seed): \(faults.prefix(3)); shortest \(short.steps): \(found.prefix(3))")
      failures += 1
      if failures == 8 { return }
    }
  }

  private static func faults(_ plan: WalkPlan) async -> [String] {
    let stage = VirtualStage()
    WalkMedium.addAll(to: stage.library)
    let queue = stage.mainQueue
    let device = Device(
      modes: BackgroundModes(plan.isKeptRunning ? [.audio] : []), clock: stage.clock, mainQueue: queue,
      isOnMainQueue: { queue.isCurrent })
    let walk = Walk(plan, environment: stage.environment, device: device) { holds in
      if holds {
        queue.hold()
      } else {
        queue.release()
        stage.settle()
      }
    }
    defer { stage.environment.closePlayers() }
    return await walk.run { stage.pass($0) }
  }

  /// The same plan without the steps that its fault does not need.
  private static func shrunk(_ plan: WalkPlan) async -> WalkPlan {
    var plan = plan
    var index = plan.steps.count
    while index > 0 {
      index -= 1
      var shorter = plan
      let removed = shorter.steps.remove(at: index)
      if index < shorter.steps.count { shorter.steps[index].wait += removed.wait }
      if await !faults(shorter).isEmpty { plan = shorter }
    }
    return plan
  }

  @Test("On a real server") func real() async throws {
    let server = try PrivatePulseServer()
    defer { server.stop() }
    var waiting = Self.seeds(24).makeIterator()
    // Several at a time: each has players, an application and a session of its own.
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<12 {
        if let seed = waiting.next() { group.addTask { await Self.walk(seed, on: server.address) } }
      }
      while await group.next() != nil {
        if let seed = waiting.next() { group.addTask { await Self.walk(seed, on: server.address) } }
      }
    }
  }

  private static func walk(_ seed: UInt64, on address: String) async {
    let library = Library()
    WalkMedium.addAll(to: library)
    var environment = PlaybackEnvironment(
      clock: SystemClock.shared,
      device: PulseDevice(configuration: PulseConfiguration(server: address), clock: SystemClock.shared))
    environment.makeSource = { url, _ in library.source(url) }
    defer { environment.closePlayers() }
    let plan = WalkPlan(seed: seed, holds: false)
    let device = Device(modes: BackgroundModes(plan.isKeptRunning ? [.audio] : []))
    let walk = Walk(plan, environment: environment, device: device) { _ in }
    let faults = await walk.run { try? await Task.sleep(for: .seconds($0)) }
    if !faults.isEmpty { Issue.record("walk \(seed): \(faults.prefix(3))") }
  }
}
