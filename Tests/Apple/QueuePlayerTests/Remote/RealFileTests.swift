import AudioSession
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import TestSupport
import Testing

@Suite("Players of real files", .timeLimit(.minutes(10)))
struct RealFileTests {
  private var song: URL { Repository.media("01 Ground in D.mp3") }

  @Test("The option for a precise duration reaches the decoder, as a Bool and as an NSNumber")
  func preciseOption() {
    let asked = Log<Bool>()
    let stage = VirtualStage()
    var environment = stage.environment
    environment.makeSource = { _, isPrecise in
      asked.add(isPrecise)
      return RampSource(frames: 44_100)
    }
    let player = AVQueuePlayer(items: [], environment: environment)
    let values: [Any] = [true, NSNumber(value: true), false]
    for value in values {
      let asset = AVURLAsset(url: song, options: [AVURLAssetPreferPreciseDurationAndTimingKey: value])
      player.replaceCurrentItem(with: AVPlayerItem(asset: asset))
      stage.pass(0.1)
    }
    #expect(asked.entries == [true, true, false])
  }

  @Test("A real file plays in virtual time, every hundredth of it")
  func plays() throws {
    let stage = VirtualStage(playsFiles: true)
    let item = AVPlayerItem(url: song)
    let player = stage.queuePlayer([item])
    let steps = Log<Int64>()
    let token = player.addPeriodicTimeObserver(forInterval: CMTime(value: 1, timescale: 100), queue: nil) {
      time in
      if time.timescale == 100 { steps.add(time.value) }
    }
    player.play()
    stage.pass(2)
    #expect(item.status == .readyToPlay && player.timeControlStatus == .playing)
    let seconds = item.duration.seconds
    stage.pass(seconds)
    #expect(player.currentItem == nil)
    #expect(steps.entries == Array(0..<Int64((seconds * 100).rounded(.up))))
    player.removeTimeObserver(token)
  }
}
