import AudioCore
import AudioOutput
import AudioSession
import Clocks
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import TestSupport
import Testing

@Suite("Items")
struct ItemTests {
  let stage = VirtualStage()

  @Test("An item that never was in a player stays unknown and knows nothing")
  func unattached() {
    let item = stage.item("a")
    stage.pass(1)
    #expect(item.status == .unknown && item.error == nil)
    #expect(item.duration.isIndefinite)
    #expect(item.seekableTimeRanges.isEmpty && item.loadedTimeRanges.isEmpty)
    #expect(!item.isPlaybackLikelyToKeepUp && item.isPlaybackBufferEmpty && !item.isPlaybackBufferFull)
    #expect(!item.forwardPlaybackEndTime.isValid)
    #expect(item.currentTime() == .zero)
    #expect(item.preferredForwardBufferDuration == 0)
    #expect(item.automaticallyLoadedAssetKeys == ["duration"])
  }

  @Test("A ready item knows its length in frames; all of it can be gone to")
  func ready() {
    let item = stage.item("a", seconds: 2, sampleRate: 48_000)
    let player = stage.player(item)
    stage.pass(0.1)
    #expect(item.status == .readyToPlay && item.error == nil)
    #expect(item.duration == CMTime(value: 96_000, timescale: 48_000) && item.duration.timescale == 48_000)
    let whole = CMTimeRange(start: .zero, duration: item.duration)
    #expect(item.seekableTimeRanges.map(\.timeRangeValue) == [whole])
    #expect(item.loadedTimeRanges == [NSValue(timeRange: whole)])
    #expect(item.isPlaybackLikelyToKeepUp && !item.isPlaybackBufferEmpty && item.isPlaybackBufferFull)
    #expect(item.asset.duration == item.duration)
    withExtendedLifetime(player) {}
  }

  @Test("The items of a queue become ready in their turn, ahead of their sound")
  func readyAhead() {
    let items = [stage.item("a"), stage.item("b")]
    let player = stage.queuePlayer(items)
    player.play()
    stage.pass(0.2)
    #expect(items.map(\.status) == [.readyToPlay, .readyToPlay])
    #expect(player.currentItem === items[0])
  }

  @Test("An estimated length becomes exact at the end, and that is told")
  func durationChanges() {
    let source = RampSource(frames: 44_100, announced: .estimate(40_000))
    let item = AVPlayerItem(url: stage.library.add("vbr", source))
    let player = stage.player(item)
    let seen = Log<CMTime>()
    let observation = item.observe(\.duration, options: [.initial]) { item, _ in seen.add(item.duration) }
    player.play()
    stage.pass(2)
    #expect(
      seen.entries == [.indefinite, CMTime(value: 40_000, timescale: 44_100), CMTime(value: 1, timescale: 1)])
    observation.invalidate()
  }

  @Test("An estimated length bounds neither a seek nor the position of an item that is inserted again")
  func estimate() {
    let source = RampSource(frames: 44_100, announced: .estimate(20_000))
    let item = AVPlayerItem(
      asset: AVURLAsset(url: stage.library.add("vbr", source), environment: stage.environment))
    let player = stage.queuePlayer([item])
    stage.pass(0.1)
    let target = CMTime(value: 35_280, timescale: 44_100)
    let results = Log<Bool>()
    item.seek(to: target) { results.add($0) }
    stage.settle()
    #expect(results.entries == [true] && item.currentTime() == target)
    player.remove(item)
    player.insert(item, after: nil)
    stage.pass(0.1)
    #expect(player.currentTime() == target)
    player.play()
    stage.pass(1)
    #expect(player.items().isEmpty)
    player.insert(item, after: nil)
    stage.pass(0.1)
    #expect(player.currentTime().seconds < 0.2)
  }

  @Test("An item that breaks off is played up to there, then told with an error; the queue goes on")
  func breaksOff() {
    let source = RampSource(frames: 88_200, failure: .decoding(atFrame: 44_100))
    let bad = AVPlayerItem(url: stage.library.add("bad", source))
    let next = stage.item("b")
    let player = stage.queuePlayer([bad, next])
    let errors = Log<NSError>()
    let places = Log<Double>()
    let ends = Log<Void>()
    let center = NotificationCenter.default
    let tokens = [
      center.addObserver(
        forName: AVPlayerItem.failedToPlayToEndTimeNotification, object: bad, queue: nil
      ) { note in
        if let error = note.userInfo?[AVPlayerItemFailedToPlayToEndTimeErrorKey] as? NSError {
          errors.add(error)
        }
        places.add(bad.currentTime().seconds)
      },
      center.addObserver(forName: .AVPlayerItemDidPlayToEndTime, object: bad, queue: nil) { _ in ends.add(())
      },
    ]
    let steps = Log<CMTime>()
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 10), queue: nil) {
      time in
      if player.currentItem === bad { steps.add(time) }
    }
    player.play()
    stage.pass(1.5)
    #expect(errors.entries.map(\.domain) == [AVFoundationErrorDomain])
    #expect(errors.entries.map(\.code) == [AVError.decodeFailed.rawValue])
    #expect(ends.entries.isEmpty)
    #expect(steps.entries.filter { $0.timescale == 10 }.map(\.value) == Array(0..<10))
    #expect(player.currentItem === next)
    #expect(places.entries == [1] && bad.currentTime().seconds == 1)
    player.removeTimeObserver(token)
    tokens.forEach(center.removeObserver)
  }

  @Test("forwardPlaybackEndTime is the end, whenever it is set")
  func forwardEnd() {
    for setsBefore in [true, false] {
      let stage = VirtualStage()
      let (a, b) = (stage.item("a", seconds: 10), stage.item("b"))
      let ends = Log<Double>()
      let clock = stage.clock
      let token = NotificationCenter.default.addObserver(
        forName: .AVPlayerItemDidPlayToEndTime, object: a, queue: nil
      ) { _ in ends.add(clock.now.seconds) }
      let end = CMTime(value: 3, timescale: 2)
      if setsBefore { a.forwardPlaybackEndTime = end }
      let player = stage.queuePlayer([a, b])
      player.play()
      stage.pass(0.5)
      if !setsBefore { a.forwardPlaybackEndTime = end }
      stage.pass(1.5)
      #expect(ends.entries.count == 1 && abs((ends.entries.first ?? 0) - 1.5) < 0.05)
      #expect(player.currentItem === b)
      #expect(a.currentTime() == end && a.duration.seconds == 10)
      NotificationCenter.default.removeObserver(token)
    }
  }

  @Test(
    "An end that was lifted is none any more: after a seek behind it the item plays to its own end",
    arguments: [nil, 0, 0.001, 0.05, 1] as [Double?])
  func liftedEnd(pause: Double?) {
    let stage = VirtualStage()
    let item = stage.item("a", seconds: 4)
    let ends = Log<Double>()
    let clock = stage.clock
    let token = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemDidPlayToEndTime, object: item, queue: nil
    ) { _ in ends.add(clock.now.seconds) }
    defer { NotificationCenter.default.removeObserver(token) }
    item.forwardPlaybackEndTime = CMTime(value: 3, timescale: 10)
    let player = stage.player(item)
    player.play()
    stage.pass(1)
    #expect(ends.entries.count == 1)
    player.seek(to: CMTime(value: 2, timescale: 1))
    if let pause { stage.pass(pause) }
    item.forwardPlaybackEndTime = .invalid
    player.play()
    stage.pass(1)
    #expect(ends.entries.count == 1, "\(ends.entries)")
    #expect(abs(player.currentTime().seconds - 3) < 0.2)
    stage.pass(2)
    #expect(ends.entries.count == 2 && player.currentTime().seconds == 4)
  }

  @Test(
    "An end that is lifted after the item has ended there lets it continue",
    arguments: [AVPlayer.ActionAtItemEnd.pause, .none])
  func liftedAfterTheEnd(action: AVPlayer.ActionAtItemEnd) {
    let stage = VirtualStage(recordsSound: true)
    let item = stage.item("a", seconds: 4)
    let ends = Log<Void>()
    let token = NotificationCenter.default.addObserver(
      forName: .AVPlayerItemDidPlayToEndTime, object: item, queue: nil
    ) { _ in ends.add(()) }
    let jumps = Log<Void>()
    let jumpToken = NotificationCenter.default.addObserver(
      forName: AVPlayerItem.timeJumpedNotification, object: item, queue: nil
    ) { _ in jumps.add(()) }
    defer { for token in [token, jumpToken] { NotificationCenter.default.removeObserver(token) } }
    item.forwardPlaybackEndTime = CMTime(value: 3, timescale: 10)
    let player = stage.player(item)
    player.actionAtItemEnd = action
    player.play()
    stage.pass(1)
    #expect(ends.entries.count == 1)
    let earlierJumps = jumps.entries.count
    item.forwardPlaybackEndTime = .invalid
    player.play()
    stage.pass(1)
    #expect(ends.entries.count == 1 && player.timeControlStatus == .playing)
    // Time that ran on goes back, and that is told.
    #expect(jumps.entries.count - earlierJumps == (action == .none ? 1 : 0))
    #expect(abs(player.currentTime().seconds - 1.3) < 0.1)
    stage.pass(3)
    #expect(ends.entries.count == 2 && stage.heardFrames == Array(0..<176_400))
    // Its own end is no end that could be lifted.
    item.forwardPlaybackEndTime = CMTime(value: 10, timescale: 1)
    player.play()
    stage.pass(1)
    #expect(ends.entries.count == 2 && player.rate == (action == .pause ? 0 : 1))
  }

  @Test("A copy is another item for the same asset")
  func copies() {
    let item = stage.item("a")
    item.forwardPlaybackEndTime = CMTime(value: 1, timescale: 2)
    let player = stage.queuePlayer([item])
    stage.pass(0.1)
    let copy = item.copy() as? AVPlayerItem
    #expect(copy !== item && copy != nil)
    #expect(copy?.asset === item.asset)
    #expect(copy?.status == .unknown)
    #expect(copy?.forwardPlaybackEndTime == item.forwardPlaybackEndTime)
    if let copy { #expect(player.canInsert(copy, after: item)) }
  }

  @Test("The status of an item that is out of its queue stays as it was")
  func frozen() {
    let (a, b) = (stage.item("a"), stage.missingItem("none"))
    let player = stage.queuePlayer([a, b])
    player.remove(b)
    stage.pass(3)
    #expect(b.status == .unknown)
    player.removeAllItems()
    #expect(a.status == .readyToPlay && a.duration.isNumeric)
  }

  @Test("An item whose player is released before it is open becomes ready, or fails, all the same")
  func playerReleased() async {
    let (good, bad, other) = (stage.item("a", seconds: 2), stage.missingItem("none"), stage.item("b"))
    for (item, status) in [(good, AVPlayerItem.Status.readyToPlay), (bad, .failed), (other, .readyToPlay)] {
      let (told, continuation) = AsyncStream<AVPlayerItem.Status>.makeStream()
      let observation = item.observe(\.status, options: [.new]) { _, change in
        continuation.yield(change.newValue ?? .unknown)
      }
      func makeAndRelease() { #expect(stage.player(item).status == .unknown) }
      if item === other { stage.mainQueue.elsewhere(makeAndRelease) } else { makeAndRelease() }
      #expect(item.status == .unknown)
      // The file is read on another thread, in real time.
      let turns = Task {
        while !Task.isCancelled {
          stage.settle()
          await Task.yield()
        }
      }
      for await new in told {
        #expect(new == status)
        break
      }
      turns.cancel()
      await turns.value
      observation.invalidate()
      #expect(item.status == status)
      #expect((item.error != nil) == (status == .failed))
    }
    #expect(good.duration == CMTime(value: 2, timescale: 1) && !good.seekableTimeRanges.isEmpty)
    let player = stage.player(good)
    player.play()
    stage.pass(0.5)
    #expect(player.timeControlStatus == .playing)
  }

  @Test("An item stays where it stood when its player goes")
  func placeAfterPlayer() {
    let item = stage.item("a", seconds: 10)
    var player: AVPlayer? = stage.player(item)
    player?.play()
    stage.pass(2)
    let place = item.currentTime()
    player = nil
    #expect(place.seconds > 1 && item.currentTime() == place)
  }

  @Test("A stall is told and goes away by itself")
  func stalls() {
    let stage = VirtualStage(
      personality: SimulatedOutput.Personality {
        $0.death = 1; $0.revival = 2
      })
    let item = stage.item("a", seconds: 10)
    let player = stage.player(item)
    let stalls = Log<Void>()
    let token = NotificationCenter.default.addObserver(
      forName: AVPlayerItem.playbackStalledNotification, object: item, queue: nil
    ) { _ in stalls.add(()) }
    player.play()
    stage.pass(8)
    #expect(stalls.entries.count == 1)
    #expect(player.timeControlStatus == .playing)
    NotificationCenter.default.removeObserver(token)
  }

  @Test("The two spellings of a notification are one name, with Apple's string")
  func names() {
    #expect(AVPlayerItem.didPlayToEndTimeNotification == .AVPlayerItemDidPlayToEndTime)
    #expect(AVPlayerItem.failedToPlayToEndTimeNotification == .AVPlayerItemFailedToPlayToEndTime)
    #expect(AVPlayerItem.timeJumpedNotification == .AVPlayerItemTimeJumped)
    #expect(AVPlayerItem.playbackStalledNotification == .AVPlayerItemPlaybackStalled)
    #expect(
      NSNotification.Name.AVPlayerItemDidPlayToEndTime.rawValue == "AVPlayerItemDidPlayToEndTimeNotification")
  }

  @Test("What is neither a file nor of the web fails with an error that says so")
  func notAFile() {
    let item = AVPlayerItem(url: URL(string: "ftp://localhost/a.mp3") ?? URL(fileURLWithPath: "/"))
    let player = stage.player(item)
    stage.pass(0.1)
    #expect(item.status == .failed)
    let error = item.error as? AVError
    #expect(error?.code == .operationNotSupportedForAsset)
    #expect(error?.failureReason?.contains("ftp") == true)
    withExtendedLifetime(player) {}
  }

  @Test("An item that failed stays failed, also when the file is there by now")
  func failedForGood() {
    let item = stage.missingItem("late")
    let player = stage.queuePlayer([item, stage.item("b")])
    stage.pass(0.1)
    #expect(item.status == .failed)
    _ = stage.library.add("late", seconds: 1)
    player.insert(item, after: nil)
    player.advanceToNextItem()
    stage.pass(0.1)
    #expect(item.status == .failed && player.currentItem == nil)
    #expect((item.error as? AVError)?.failureReason == "cannot be opened")
    player.insert(item.copy() as? AVPlayerItem ?? item, after: nil)
    stage.pass(0.1)
    #expect(player.currentItem?.status == .readyToPlay)
  }
}
