import AudioCore
import AudioSession
import Foundation
import MediaAssets
import MediaTime
import Synchronization
import Testing

@testable import QueuePlayer

@Suite("Suspension")
struct SuspensionTests {
  let stage = VirtualStage()

  @Test("Nothing moves and nothing is called while suspended; afterwards it goes on without a gap")
  func suspends() {
    let player = stage.queuePlayer([stage.item("a", seconds: 3), stage.item("b")])
    let steps = Log<Int64>()
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) {
      time in
      if time.timescale == 100 { steps.add(time.value) }
    }
    player.play()
    stage.pass(1)
    stage.suspension.suspendAll()
    stage.pass(0.5)
    let count = steps.entries.count
    stage.pass(60)
    #expect(steps.entries.count == count)
    #expect(stage.suspension.isSuspended)
    stage.suspension.resumeAll()
    stage.pass(4)
    #expect(steps.entries == Array(0..<300) + Array(0..<100))
    player.removeTimeObserver(token)
  }

  /// Notes titles, and whether they came on the queue with that key.
  private final class Listener: NSObject, AVPlayerItemMetadataOutputPushDelegate, Sendable {
    let key = DispatchSpecificKey<Bool>()
    let titles = Log<String?>()
    let isOnQueue = Log<Bool>()
    let came = DispatchSemaphore(value: 0)

    func metadataOutput(
      _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
      from track: AVPlayerItemTrack?
    ) {
      titles.add(groups.first?.items.first?.stringValue)
      isOnQueue.add(DispatchQueue.getSpecific(key: key) == true)
      came.signal()
    }
  }

  @Test("Titles that the suspension holds back come on their delegate's queue, in order")
  func titles() throws {
    let item = stage.item("a", seconds: 5)
    let player = stage.queuePlayer([item])
    let id = try #require(item.attachment?.id)
    stage.pass(0.1)
    let (listener, queue) = (Listener(), DispatchQueue(label: "titles"))
    queue.setSpecific(key: listener.key, value: true)
    let output = AVPlayerItemMetadataOutput()
    output.setDelegate(listener, queue: queue)
    item.add(output)
    let tell = { (title: String) in
      player.core.tell(MediaTag(fields: [.init(icy: "StreamTitle", title)]), from: .zero, of: id)
    }
    queue.suspend()
    tell("one")
    tell("two")
    stage.suspension.suspendAll()
    queue.resume()
    queue.sync {}
    #expect(listener.titles.entries.isEmpty)
    stage.suspension.resumeAll()
    tell("three")
    for _ in 0..<3 { #expect(listener.came.wait(timeout: .now() + 120) == .success) }
    #expect(listener.titles.entries == ["one", "two", "three"])
    #expect(listener.isOnQueue.entries == [true, true, true])
  }

  @Test("Titles for the main queue come within the player's notice")
  func titlesForTheMainQueue() throws {
    let item = stage.item("a", seconds: 5)
    let player = stage.queuePlayer([item])
    let (listener, output) = (Listener(), AVPlayerItemMetadataOutput())
    output.setDelegate(listener, queue: .main)
    item.add(output)
    let tag = MediaTag(fields: [.init(icy: "StreamTitle", "one")])
    player.core.tell(tag, from: .zero, of: try #require(item.attachment?.id))
    #expect(listener.titles.entries == ["one"])
  }

  @Test("A player made while suspended is suspended too")
  func newPlayers() {
    stage.suspension.suspendAll()
    let player = stage.queuePlayer([stage.item("a")])
    player.play()
    stage.pass(5)
    stage.suspension.resumeAll()
    stage.pass(0.5)
    #expect(player.currentTime().seconds <= 0.5 && player.timeControlStatus == .playing)
  }

  @Test("A start while suspended is reported at once, and once for each call")
  func startWhileSuspended() {
    let player = stage.queuePlayer([stage.item("a", seconds: 5)])
    player.play()
    stage.pass(0.5)
    player.pause()
    #expect(!stage.diagnostics.entries.contains(.startDeferred))
    stage.suspension.suspendAll()
    player.play()
    player.pause()
    player.play()
    stage.settle()
    #expect(stage.diagnostics.entries.count { $0 == .startDeferred } == 2)
    stage.suspension.resumeAll()
    stage.pass(0.5)
    #expect(player.timeControlStatus == .playing)
    #expect(stage.diagnostics.entries.count { $0 == .startDeferred } == 2)
  }

  @Test("Activity is that of the busiest player, each change told once")
  func activity() throws {
    try stage.session.setCategory(.playback)
    let log = Log<PlaybackActivity>()
    stage.suspension.onKeepingActivityChange = { log.add($0) }
    let player = stage.queuePlayer([stage.item("a"), stage.item("b")])
    let other = stage.queuePlayer([])
    #expect(stage.suspension.activity == .stopped)
    other.play()
    player.play()
    stage.pass(0.5)
    #expect(stage.suspension.activity == .playing)
    stage.pass(5)
    #expect(log.entries == [.waiting, .playing, .stopped])
    other.pause()
    #expect(stage.suspension.activity == .stopped)
  }
}
