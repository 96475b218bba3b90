import Continuo
import Foundation
import Synchronization
import Testing

@testable import ContinuoTesting

/// Songs whose bytes the application itself brings.
@MainActor
@Suite("Resource loaders in virtual time")
struct ResourceLoaderTests {
  private nonisolated static let url = URL(string: "vault://safe/song.mp3") ?? URL(fileURLWithPath: "/")

  /// Brings a song's bytes as the test says.
  private final class Vault: NSObject, AVAssetResourceLoaderDelegate, Sendable {
    struct Manner: Sendable {
      /// Bytes of one answer at most.
      var limit = Int64.max
      /// Bytes that are kept back at the end.
      var missing: Int64 = 0
      var hasRanges = true
      var tellsLength = true
      /// Bytes that the vault says it has, in place of those of the song.
      var claim: Int64?
      var takes = true
      var error: CocoaError?
      /// Requests for bytes are kept, for the test to finish.
      var keepsOpen = false
    }

    let stream: MarkedStream
    let manner: Manner
    let log = Mutex<[String]>([])
    let open = Mutex<[AVAssetResourceLoadingRequest]>([])

    init(_ stream: MarkedStream, _ manner: Manner) {
      self.stream = stream
      self.manner = manner
    }

    func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader,
      shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
      guard manner.takes, let data = loadingRequest.dataRequest else { return false }
      let information = loadingRequest.contentInformationRequest
      log.withLock { $0.append("\(information == nil ? "" : "? ")\(data.requestedOffset)") }
      #expect(loadingRequest.request.url == ResourceLoaderTests.url)
      #expect(data.requestsAllDataToEndOfResource == (information == nil))
      if let error = manner.error {
        loadingRequest.finishLoading(with: error)
        return true
      }
      information?.contentType = "public.mp3"
      let length = manner.claim ?? stream.byteCount
      if manner.tellsLength { information?.contentLength = length }
      information?.isByteRangeAccessSupported = manner.hasRanges
      let rest = manner.tellsLength ? Int(length - data.requestedOffset) : .max
      #expect(data.requestedLength == (information == nil ? rest : 2))
      let limit = min(manner.limit, 1 << 40, Int64(data.requestedLength))
      let end = min(stream.byteCount - manner.missing, data.requestedOffset + limit)
      while data.currentOffset < end {
        data.respond(with: Data(stream.bytes(data.currentOffset..<min(end, data.currentOffset + 10_000))))
      }
      if manner.keepsOpen, information == nil {
        open.withLock { $0.append(loadingRequest) }
        return true
      }
      if manner.missing == 0 || data.currentOffset == data.requestedLength { loadingRequest.finishLoading() }
      return true
    }

    func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
      #expect(loadingRequest.isCancelled && !loadingRequest.isFinished)
      log.withLock { $0.append("cancel \(loadingRequest.dataRequest?.requestedOffset ?? -1)") }
    }

    var entries: [String] { log.withLock { $0.map(\.self) } }
  }

  /// A song of 16 kB a second that a vault brings, and the player that plays it.
  private func withVault(
    _ manner: Vault.Manner = Vault.Manner(), seconds: Int = 12, modes: Set<BackgroundMode> = [.audio],
    _ body: @MainActor (TestDevice, Song, Vault, AVPlayer) async throws -> Void
  ) async throws {
    try await withTestDevice(modes: modes) { device in
      let song = device.song("song", duration: .seconds(seconds), at: "https://h.test/a")
      let stream = MarkedStream(
        song: 1, length: song.frameCount, sampleRate: song.sampleRate, bitRate: 128_000)
      let vault = Vault(stream, manner)
      await device.launch()
      let asset = AVURLAsset(url: Self.url)
      asset.resourceLoader.setDelegate(vault, queue: .main)
      #expect(asset.resourceLoader === asset.resourceLoader && asset.resourceLoader.delegate === vault)
      let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
      try? AVAudioSession.sharedInstance().setCategory(.playback)
      player.play()
      try await body(device, song, vault, player)
      withExtendedLifetime((vault, player)) {}
    }
  }

  @Test("A song is heard as a whole: one request for what it is, one for its bytes; none to the network")
  func whole() async throws {
    try await withVault { device, song, vault, player in
      await device.advance(by: .seconds(13))
      #expect(device.heard.passages == [song.whole] && device.heard.silences.isEmpty)
      #expect(vault.entries == ["? 0", "0"] && device.network.requests.isEmpty)
    }
  }

  @Test("A delegate that brings 64 KiB at a time is asked again, and once for what it is")
  func pieces() async throws {
    var manner = Vault.Manner()
    manner.limit = 65_536
    try await withVault(manner) { device, song, vault, _ in
      await device.advance(by: .seconds(13))
      #expect(device.heard.passages == [song.whole] && device.heard.silences.isEmpty)
      #expect(vault.entries == ["? 0", "0", "61440", "122880", "184320"])
    }
  }

  @Test(
    "Without ranges, and without a length, the bytes come from the beginning on", arguments: [true, false])
  func inOrder(tellsLength: Bool) async throws {
    var manner = Vault.Manner()
    manner.hasRanges = false
    manner.tellsLength = tellsLength
    try await withVault(manner) { device, song, vault, _ in
      await device.advance(by: .seconds(13))
      #expect(device.heard.passages == [song.whole] && vault.entries == ["? 0", "0"])
    }
  }

  @Test("A delegate that claims a length near Int.max brings what it has, which is heard")
  func hugeLength() async throws {
    var manner = Vault.Manner()
    manner.claim = .max
    try await withVault(manner) { device, song, vault, player in
      await device.advance(by: .seconds(13))
      #expect(device.heard.passages == [song.whole])
      #expect(vault.entries.starts(with: ["? 0", "0"]))
    }
  }

  @Test("A seek to what is not there cancels the request and asks from there")
  func seek() async throws {
    var manner = Vault.Manner()
    manner.missing = 500_000
    try await withVault(manner, seconds: 60) { device, _, vault, player in
      await device.advance(by: .seconds(2))
      #expect(vault.entries == ["? 0", "0"])
      player.seek(to: CMTime(value: 55, timescale: 1)) { _ in }
      await device.advance(by: .seconds(1))
      let entries = vault.entries
      #expect(entries.dropLast() == ["? 0", "0", "cancel 0"])
      #expect((870_000...880_000).contains(Int(entries.last ?? "") ?? 0), "\(entries)")
      player.replaceCurrentItem(with: nil)
      await device.advance(by: .seconds(1))
      #expect(vault.entries.last?.hasPrefix("cancel 87") == true)
    }
  }

  @Test("An error, a refusal and a delegate that has gone make the item fail, with the reason")
  func failures() async throws {
    var failing = Vault.Manner()
    failing.error = CocoaError(.fileReadNoPermission)
    try await withVault(failing) { device, _, vault, player in
      await device.advance(by: .seconds(1))
      let error = player.currentItem?.error as? AVError ?? AVError(.unknown)
      #expect(player.currentItem?.status == .failed && vault.entries == ["? 0"])
      #expect(
        error.failureReason?.contains(CocoaError(.fileReadNoPermission).localizedDescription) == true,
        "\(error)")
    }
    var refusing = Vault.Manner()
    refusing.takes = false
    try await withVault(refusing) { device, _, vault, player in
      await device.advance(by: .seconds(1))
      // A refused request is not cancelled later.
      #expect(player.currentItem?.status == .failed && vault.entries == [])
    }
    await withTestDevice { device in
      await device.launch()
      let asset = AVURLAsset(url: Self.url)
      asset.resourceLoader.setDelegate(
        Vault(MarkedStream(song: 1, length: 1, sampleRate: 44_100, bitRate: 128_000), .init()), queue: nil)
      #expect(asset.resourceLoader.delegate == nil)
      let item = AVPlayerItem(asset: asset)
      let player = AVPlayer(playerItem: item)
      await device.advance(by: .seconds(1))
      #expect((item.error as? AVError)?.code == .operationNotSupportedForAsset)
      withExtendedLifetime(player) {}
    }
  }

  @Test("While the application is suspended the delegate is not called, however long it takes")
  func suspension() async throws {
    var manner = Vault.Manner()
    manner.limit = 65_536
    manner.keepsOpen = true
    try await withVault(manner, modes: []) { device, _, vault, player in
      await device.advance(by: .seconds(2))
      #expect(vault.entries == ["? 0", "0"])
      await device.pressHomeButton()
      for request in vault.open.withLock({ $0 }) { request.finishLoading() }
      await device.advance(by: .seconds(300))
      #expect(vault.entries == ["? 0", "0"])
      await device.foreground()
      player.play()
      await device.advance(by: .seconds(1))
      #expect(vault.entries == ["? 0", "0", "61440"])
      #expect(player.currentItem?.status == .readyToPlay)
    }
  }

  @Test("Nothing comes: the item waits, and is given up after a minute; the delegate is told")
  func silent() async throws {
    var manner = Vault.Manner()
    manner.limit = 0
    manner.missing = 1
    try await withVault(manner) { device, _, vault, player in
      await device.advance(by: .seconds(59))
      #expect(player.currentItem?.status == .unknown && vault.entries == ["? 0"])
      await device.advance(by: .seconds(2))
      #expect(player.currentItem?.status == .failed && vault.entries == ["? 0", "cancel 0"])
    }
  }
}
