import AudioCore
import Foundation
import MediaTime
import TestSupport
import Testing

@testable import QueuePlayer

@Suite("Tracks, media selection, cancelled loads")
struct TrackTests {
  let stage = VirtualStage()

  @Test("An asset has one track of sound")
  func assetTracks() async throws {
    let asset = stage.item("a", seconds: 2).asset
    let tracks = try await asset.load(.tracks)
    let track = try #require(tracks.first)
    #expect(tracks.count == 1 && tracks == asset.tracks && asset.tracks(withMediaType: .audio) == tracks)
    #expect(track.trackID == 1 && track.mediaType == .audio && track.asset === asset && track.isEnabled)
    #expect(track.timeRange == CMTimeRange(start: .zero, duration: CMTime(value: 2, timescale: 1)))
    #expect(track.naturalTimeScale == 44_100 && track.hasMediaCharacteristic(.audible))
    #expect(asset.track(withTrackID: 1) == track && asset.track(withTrackID: 2) == nil)
    #expect(try await asset.loadTracks(withMediaType: .audio) == tracks)
    #expect(try await asset.loadTracks(withMediaType: .video).isEmpty)
    #expect(try await asset.loadTracks(withMediaCharacteristic: .audible) == tracks)
    #expect(try await asset.loadTrack(withTrackID: 1)?.hash == track.hash)
    let (isProtected, duration) = try await asset.load(.hasProtectedContent, .duration)
    #expect(!isProtected && !asset.hasProtectedContent && duration.seconds == 2)
  }

  @Test("A file that cannot be played has none")
  func noTracks() async {
    let asset = stage.missingItem("a").asset
    #expect(asset.tracks.isEmpty)
    await #expect(throws: AVError.self) { try await asset.load(.tracks) }
    let url = stage.library.add("odd", RampSource(frames: 0, failure: .opening(.notRecognized)))
    #expect(AVURLAsset(url: url, environment: stage.environment).tracks.isEmpty)
  }

  @Test("An item has one track once it is ready")
  func itemTracks() throws {
    let item = stage.item("a")
    let log = Log<Int>()
    let observation = item.observe(\.tracks, options: [.initial, .new]) { item, _ in
      log.add(item.tracks.count)
    }
    let player = stage.queuePlayer([item])
    stage.settle()
    let track = try #require(item.tracks.first)
    #expect(log.entries == [0, 1] && item.tracks == [track] && track.isEnabled)
    #expect(track.assetTrack?.asset === item.asset)
    track.isEnabled = false
    #expect(item.tracks.first?.isEnabled == false)
    observation.invalidate()
    withExtendedLifetime(player) {}
  }

  @Test("There is nothing to select")
  func selection() async throws {
    let item = stage.item("a")
    let group = try #require(try await item.asset.loadMediaSelectionGroup(for: .audible))
    #expect(group.options.isEmpty && group.allowsEmptySelection && group.defaultOption == nil)
    #expect(item.asset.availableMediaCharacteristicsWithMediaSelectionOptions.isEmpty)
    item.select(nil, in: group)
    item.selectMediaOptionAutomatically(in: group)
    #expect(item.currentMediaSelection.selectedMediaOption(in: group) == nil)
  }

  @Test("What is cancelled is told so, and is loaded when it is asked for again")
  func cancelling() async throws {
    let asset = stage.item("a", seconds: 2).asset
    // Whatever is cancelled is under way for certain: completions are held back, the file is not.
    let loader = asset.loader
    asset.cancelLoading()
    #expect(asset.statusOfValue(forKey: "duration", error: nil) == .unknown)
    let outcomes = Log<AVError.Code?>()
    while true {
      let fresh = AssetLoader(url: loader.url, isPrecise: false, environment: stage.environment)
      outcomes.clear()
      fresh.load { outcome in
        if case .failure(let error) = outcome { outcomes.add(error.code) } else { outcomes.add(nil) }
      }
      fresh.cancel()
      // The other thread may have been faster.
      guard outcomes.entries == [.operationCancelled] else { continue }
      #expect(fresh.isCancelled && !fresh.isLoading && fresh.outcome == nil)
      let again = await withCheckedContinuation { continuation in
        fresh.load { continuation.resume(returning: $0) }
      }
      #expect(try again.get().duration.seconds == 2 && !fresh.isCancelled)
      #expect(outcomes.entries == [.operationCancelled])
      break
    }
    #expect(asset.duration.seconds == 2)
    asset.cancelLoading()
    #expect(asset.statusOfValue(forKey: "duration", error: nil) == .loaded)
  }
}
