import AudioSession
import Foundation
import MediaAssets
import MediaTime
import QueuePlayer
import Testing

@Suite("Properties without effect")
struct InertTests {
  let stage = VirtualStage()

  /// Sets a value that is not the default, and looks whether it is kept and observed.
  private func check<Object: KeyValueObserving & SendableMetatype, Value: Equatable & Sendable>(
    _ object: Object, _ key: ReferenceWritableKeyPath<Object, Value>, from initial: Value, to new: Value,
    location: SourceLocation = #_sourceLocation
  ) {
    #expect(object[keyPath: key] == initial, sourceLocation: location)
    let log = Log<Value?>()
    let observation = object.observe(key, options: [.new]) { _, change in log.add(change.newValue) }
    object[keyPath: key] = new
    stage.settle()
    #expect(object[keyPath: key] == new && log.entries == [new], sourceLocation: location)
    observation.invalidate()
  }

  @Test("A player keeps what is set, and plays as if nothing were")
  func player() {
    let player = stage.queuePlayer([stage.item("a")])
    check(player, \.allowsExternalPlayback, from: true, to: false)
    check(player, \.usesExternalPlaybackWhileExternalScreenIsActive, from: false, to: true)
    check(player, \.externalPlaybackVideoGravity, from: .resizeAspect, to: .resize)
    check(player, \.preventsDisplaySleepDuringVideoPlayback, from: true, to: false)
    check(player, \.preventsAutomaticBackgroundingDuringVideoPlayback, from: true, to: false)
    check(player, \.audiovisualBackgroundPlaybackPolicy, from: .automatic, to: .pauses)
    check(player, \.appliesMediaSelectionCriteriaAutomatically, from: true, to: false)
    check(player, \.isClosedCaptionDisplayEnabled, from: false, to: true)
    check(player, \.networkResourcePriority, from: .default, to: .high)
    #expect(!player.isExternalPlaybackActive)
    let criteria = AVPlayerMediaSelectionCriteria(
      preferredLanguages: ["fr"], preferredMediaCharacteristics: nil)
    player.setMediaSelectionCriteria(criteria, forMediaCharacteristic: .audible)
    #expect(player.mediaSelectionCriteria(forMediaCharacteristic: .audible) === criteria)
    #expect(player.mediaSelectionCriteria(forMediaCharacteristic: .legible) == nil)
    player.setMediaSelectionCriteria(nil, forMediaCharacteristic: .audible)
    #expect(player.mediaSelectionCriteria(forMediaCharacteristic: .audible) == nil)
    player.play()
    stage.pass(2)
    #expect(player.currentItem == nil)
  }

  @Test("An item keeps what is set, in a queue or not, and so do its copies")
  func item() throws {
    let item = stage.item("a")
    check(item, \.preferredPeakBitRate, from: 0, to: 128_000)
    check(item, \.preferredPeakBitRateForExpensiveNetworks, from: 0, to: 64_000)
    check(item, \.preferredMaximumResolution, from: .zero, to: CGSize(width: 640, height: 480))
    check(
      item, \.preferredMaximumResolutionForExpensiveNetworks, from: .zero, to: CGSize(width: 64, height: 48))
    let player = stage.queuePlayer([item])
    check(item, \.canUseNetworkResourcesForLiveStreamingWhilePaused, from: false, to: true)
    check(item, \.startsOnFirstEligibleVariant, from: false, to: true)
    check(item, \.automaticallyPreservesTimeOffsetFromLive, from: false, to: true)
    check(item, \.configuredTimeOffsetFromLive, from: .invalid, to: CMTime(value: 3, timescale: 1))
    check(item, \.appliesPerFrameHDRDisplayMetadata, from: true, to: false)
    check(item, \.seekingWaitsForVideoCompositionRendering, from: false, to: true)
    check(item, \.automaticallyHandlesInterstitialEvents, from: true, to: false)
    check(item, \.allowedAudioSpatializationFormats, from: .multichannel, to: .monoStereoAndMultichannel)
    #expect(item.presentationSize == .zero && item.recommendedTimeOffsetFromLive == .invalid)
    item.preferredForwardBufferDuration = 5
    let copy = try #require(item.copy() as? AVPlayerItem)
    #expect(copy.preferredPeakBitRate == 128_000 && copy.preferredForwardBufferDuration == 5)
    copy.preferredPeakBitRate = 1
    #expect(item.preferredPeakBitRate == 128_000)
    withExtendedLifetime(player) {}
  }

  @Test("Outputs for metadata are kept while an item plays, and give nothing")
  func metadataOutputs() {
    final class Receiver: NSObject, AVPlayerItemMetadataOutputPushDelegate {
      let log = Log<Int>()
      func metadataOutput(
        _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
        from track: AVPlayerItemTrack?
      ) { log.add(groups.count) }
    }
    let item = stage.item("a")
    let output = AVPlayerItemMetadataOutput(identifiers: nil)
    let other = AVPlayerItemMetadataOutput()
    let queue = DispatchQueue(label: "metadata")
    var receiver: Receiver? = Receiver()
    let log = receiver?.log
    output.setDelegate(receiver, queue: queue)
    output.advanceIntervalForDelegateInvocation = 2
    #expect(output.delegate === receiver && output.delegateQueue === queue)
    #expect(output.advanceIntervalForDelegateInvocation == 2 && !output.suppressesPlayerRendering)

    item.remove(output)
    item.add(output)
    item.add(other)
    item.add(output)
    #expect(item.outputs == [output, other])
    let player = stage.queuePlayer([item])
    player.play()
    stage.pass(2)
    #expect(player.currentItem == nil && log?.entries == [])
    item.remove(output)
    #expect(item.outputs == [other])

    receiver = nil
    #expect(output.delegate == nil && output.delegateQueue === queue)
  }
}
