import AudioSession
import Clocks
import Foundation
import MediaAssets
import MediaTime
import PulseOutput
import QueuePlayer
import Synchronization
import TestSupport
import Testing

/// Players on a private PulseAudio server and the process's main queue, where the engine's threads really run beside a
/// turn of the main queue. Races are repeated.
@Suite("Races with a real server", .blocksThread, .timeLimit(.minutes(10)))
@MainActor
struct RealServerTests {
  /// How often a race is run.
  static let repeats = Rounds.count(200)

  private struct Stage {
    let server: PrivatePulseServer
    let library = Library()
    let environment: PlaybackEnvironment

    init() throws {
      server = try PrivatePulseServer()
      environment = PlaybackEnvironment(
        clock: SystemClock.shared,
        device: PulseDevice(
          configuration: PulseConfiguration(server: server.address), clock: SystemClock.shared),
        makeSource: { [library] url, _ in library.source(url) })
    }

    func item(_ name: String, seconds: Double) -> AVPlayerItem {
      AVPlayerItem(asset: AVURLAsset(url: library.add(name, seconds: seconds), environment: environment))
    }

    func missingItem() -> AVPlayerItem {
      AVPlayerItem(asset: AVURLAsset(url: URL(fileURLWithPath: "/missing"), environment: environment))
    }

    func close() {
      environment.closePlayers()
      server.stop()
    }
  }

  /// Keeps the main queue in its turn, as a client that computes does: up to 2 ms, another time in each round.
  private func work(_ round: Int) { usleep(UInt32(round % 21) * 100) }

  @Test("An observer that takes longer than its interval leaves turns of the main queue to others")
  func slowObserver() async throws {
    let stage = try Stage()
    defer { stage.close() }
    let player = AVPlayer(playerItem: stage.item("a", seconds: 3600), environment: stage.environment)
    let calls = Log<Void>()
    /// How many calls there were at each turn of the others.
    let turns = Log<Int>()
    @Sendable func takeTurn() {
      turns.add(calls.entries.count)
      if calls.entries.count < 100 { DispatchQueue.main.async { takeTurn() } }
    }
    await withCheckedContinuation { done in
      let token = player.addPeriodicTimeObserver(
        forInterval: CMTime(value: 1, timescale: 100), queue: nil
      ) { _ in
        calls.add(())
        switch calls.entries.count {
        case 1: takeTurn()
        case 2..<100: usleep(15_000)
        case 100: done.resume()
        default: break
        }
      }
      player.play()
      withExtendedLifetime(token) {}
    }
    // Steps may come several at a time; those that are there together are told in one turn, which are many where the
    // machine is busy.
    let counts = turns.entries.map { min($0, 100) }
    let longest = zip(counts, counts.dropFirst()).map { $1 - $0 }.max() ?? 100
    #expect(longest < 90)
  }

  @Test("Three quick seeks end with false, false, true", arguments: [false, true])
  func seeks(isPlaying: Bool) async throws {
    let stage = try Stage()
    defer { stage.close() }
    let item = stage.item("a", seconds: 3600)
    let player = AVPlayer(playerItem: item, environment: stage.environment)
    await wait(item, \.status, .readyToPlay)
    if isPlaying {
      player.play()
      await wait(player, \.timeControlStatus, .playing)
    }
    for round in 0..<Self.repeats {
      let results = Log<Bool>()
      let (done, continuation) = AsyncStream<Void>.makeStream()
      for number in 1...3 {
        player.seek(to: CMTime(value: Int64(round * 3 + number), timescale: 1)) { finished in
          results.add(finished)
          if results.entries.count == 3 { continuation.finish() }
        }
        work(round)
        try #require(results.entries == Array(repeating: false, count: number - 1), "round \(round)")
      }
      for await _ in done {}
      try #require(results.entries == [false, false, true], "round \(round)")
    }
  }

  @Test("cancelPendingSeeks ends a seek with false, at once")
  func cancelledSeek() async throws {
    let stage = try Stage()
    defer { stage.close() }
    let item = stage.item("a", seconds: 3600)
    let player = AVPlayer(playerItem: item, environment: stage.environment)
    await wait(item, \.status, .readyToPlay)
    for round in 0..<Self.repeats {
      let results = Log<Bool>()
      item.seek(to: CMTime(value: Int64(round), timescale: 1)) { results.add($0) }
      work(round)
      item.cancelPendingSeeks()
      try #require(results.entries == [false], "round \(round)")
    }
    withExtendedLifetime(player) {}
  }

  @Test(
    "An item fails or becomes ready in a turn of its own, and who observes it in the next line hears of it")
  func status() async throws {
    let stage = try Stage()
    defer { stage.close() }
    for round in 0..<Self.repeats {
      let (bad, good) = (stage.missingItem(), stage.item("good", seconds: 1))
      let player = AVQueuePlayer(items: [], environment: stage.environment)
      player.replaceCurrentItem(with: bad)
      player.insert(good, after: nil)
      work(round)
      player.rate = 0
      player.volume = 0.5
      try #require(bad.status == .unknown && good.status == .unknown, "round \(round)")
      try #require(player.currentItem === bad && player.items() == [bad, good], "round \(round)")
      let told = Log<AVPlayerItem.Status>()
      let (done, continuation) = AsyncStream<Void>.makeStream()
      let observations = [bad, good].map { item in
        item.observe(\.status, options: [.new]) { _, change in
          told.add(change.newValue ?? .unknown)
          if told.entries.count == 2 { continuation.finish() }
        }
      }
      for await _ in done {}
      try #require(told.entries == [.failed, .readyToPlay], "round \(round)")
      observations.forEach { $0.invalidate() }
    }
  }

  @Test("A paused player goes on without waiting for data", arguments: [true, false])
  func resumes(waits: Bool) async throws {
    let stage = try Stage()
    defer { stage.close() }
    let item = stage.item("a", seconds: 3600)
    let player = AVPlayer(playerItem: item, environment: stage.environment)
    player.automaticallyWaitsToMinimizeStalling = waits
    let reasons = Log<AVPlayer.WaitingReason?>()
    let observation = player.observe(\.reasonForWaitingToPlay) { player, _ in
      reasons.add(player.reasonForWaitingToPlay)
    }
    player.play()
    await wait(player, \.timeControlStatus, .playing)
    for round in 0..<12 {
      if round % 3 == 2 { stage.environment.beginInterruption() } else { player.pause() }
      await wait(player, \.timeControlStatus, .paused)
      let place = player.currentTime()
      if round % 3 == 1 { await player.seek(to: CMTime(value: Int64(round), timescale: 1)) }
      if round % 3 == 2 { stage.environment.endInterruption(shouldResume: true) }
      player.play()
      try #require(player.rate == 1)
      // Until sound has moved on.
      let start = round % 3 == 1 ? CMTime(value: Int64(round), timescale: 1) : place
      let (times, continuation) = AsyncStream<CMTime>.makeStream()
      let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 50), queue: nil) {
        continuation.yield($0)
      }
      for await time in times where time.seconds > start.seconds + 0.05 { break }
      player.removeTimeObserver(token)
      try #require(player.rate == 1 && player.timeControlStatus == .playing, "round \(round)")
    }
    #expect(!reasons.entries.contains(.toMinimizeStalls), "\(reasons.entries)")
    observation.invalidate()
  }
}
