import AudioCore
import AudioSession
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import Testing

@Suite("Termination and restoration")
struct TerminationTests {
  @Test(
    "The queue comes back, and the sound goes on with the frame that follows what was heard",
    arguments: [false, true])
  func restores(_ isSuspendedFirst: Bool) throws {
    let stage = VirtualStage(recordsSound: true)
    let items = ["a", "b", "c"].map { stage.item($0, seconds: 3) }
    items[2].seek(to: CMTime(value: 44_101, timescale: 44_100))
    items[2].forwardPlaybackEndTime = CMTime(value: 2, timescale: 1)
    let player = stage.queuePlayer(items)
    player.volume = 0.5
    player.isMuted = true
    player.actionAtItemEnd = .pause
    player.play()
    player.actionAtItemEnd = .advance
    player.isMuted = false
    player.volume = 1
    stage.pass(3.777)
    if isSuspendedFirst {
      stage.suspension.suspendAll()
      stage.pass(10)
    }
    stage.suspension.terminateAll()
    let snapshots = stage.suspension.takeRestorableSnapshots()
    #expect(stage.suspension.takeRestorableSnapshots().isEmpty)
    let snapshot = try #require(snapshots.first)
    #expect(snapshots.count == 1 && snapshot.rate == 1 && snapshot.currentIndex == 0)
    #expect(snapshot.items.map { $0.url.lastPathComponent } == ["b", "c"])
    #expect(snapshot.position?.timescale == 44_100)
    #expect(snapshot.items[1].position == .init(value: 44_101, timescale: 44_100))
    #expect(snapshot.items[1].end == .init(value: 2, timescale: 1))
    let written = try JSONEncoder().encode(snapshot)
    let read = try JSONDecoder().decode(PlayerSnapshot.self, from: written)
    #expect(read == snapshot)

    stage.pass(10)
    stage.suspension.launch()
    let before = stage.heardFrames.count
    let new = stage.queuePlayer(read)
    #expect(new.rate == 0)
    new.rate = read.rate
    stage.pass(10)
    let heard = stage.heardFrames[before...]
    #expect(heard.first == snapshot.position?.value)
    let rest = try #require(snapshot.position).value..<(3 * 44_100)
    #expect(Array(heard) == Array(rest) + Array(44_101..<88_200))
  }

  @Test("Nothing undelivered is ever delivered, not by a later launch either")
  func silence() {
    let stage = VirtualStage()
    let player = stage.queuePlayer([stage.item("a", seconds: 100)])
    let log = Log<String>()
    let observation = player.observe(\.rate) { _, _ in log.add("rate") }
    let rates = RateLog(player) { log.add("posted") }
    let told = SessionLog(stage.session) { log.add($0) }
    player.play()
    stage.pass(1)
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 10), queue: nil) {
      _ in
      log.add("step")
    }
    log.clear()
    stage.suspension.suspendAll()
    player.pause()
    player.volume = 0.5
    player.seek(to: .zero) { _ in log.add("seek") }
    stage.environment.beginInterruption()
    stage.item("free").asset.loadValuesAsynchronously(forKeys: []) { log.add("loaded") }
    stage.suspension.terminateAll()
    stage.suspension.terminateAll()
    stage.pass(1)
    stage.suspension.launch()
    stage.pass(5)
    player.play()
    player.volume = 1
    player.seek(to: .zero) { _ in log.add("seek") }
    stage.suspension.resumeAll()
    stage.pass(5)
    #expect(log.entries.isEmpty)
    #expect(stage.suspension.activity == .stopped)
    #expect(stage.session.category == .soloAmbient && !stage.session.isActive)
    player.removeTimeObserver(token)
    withExtendedLifetime((observation, rates, told)) {}
  }

  @Test func loadingFromBeforeATerminationIsNotAnsweredAfterTheLaunch() {
    let stage = VirtualStage()
    var environment = stage.environment
    environment.makeSource = { _, _ in EndlessOpening() }
    let asset = AVURLAsset(url: URL(fileURLWithPath: "/a"), environment: environment)
    let log = Log<String>()
    asset.loadValuesAsynchronously(forKeys: ["duration"]) { log.add("before") }
    stage.suspension.terminateAll()
    stage.suspension.launch()
    asset.loadValuesAsynchronously(forKeys: ["duration"]) { log.add("after") }
    // Answers all that wait, before the return.
    asset.cancelLoading()
    #expect(log.entries == ["after"])
  }

  /// A medium whose bytes never come, so that it is never loaded.
  private struct EndlessOpening: MediaSource {
    func open(whenBytesCome callback: @escaping @Sendable () -> Void) -> MediaOpening { MediaOpening { nil } }
  }

  @Test("Terminated sound is silent at once and for good; players made before the launch never sound")
  func sound() {
    let stage = VirtualStage(recordsSound: true)
    let player = stage.queuePlayer([stage.item("a", seconds: 100)])
    player.play()
    stage.pass(1)
    stage.suspension.terminateAll()
    let heard = stage.heardFrames.count
    let late = stage.queuePlayer([stage.item("b", seconds: 100)])
    late.play()
    stage.pass(5)
    stage.suspension.launch()
    late.play()
    player.play()
    stage.pass(5)
    #expect(stage.heardFrames.count == heard)
    let new = stage.queuePlayer([stage.item("c", seconds: 100)])
    new.play()
    stage.pass(1)
    #expect(stage.heardFrames.count > heard && new.timeControlStatus == .playing)
  }

  @Test("An item whose file is gone fails by itself, and the rest plays")
  func missing() {
    let stage = VirtualStage()
    _ = stage.item("b", seconds: 1)
    let snapshot = PlayerSnapshot(
      items: ["played", "gone", "b"].map {
        .init(url: URL(fileURLWithPath: "/\($0)"), position: .init(value: 0, timescale: 1))
      }, currentIndex: 1, volume: 0.25, isMuted: true, actionAtItemEnd: .pause)
    let player = stage.queuePlayer(snapshot)
    #expect(player.items().count == 2 && player.volume == 0.25 && player.isMuted)
    #expect(player.actionAtItemEnd == .pause)
    player.play()
    stage.pass(0.5)
    #expect((player.currentItem?.asset as? AVURLAsset)?.url.lastPathComponent == "b")
    #expect(player.timeControlStatus == .playing)
  }

  @Test("What was restored and never opened keeps its place to the frame")
  func untouched() {
    let stage = VirtualStage()
    _ = stage.item("a", seconds: 3)
    let url = URL(fileURLWithPath: "/a")
    let snapshot = PlayerSnapshot(items: [.init(url: url, position: .init(value: 44_101, timescale: 44_100))])
    let player = stage.queuePlayer(snapshot)
    #expect(player.snapshot() == snapshot)
    player.seek(to: CMTime(value: 2, timescale: 1))
    #expect(player.snapshot().position?.time.seconds == 2)
  }

  @Test("A snapshot of an empty queue is one")
  func empty() {
    let stage = VirtualStage()
    let snapshot = stage.queuePlayer([]).snapshot()
    #expect(snapshot.items.isEmpty && snapshot.position == nil)
    #expect(stage.queuePlayer(snapshot).currentItem == nil)
    let odd = PlayerSnapshot(items: [], currentIndex: -3)
    #expect(stage.queuePlayer(odd).items().isEmpty)
  }
}
