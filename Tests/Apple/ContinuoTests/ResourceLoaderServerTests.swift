import Continuo
import Foundation
import PulseOutput
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

/// A song that an application keeps scrambled, heard from a real server.
@Suite("Resource loaders on a real server", .blocksThread, .timeLimit(.minutes(10)))
struct ResourceLoaderServerTests {
  /// Unscrambles pieces of a file, on a queue of its own.
  private final class Vault: NSObject, AVAssetResourceLoaderDelegate, Sendable {
    let scrambled: Data
    let queue = DispatchQueue(label: "vault")
    let requests = Mutex(0)

    init(_ plain: Data) { scrambled = Data(plain.map { $0 ^ 0x5A }) }

    func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader,
      shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
      requests.withLock { $0 += 1 }
      dispatchPrecondition(condition: .onQueue(queue))
      loadingRequest.contentInformationRequest?.contentLength = Int64(scrambled.count)
      loadingRequest.contentInformationRequest?.isByteRangeAccessSupported = true
      guard let data = loadingRequest.dataRequest else { return false }
      // Later, and not all that is wanted: the rest is asked for again.
      queue.asyncAfter(deadline: .now() + 0.05) { [scrambled] in
        let piece = scrambled[Int(data.requestedOffset)...].prefix(20_000)
        data.respond(with: Data(piece.map { $0 ^ 0x5A }))
        loadingRequest.finishLoading()
      }
      return true
    }
  }

  @Test("What is heard is the song, bit for bit")
  func heard() async throws {
    let server = try PrivatePulseServer()
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let capture = try MonitorCapture(address: server.address, sink: "continuo")
    defer { capture.stop() }
    try await capture.started()
    let path = try await Song(duration: 3).write(into: folder.path)
    let vault = Vault(try Data(contentsOf: URL(fileURLWithPath: path)))
    let environment = PlaybackEnvironment(output: .pulseAudio(server: server.address))
    defer { environment.closePlayers() }
    let player = PlaybackEnvironment.withCurrent(environment) {
      let asset = AVURLAsset(url: URL(string: "vault:song") ?? URL(fileURLWithPath: path))
      asset.resourceLoader.setDelegate(vault, queue: vault.queue)
      return AVPlayer(playerItem: AVPlayerItem(asset: asset))
    }
    player.play()
    _ = try await capture.heard(130_000)
    let heard = Sound(try await capture.untilSilence())
    let expected = try await Sound.mpg123([path])
    let start = try #require(expected.place(in: heard))
    #expect(heard.frames[start...].starts(with: expected.frames))
    #expect(vault.requests.withLock { $0 } >= 3)
    withExtendedLifetime(player) {}
  }
}
