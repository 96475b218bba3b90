import AudioCore
import AudioOutput
import AudioSession
import Foundation
import MediaTime
import Synchronization
import TestSupport
import Testing

@testable import MediaAssets
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
    let odd = AVURLAsset(url: url, environment: stage.environment)
    #expect(odd.tracks.isEmpty)
    await #expect(throws: AVError.self) { try await odd.loadTracks(withMediaType: .audio) }
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
    observation.invalidate()
    withExtendedLifetime(player) {}
  }

  @Test("A track that is not enabled is silent, from when that is set and while its item plays on")
  func silentTrack() throws {
    let stage = VirtualStage(recordsSound: true)
    let item = stage.item("a", seconds: 4)
    let player = stage.queuePlayer([item])
    player.play()
    stage.pass(1)
    let track = try #require(item.tracks.first)
    let told = Log<Bool>()
    let observation = track.observe(\.isEnabled, options: [.new]) { track, change in
      told.add(track.isEnabled && change.newValue == true)
    }
    track.isEnabled = false
    stage.pass(1)
    #expect(item.tracks == [track] && player.currentTime().seconds > 1.9)
    track.isEnabled = true
    stage.pass(3)
    #expect(told.entries == [false, true])
    let samples = stage.output.recording.samples
    let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
    // The medium's samples count its frames.
    let heard = left.indices.dropFirst().filter { left[$0] != 0 }
    let silence = try #require(heard.firstIndex { left[$0 - 1] == 0 && $0 > 44_100 })
    let (end, start) = (heard[silence - 1], heard[silence])
    #expect(abs(end - 44_100) < 2205 && abs(start - 88_200) < 2205 && left.count == 4 * 44_100)
    #expect(Double(left[start + 4410]) * 16_777_216 == Double(start + 4410))
    // Only its own item; a copy begins anew.
    track.isEnabled = false
    #expect((item.copy() as? AVPlayerItem)?.state.withLock { $0.isTrackEnabled } == true)
    observation.invalidate()
  }

  @Test("What is known of a track can be loaded, at once")
  func loadingOfTracks() async throws {
    let asset = stage.item("a", seconds: 2).asset
    let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    let (range, scale, volume) = try await track.load(.timeRange, .naturalTimeScale, .preferredVolume)
    #expect(range == track.timeRange && scale == 44_100 && volume == 1)
    #expect(try await track.load(.estimatedDataRate) == track.estimatedDataRate)
    #expect(try await track.load(.mediaCharacteristics) == [.audible])
    let (isEnabled, isPlayable, isWhole) = try await track.load(.isEnabled, .isPlayable, .isSelfContained)
    #expect(isEnabled && isPlayable && isWhole)
    let (language, tag) = try await track.load(.languageCode, .extendedLanguageTag)
    let (size, pictures) = try await track.load(.naturalSize, .nominalFrameRate)
    #expect(language == nil && tag == nil && size == .zero && pictures == 0)
    guard case .loaded(true) = track.status(of: .isPlayable) else { return #expect(Bool(false)) }
    #expect(track.statusOfValue(forKey: "timeRange", error: nil) == .loaded)
    await withCheckedContinuation { done in
      track.loadValuesAsynchronously(forKeys: ["timeRange"]) { done.resume() }
    }
  }

  @Test("Tracks and metadata are also given to handlers, or why there are none")
  func handlers() async throws {
    let asset = stage.item("a", seconds: 2).asset
    let tracks: Result<[AVAssetTrack], any Error> = await withCheckedContinuation { done in
      asset.loadTracks(withMediaType: .audio) { tracks, error in
        done.resume(returning: tracks.map { .success($0) } ?? .failure(error ?? AVError(.unknown)))
      }
    }
    #expect(try tracks.get() == asset.tracks)
    let items: Result<[AVMetadataItem], any Error> = await withCheckedContinuation { done in
      asset.loadMetadata(for: .id3Metadata) { items, error in
        done.resume(returning: items.map { .success($0) } ?? .failure(error ?? AVError(.unknown)))
      }
    }
    #expect(try items.get() == asset.metadata(forFormat: .id3Metadata))
    let missing = AVURLAsset(url: URL(fileURLWithPath: "/no/such/file.mp3"))
    await withCheckedContinuation { done in
      missing.loadTracks(withMediaType: .audio) { tracks, error in
        #expect(tracks == nil && (error as? AVError)?.code == .failedToLoadMediaData)
        missing.loadMetadata(for: .id3Metadata) { items, error in
          #expect(items == nil && (error as? AVError)?.code == .failedToLoadMediaData)
          done.resume()
        }
      }
    }
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
      fresh.values.cancel()
      // The other thread may have been faster.
      guard outcomes.entries == [.operationCancelled] else { continue }
      #expect(fresh.values.status.0 == .cancelled && !fresh.values.isLoading && fresh.outcome == nil)
      let again = await withCheckedContinuation { continuation in
        fresh.load { continuation.resume(returning: $0) }
      }
      #expect(try again.get().duration.seconds == 2 && fresh.values.status.0 != .cancelled)
      #expect(outcomes.entries == [.operationCancelled])
      break
    }
    #expect(asset.duration.seconds == 2)
    asset.cancelLoading()
    #expect(asset.statusOfValue(forKey: "duration", error: nil) == .loaded)
  }
}
