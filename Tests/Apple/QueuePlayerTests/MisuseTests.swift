import Foundation
import MediaTime
import QueuePlayer
import Testing

/// Where Apple's classes throw an exception the program stops with the reason.
@Suite("Misuse stops the program", .timeLimit(.minutes(10)))
struct MisuseTests {
  @Test func insertingTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stage = VirtualStage()
      let item = stage.item("a")
      let player = stage.queuePlayer([item])
      player.insert(item, after: nil)
    }
    expect(result, says: "only one position")
  }

  @Test func duplicatesAtCreation() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stage = VirtualStage()
      let item = stage.item("a")
      _ = stage.queuePlayer([item, item])
    }
    expect(result, says: "only one position")
  }

  @Test func itemOfAnotherPlayer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stage = VirtualStage()
      let item = stage.item("a")
      let first = stage.player(item)
      let second = stage.player(item)
      withExtendedLifetime((first, second)) {}
    }
    expect(result, says: "more than one instance of AVPlayer")
  }

  @Test func replacingWithAQueuedItem() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stage = VirtualStage()
      let items = [stage.item("a"), stage.item("b")]
      stage.queuePlayer(items).replaceCurrentItem(with: items[1])
    }
    expect(result, says: "only one position")
  }

  @Test func insertingBehindAForeignItem() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stage = VirtualStage()
      stage.queuePlayer([]).insert(stage.item("a"), after: stage.item("b"))
    }
    expect(result, says: "inserted after")
  }

  @Test func boundaryObserverWithoutTimes() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = VirtualStage().player(nil).addBoundaryTimeObserver(forTimes: [], queue: nil) {}
    }
    expect(result, says: "at least one time")
  }

  @Test func synchronizedStartOfOneThatWaits() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      VirtualStage().player(nil).setRate(1, time: .invalid, atHostTime: .invalid)
    }
    expect(result, says: "automaticallyWaitsToMinimizeStalling")
  }

  @Test(arguments: [false, true]) func choiceOfObservationComesTooLate(isItem: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [isItem] in
      let stage = VirtualStage()
      if isItem { _ = stage.item("a") } else { _ = stage.player(nil) }
      await MainActor.run {
        AVPlayer.isObservationEnabled = false
        AVPlayer.isObservationEnabled = true
      }
    }
    expect(result, says: "isObservationEnabled cannot be changed")
  }

  @Test func advanceOnAPlainPlayer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      VirtualStage().player(nil).actionAtItemEnd = .advance
    }
    expect(result, says: "AVQueuePlayer")
  }

  @Test func unknownTimeObserver() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      VirtualStage().player(nil).removeTimeObserver("no token")
    }
    expect(result, says: "cannot remove a time observer")
  }

  @Test func anotherPlayersTimeObserver() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stage = VirtualStage()
      let (first, second) = (stage.player(nil), stage.player(nil))
      let time = CMTime(value: 1, timescale: 1)
      let token = first.addPeriodicTimeObserver(forInterval: time, queue: nil) { _ in }
      _ = second.addPeriodicTimeObserver(forInterval: time, queue: nil) { _ in }
      second.removeTimeObserver(token)
    }
    expect(result, says: "different instance")
  }

  @Test func timeObserverRemovedTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let player = VirtualStage().player(nil)
      let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 1), queue: nil) {
        _ in
      }
      player.removeTimeObserver(token)
      player.removeTimeObserver(token)
    }
    expect(result, says: "cannot remove a time observer")
  }

  @Test func intervalOfNothing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = VirtualStage().player(nil).addPeriodicTimeObserver(forInterval: .zero, queue: nil) { _ in }
    }
    expect(result, says: "above zero")
  }

  @Test func seekToAnIndefiniteTime() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stage = VirtualStage()
      let player = stage.player(stage.item("a"))
      player.seek(to: .indefinite)
    }
    expect(result, says: "Seeking is not possible")
  }

  @Test func itemSeekToAnInvalidTime() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      VirtualStage().item("a").seek(to: .invalid, completionHandler: nil)
    }
    expect(result, says: "Seeking is not possible")
  }

  @Test func negativeTolerance() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      VirtualStage().item("a").seek(
        to: .zero, toleranceBefore: CMTime(value: -1, timescale: 1), toleranceAfter: .zero,
        completionHandler: nil)
    }
    expect(result, says: "tolerance")
  }

  @Test(arguments: [0.0, 1.5]) func loopOfARangeThatIsNotThere(seconds: Double) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [seconds] in
      let stage = VirtualStage()
      let player = stage.queuePlayer([])
      let item = stage.item("a")
      let opening = stage.player(item)
      opening.play()
      stage.pass(0.1)
      let range = CMTimeRange(start: .zero, duration: CMTime(seconds: seconds, preferredTimescale: 600))
      let looper = AVPlayerLooper(player: player, templateItem: item, timeRange: range)
      withExtendedLifetime((opening, looper)) {}
    }
    expect(result, says: "the range to loop")
  }

  private func expect(
    _ result: ExitTest.Result?, says reason: String, location: SourceLocation = #_sourceLocation
  ) {
    guard let result else { return }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains(reason), sourceLocation: location)
  }
}
