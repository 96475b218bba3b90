import Continuo
import Testing

// Declarations of the kinds that applications for Apple's systems make, here in Swift 6 mode: that they compile is most of
// what they test. This file imports no Foundation: `Continuo` brings it, and Observation.

/// A protocol in front of a queue player, with the requirements spelt as Xcode shows Apple's declarations.
@MainActor private protocol QueuePlaying: AnyObject {
  var currentItem: AVPlayerItem? { get }
  var rate: Float { get set }
  func insert(_ item: AVPlayerItem, after: AVPlayerItem?)
  func addPeriodicTimeObserver(
    forInterval interval: CMTime, queue: dispatch_queue_t?,
    using block: @escaping @Sendable (CMTime) -> Void
  ) -> Any
  func seek(to: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) async -> Bool
}

extension AVQueuePlayer: QueuePlaying {}

/// A model that views look at.
@MainActor @Observable private final class Model: NSObject {
  var title: String?
  let player: any QueuePlaying

  init(player: any QueuePlaying) { self.player = player }
}

/// A fake asset, which answers with what a test told it.
private final class FakeAsset: AVURLAsset, @unchecked Sendable {
  var status = AVKeyValueStatus.failed
  private(set) var keys: [String] = []

  override func statusOfValue(forKey key: String, error outError: NSErrorPointer) -> AVKeyValueStatus {
    outError?.pointee = NSError(domain: "fake", code: 7)
    return status
  }

  override func loadValuesAsynchronously(
    forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
  ) {
    self.keys = keys
    handler?()
  }
}

@MainActor @Suite("Declarations of applications")
struct DeclarationTests {
  init() { PlaybackEnvironment.current = PlaybackEnvironment(output: .simulated) }

  @Test("A queue player goes by a protocol that names dispatch_queue_t")
  func queuePlayer() {
    let model = Model(player: AVQueuePlayer())
    let token = model.player.addPeriodicTimeObserver(
      forInterval: CMTime(value: 1, timescale: 2), queue: .main
    ) { _ in }
    #expect(model.player.currentItem == nil && model.player.rate == 0)
    (model.player as? AVPlayer)?.removeTimeObserver(token)
  }

  @Test("A model is observable where only Continuo is imported")
  func observation() async {
    let model = Model(player: AVQueuePlayer())
    await confirmation { changed in
      withObservationTracking {
        _ = model.title
      } onChange: {
        changed()
      }
      model.title = "another"
    }
  }

  @Test("A fake asset's answers are what loaders see")
  func asset() {
    let asset = FakeAsset(url: URL(fileURLWithPath: "/none.mp3"))
    let loading: any AVAsynchronousKeyValueLoading = asset
    var error: NSError?
    #expect(loading.statusOfValue(forKey: "duration", error: &error) == .failed)
    #expect(error?.code == 7)
    loading.loadValuesAsynchronously(forKeys: ["duration"], completionHandler: nil)
    asset.loadValuesAsynchronously(forKeys: ["duration", "tracks"])
    #expect(asset.keys == ["duration", "tracks"])
    let options: [String: Any] = [
      AVURLAssetAllowsCellularAccessKey: true, AVURLAssetAllowsExpensiveNetworkAccessKey: true,
      AVURLAssetAllowsConstrainedNetworkAccessKey: true, AVURLAssetOverrideMIMETypeKey: "audio/mpeg",
    ]
    #expect(AVURLAsset(url: asset.url, options: options).url == asset.url)
  }
}
