import AudioCore
import AudioOutput
import AudioSession
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import Testing

@Suite("A looper")
struct LooperTests {
  let stage = VirtualStage(recordsSound: true)

  /// The frames of `range`, as often as they fit into `count`.
  private func frames(_ range: Range<Int64>, count: Int) -> [Int64] {
    (0..<Int64(count)).map { range.lowerBound + $0 % Int64(range.count) }
  }

  @Test(
    "Plays the template's copies one after the other without a gap, and counts", arguments: [1.0, 0.13, 3.7])
  func gapless(seconds: Double) {
    let template = stage.item("a", seconds: seconds)
    let player = stage.queuePlayer([])
    let looper = AVPlayerLooper(player: player, templateItem: template)
    let counts = Log<Int>()
    let statuses = Log<AVPlayerLooper.Status>()
    let observations = [
      looper.observe(\.loopCount, options: [.new]) { looper, change in
        counts.add(change.newValue ?? -1)
        #expect(looper.loopCount == change.newValue)
      },
      looper.observe(\.status, options: [.initial, .new]) { _, change in
        statuses.add(change.newValue ?? .failed)
      },
    ]
    #expect(looper.loopCount == 0 && looper.error == nil)
    #expect(looper.loopingPlayerItems.count >= 3)
    #expect(player.items() == looper.loopingPlayerItems)
    #expect(player.canInsert(template, after: nil))
    player.play()
    stage.pass(seconds * 9.5)
    #expect(looper.loopCount == 9)
    #expect(counts.entries == Array(1...9))
    #expect(statuses.entries == [.unknown, .ready])
    #expect(player.items() == looper.loopingPlayerItems)
    #expect(looper.loopingPlayerItems.contains { $0 === player.currentItem })
    let heard = stage.heardFrames
    let length = Int64((seconds * 44_100).rounded())
    #expect(stage.output.recording.runs.count == 1)
    #expect(heard.count > Int(9 * length))
    #expect(heard == frames(0..<length, count: heard.count))
    withExtendedLifetime(observations) {}
  }

  @Test("Plays a range of it, exactly to the frame")
  func range() {
    let player = stage.queuePlayer([])
    let range = CMTimeRange(
      start: CMTime(value: 11_025, timescale: 44_100), duration: CMTime(value: 22_050, timescale: 44_100))
    let looper = AVPlayerLooper(player: player, templateItem: stage.item("a"), timeRange: range)
    player.play()
    stage.pass(4)
    let heard = stage.heardFrames
    #expect(stage.output.recording.runs.count == 1)
    #expect(heard == frames(11_025..<33_075, count: heard.count))
    #expect(looper.loopCount == 7 && looper.status == .ready)
  }

  @Test("What was in the queue waits behind the loop; the item that played goes on where it stood")
  func precedes() {
    let (a, b) = (stage.item("a"), stage.item("b"))
    let player = stage.queuePlayer([a, b])
    player.play()
    stage.pass(0.5)
    let place = a.currentTime()
    let current = Log<AVPlayerItem?>()
    let observation = player.observe(\.currentItem) { player, _ in current.add(player.currentItem) }
    let looper = AVPlayerLooper(player: player, templateItem: a)
    let copies = looper.loopingPlayerItems
    #expect(player.items() == copies + [a, b])
    #expect(current.entries == [copies[0]])
    #expect(player.rate == 1 && a.currentTime() == place)
    stage.pass(20.5)
    #expect(looper.loopCount == 20)
    looper.disableLooping()
    #expect(looper.status == .cancelled)
    #expect(player.items().count == 3 && player.items().dropFirst() == [a, b])
    stage.pass(0.6)
    #expect(player.items() == [a, b])
    stage.pass(0.5)
    #expect(player.items() == [b])
    #expect(looper.loopCount == 20)
    withExtendedLifetime(observation) {}
  }

  @Test("Behind what was in the queue, that is played first, and the loop counts from its own beginning")
  func follows() {
    let a = stage.item("a")
    let player = stage.queuePlayer([a])
    let looper = AVPlayerLooper(
      player: player, templateItem: stage.item("b", seconds: 0.5), timeRange: .invalid,
      existingItemsOrdering: .loopingItemsFollowExistingItems)
    #expect(player.items() == [a] + looper.loopingPlayerItems)
    player.play()
    stage.pass(1.3)
    #expect(looper.loopCount == 0)
    stage.pass(0.5)
    #expect(looper.loopCount == 1)
    #expect(stage.output.recording.runs.count == 1)
  }

  @Test(
    "Ended, or released, it lets the present copy play to its end and gives the player its action back",
    arguments: [true, false])
  func ends(byRelease: Bool) {
    let player = stage.queuePlayer([])
    player.actionAtItemEnd = .pause
    var looper: AVPlayerLooper? = AVPlayerLooper(player: player, templateItem: stage.item("a"))
    #expect(player.actionAtItemEnd == .advance)
    player.play()
    stage.pass(3.4)
    #expect(looper?.loopCount == 3)
    if byRelease { looper = nil } else { looper?.disableLooping() }
    #expect(player.actionAtItemEnd == .pause)
    #expect(player.items() == [player.currentItem])
    stage.pass(2)
    #expect(player.rate == 0)
    #expect(stage.heardFrames.count == 4 * 44_100)
    looper?.disableLooping()
    #expect(looper == nil || looper?.status == .cancelled)
  }

  @Test("Fails with the item's error if it cannot be opened, and leaves the queue")
  func missing() {
    let b = stage.item("b")
    let player = stage.queuePlayer([b])
    let looper = AVPlayerLooper(player: player, templateItem: stage.missingItem("missing"))
    let told = Log<AVPlayerLooper.Status>()
    let observation = looper.observe(\.status) { looper, _ in
      told.add(looper.status)
      #expect(looper.error != nil)
    }
    player.play()
    stage.pass(0.5)
    #expect(told.entries == [.failed])
    #expect((looper.error as? AVError)?.code == .failedToLoadMediaData)
    #expect(player.items() == [b] && player.currentItem === b)
    withExtendedLifetime(observation) {}
  }

  @Test("Fails if the item proves to be empty or shorter than the range, and does not spin")
  func tooShort() {
    let range = CMTimeRange(
      start: CMTime(seconds: 2, preferredTimescale: 600), duration: CMTime(value: 1, timescale: 1))
    for (seconds, range) in [(0, CMTimeRange.invalid), (1, range), (2.5, range)] {
      let player = stage.queuePlayer([])
      let looper = AVPlayerLooper(
        player: player, templateItem: stage.item("short \(seconds)", seconds: seconds), timeRange: range)
      player.play()
      stage.pass(2)
      #expect(looper.status == .failed && looper.loopCount == 0)
      #expect((looper.error as? AVError)?.failureReason?.isEmpty == false)
      #expect(player.items().isEmpty)
    }
  }

  /// An item of 1 s whose length is estimated, and known as such.
  private func estimatedItem(_ frames: Int64) -> AVPlayerItem {
    let source = RampSource(frames: 44_100, announced: .estimate(frames))
    let item = AVPlayerItem(
      asset: AVURLAsset(url: stage.library.add("vbr", source), environment: stage.environment))
    let other = stage.queuePlayer([item])
    stage.pass(0.1)
    #expect(item.status == .readyToPlay)
    other.removeAllItems()
    return item
  }

  /// A player that loops the range, in frames, of an item with that estimated length.
  private func looping(_ range: Range<Int64>, ofEstimated frames: Int64) -> (AVQueuePlayer, AVPlayerLooper) {
    let player = stage.queuePlayer([])
    let (start, end) = (
      CMTime(value: range.lowerBound, timescale: 44_100), CMTime(value: range.upperBound, timescale: 44_100)
    )
    let looper = AVPlayerLooper(
      player: player, templateItem: estimatedItem(frames), timeRange: CMTimeRange(start: start, end: end))
    player.play()
    return (player, looper)
  }

  @Test("Plays a range after the end that is estimated")
  func rangeAfterTheEstimate() {
    let (player, looper) = looping(22_050..<39_690, ofEstimated: 20_000)
    withExtendedLifetime(player) { stage.pass(4) }
    let heard = stage.heardFrames
    #expect(heard == frames(22_050..<39_690, count: heard.count) && heard.count > 100_000)
    #expect(looper.status == .ready)
  }

  @Test("Fails if the item ends before the range, contrary to the estimate")
  func rangeAfterTheEnd() {
    let (player, looper) = looping(88_200..<132_300, ofEstimated: 200_000)
    stage.pass(2)
    #expect(looper.status == .failed && player.items().isEmpty)
  }

  @Test("Holds still while the players are suspended, and goes on")
  func suspension() {
    let player = stage.queuePlayer([])
    let looper = AVPlayerLooper(player: player, templateItem: stage.item("a"))
    player.play()
    stage.pass(1.5)
    stage.suspension.suspendAll()
    stage.pass(100)
    #expect(looper.loopCount == 1)
    stage.suspension.resumeAll()
    stage.pass(10)
    #expect(looper.loopCount == 11)
    let heard = stage.heardFrames
    #expect(heard == frames(0..<44_100, count: heard.count))
  }

  @Test("Off the main queue it can be made and ended too")
  func otherThread() async {
    let player = stage.queuePlayer([])
    let template = stage.item("a")
    let looper = await Task.detached { AVPlayerLooper(player: player, templateItem: template) }.value
    player.play()
    stage.pass(5.5)
    #expect(looper.loopCount == 5)
    await Task.detached { looper.disableLooping() }.value
    stage.pass(3)
    #expect(player.currentItem == nil && looper.status == .cancelled && looper.loopCount == 5)
    #expect(stage.heardFrames.count == 6 * 44_100)
  }
}
