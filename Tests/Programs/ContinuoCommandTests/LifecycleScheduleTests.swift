import AppLifecycle
import Continuo
import ContinuoTesting
import ControlProtocol
import Foundation
import TestSupport
import Testing

@testable import ContinuoCommand

/// What people and the system do to the application, in any order and at any moment: the queue is played to its end
/// when somebody says so and nothing holds it, and not a frame of it is lost.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct LifecycleScheduleTests {
  /// A command and its moment, in milliseconds.
  struct Press: CustomStringConvertible {
    var time: Int
    var command: PlayerCommand
    var isOverSocket = false
    var description: String { "\(time)\(isOverSocket ? " socket" : ""):\(command)" }
  }

  /// What is in a schedule decides what can be asked of its outcome.
  enum Kind: CaseIterable {
    /// Leaves the place in the music alone: every frame is heard once, in order.
    case steady
    /// Ends the application and launches it again, which may repeat what the output held.
    case terminating
    /// Goes elsewhere in the music.
    case roaming

    var commands: [PlayerCommand] {
      let always: [PlayerCommand] = [
        .home, .home, .foreground, .foreground, .lock, .unlock, .interruptBegin, .interruptEnd(resumes: true),
        .interruptEnd(resumes: false), .pause, .play, .play, .toggle, .volume(.absolute(50)), .mute,
      ]
      return switch self {
      case .steady: always
      case .terminating: always + [.terminate, .launch, .launch]
      case .roaming:
        always + [
          .next, .previous, .seek(.absolute(.milliseconds(400))), .seek(.relative(.milliseconds(-300))),
        ]
      }
    }
  }

  // MARK: One schedule

  /// Carries out a schedule, then does what lets sound go on, and expects the end. What is wrong, in words.
  func play(_ presses: [Press], modes: String, songs: [Double], kind: Kind) throws -> [String] {
    let run = try VirtualRun(modes: modes, songs: songs)
    return PlaybackEnvironment.withCurrent(run.environment) {
      MainActor.assumeIsolated { play(presses, in: run, songs: songs, kind: kind) }
    }
  }

  private func play(_ presses: [Press], in run: VirtualRun, songs: [Double], kind: Kind) -> [String] {
    defer { run.close() }
    var problems: [String] = []
    run.session.start()
    var now = 0
    /// Time passes, and meanwhile clients ask whether sound moves.
    func pass(to moment: Int) {
      while now < moment, !run.isEnded {
        let step = min(moment - now, 40)
        let before = (run.status, run.heardFrames)
        run.pass(Double(step) / 1000)
        now += step
        guard step == 40, !run.isEnded, run.status == before.0 else { continue }
        if (run.heardFrames > before.1) != (before.0 == "play") {
          problems.append(
            "status \(before.0 ?? "none") at \(now), \(run.heardFrames - before.1) frames heard")
        }
      }
    }
    for press in presses where !run.isEnded {
      pass(to: press.time)
      if !run.isEnded { run.perform(press.command, overSocket: press.isOverSocket) }
    }
    let finale: [PlayerCommand] = [.interruptEnd(resumes: true), .launch, .foreground, .play]
    for command in finale where !run.isEnded {
      pass(to: now + 100)
      if !run.isEnded { run.perform(command) }
    }
    pass(to: now + 1000 * Int(songs.reduce(3, +)))
    if !run.isEnded {
      problems.append(
        "never ends: \(run.device.state), \(run.status ?? "none"), \(run.heard.stretches.suffix(3))")
    }
    if !run.toldWhileSuspended.isEmpty {
      problems.append("told while suspended: \(run.toldWhileSuspended.prefix(5))")
    }
    problems += differences(run, songs, kind)
    return problems
  }

  private func differences(_ run: VirtualRun, _ songs: [Double], _ kind: Kind) -> [String] {
    guard kind == .steady, run.isEnded else { return [] }
    var problems: [String] = []
    let whole = songs.enumerated().map {
      HeardSound.Passage(song: "\($0)", frames: 0..<Int64(($1 * 8000).rounded()))
    }
    if run.heard.passages != whole { problems.append("heard \(run.heard.passages)") }
    let steps: [[Int64]] = songs.indices.map { song in
      run.seen.compactMap { if case .step(song, let value) = $0 { value } else { nil } }
    }
    for (song, seconds) in songs.enumerated() {
      let expected = Array(0..<Int64((seconds * 100).rounded(.up)))
      if steps[song] != expected { problems.append("steps of \(song): \(steps[song])") }
    }
    return problems
  }

  private func schedule(_ seed: UInt64, _ kind: Kind) -> [Press] {
    var random = RandomSource(seed: seed)
    var presses: [Press] = []
    var time = random.below(600)
    for _ in 0..<(1 + random.below(12)) {
      presses.append(
        Press(time: time, command: random.pick(kind.commands), isOverSocket: random.below(4) == 0))
      // Often in the same instant.
      time += random.below(3) == 0 ? 0 : random.below(250)
    }
    return presses
  }

  // MARK: Tests

  @Test(arguments: Kind.allCases) func randomSchedulesEnd(kind: Kind) throws {
    var failures = 0
    for seed in Rounds.seeds(60) {
      let presses = schedule(seed, kind)
      var random = RandomSource(seed: seed ^ 0xFFFF)
      let songs = (0...random.below(3)).map { _ in Double(20 + random.below(60)) / 100 + 0.005 }
      let modes = seed % 2 == 0 ? "none" : "audio"
      let problems = try play(presses, modes: modes, songs: songs, kind: kind)
      guard !problems.isEmpty else { continue }
      failures += 1
      Issue.record("seed \(seed), modes \(modes), \(songs): \(presses): \(problems.prefix(3))")
      if failures == 5 { return }
    }
  }
}
