import Continuo
import Foundation
import Testing

@MainActor
@Suite("Clients in Swift 5 mode")
struct ClientTests {
  private static let useSilence: Void = {
    PlaybackEnvironment.current = PlaybackEnvironment(output: .simulated)
  }()

  init() { Self.useSilence }

  @Test("A fake's own properties are what its users see")
  func fakes() {
    let item = FakeItem(url: URL(fileURLWithPath: "/none.mp3"))
    let player = FakePlayer()
    player.fakeItem = item
    #expect(player.currentItem?.duration.seconds == 3)
    #expect(player.rate == 1 && player.status == .readyToPlay)
    #expect(item.loadedTimeRanges.first?.timeRangeValue.duration.seconds == 3)
  }

  @Test("A subclass of an item has initialisers of its own in the places of those that are not designated")
  func initialisers() {
    let url = URL(fileURLWithPath: "/none.mp3")
    let asset = AVURLAsset(url: url)
    #expect(KeptItem(url: url).name == "none.mp3" && KeptItem(asset: asset).name == "asset")
    let item = KeptItem(asset: asset, automaticallyLoadedAssetKeys: ["playable"])
    #expect(item.name == "keys" && item.automaticallyLoadedAssetKeys == ["playable"])
    #expect(AVPlayerItem(asset: asset).automaticallyLoadedAssetKeys == ["duration"])
    #expect(AVPlayerItem(url: url).automaticallyLoadedAssetKeys == ["duration"])
  }

  @Test("The names of ports are Apple's, whether or not there can be such a device")
  func ports() {
    #expect(symbol(of: AVAudioSession.Port(rawValue: "Speaker")) == "phone")
    #expect(symbol(of: .carAudio) == "car" && symbol(of: .AVB) == "speaker")
  }

  @Test("An application that asks for the events of a remote control goes on")
  func remoteControlEvents() {
    UIApplication.shared.beginReceivingRemoteControlEvents()
    UIApplication.shared.endReceivingRemoteControlEvents()
  }

  @Test("A subclass that sends all seeks through its own method is not sent round in circles")
  func retrying() {
    let player = RetryingQueuePlayer(items: [AVPlayerItem(url: URL(fileURLWithPath: "/none.mp3"))])
    player.seek(to: CMTime(value: 1, timescale: 1))
    // There is no such file: the item may have failed meanwhile, before the main queue heard of it.
    let time = player.currentTime()
    #expect(time.seconds == 1 || time == .zero)
    #expect(RetryingQueuePlayer().items().isEmpty)
  }

  @Test("play() and pause() set the rate by the property, also that of a subclass")
  func metered() {
    let player = MeteredPlayer()
    player.play()
    player.defaultRate = 0.5
    player.play()
    player.pause()
    #expect(player.rates == [1, 0.5, 0])
  }

  @Test(
    "Observers on a queue in a variable hear of what is posted on the main queue, where Foundation is imported too"
  )
  func observerQueue() async {
    let name = Notification.Name("a client's own")
    for queue in [nil, .main, OperationQueue()] as [OperationQueue?] {
      await withCheckedContinuation { (heard: CheckedContinuation<Void, Never>) in
        let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: queue) { _ in
          heard.resume()
        }
        NotificationCenter.default.post(name: name, object: nil)
        NotificationCenter.default.removeObserver(observer)
      }
    }
  }

  @Test("A model full of handlers comes and goes")
  func jukebox() {
    let jukebox = Jukebox()
    #expect(jukebox.log.first == "paused")
    jukebox.play(AVPlayerItem(url: URL(fileURLWithPath: "/none.mp3")))
    jukebox.stop()
    #expect(jukebox.player.currentItem == nil || jukebox.player.currentItem?.status != .readyToPlay)
  }
}
