import Dispatch
import Foundation
import Synchronization
import Testing
import Transfer

@testable import MediaAssets

@Suite("A delegate as a server", .timeLimit(.minutes(10)))
struct LoaderTransportTests {
  /// Stays in the first event until the gate opens.
  private final class SlowSink: TransferSink {
    let hasBegun = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)

    func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
      if case .connected = event {
        hasBegun.signal()
        gate.wait()
      }
      return .more
    }
  }

  /// Signals the end of a transfer.
  private final class EndSink: TransferSink {
    let hasEnded = DispatchSemaphore(value: 0)

    func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
      if case .end = event { hasEnded.signal() }
      return .more
    }
  }

  /// Computes each range as an application does for its own server: an overflow would stop it.
  private final class Vault: NSObject, AVAssetResourceLoaderDelegate, Sendable {
    let length: Int64?
    let ranges = Mutex<[String]>([])

    init(length: Int64?) { self.length = length }

    func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader,
      shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
      guard let data = loadingRequest.dataRequest else { return false }
      let last = data.requestedOffset + Int64(data.requestedLength) - 1
      ranges.withLock { $0.append("bytes=\(data.requestedOffset)-\(last)") }
      loadingRequest.contentInformationRequest?.isByteRangeAccessSupported = true
      if let length { loadingRequest.contentInformationRequest?.contentLength = length }
      data.respond(with: Data([1, 2]))
      loadingRequest.finishLoading()
      return true
    }
  }

  @Test(
    "The first request is for two bytes; the range of the next one ends with the resource or at Int.max",
    arguments: [
      (nil, 0, "0-9223372036854775806"), (nil, 5000, "0-9223372036854775806"),
      (0, 0, "0-9223372036854775806"), (-1, 0, "0-9223372036854775806"), (10_000, 0, "0-9999"),
      (10_000, 5000, "5000-9999"), (.max, 5000, "5000-9223372036854775806"),
      (.max, .max - 1, "9223372036854775806-9223372036854775806"),
    ] as [(Int64?, Int64, String)])
  func ranges(length: Int64?, asked: Int64, expected: String) throws {
    let url = try #require(URL(string: "vault://safe/song.mp3"))
    let loader = AVURLAsset(url: url).resourceLoader
    let vault = Vault(length: length)
    loader.setDelegate(vault, queue: DispatchQueue(label: "vault"))
    let transport = LoaderTransport(url, loader: loader)
    var request = TransferRequest(url: try WebURL.read("http://safe/song.mp3").url)
    request.fields.set("Range", "bytes=\(asked)-")
    let sink = EndSink()
    _ = transport.start(request, sink: sink)
    #expect(sink.hasEnded.wait(timeout: .now() + 120) == .success)
    #expect(vault.ranges.withLock { $0 } == ["bytes=0-1", "bytes=\(expected)"])
  }

  @Test("Cancelling waits for the event that is being delivered")
  func cancelling() throws {
    let url = try #require(URL(string: "vault://safe/song.mp3"))
    let transport = LoaderTransport(url, loader: AVURLAsset(url: url).resourceLoader)
    let request = TransferRequest(url: try WebURL.read("http://safe/song.mp3").url)
    let sink = SlowSink()
    DispatchQueue(label: "start").async { _ = transport.start(request, sink: sink) }
    sink.hasBegun.wait()
    let hasCancelled = DispatchSemaphore(value: 0)
    DispatchQueue(label: "cancel").async {
      transport.cancel(TransferID(1))
      hasCancelled.signal()
    }
    // On a busy machine this shows less, and does not fail.
    let isEarly = hasCancelled.wait(timeout: .now() + 0.2) == .success
    #expect(!isEarly)
    sink.gate.signal()
    if !isEarly { hasCancelled.wait() }
  }

  /// Pauses at the first bytes, and notes what comes.
  private final class PausingSink: TransferSink {
    let bodies = Mutex<[[UInt8]]>([])
    let hasFailed = DispatchSemaphore(value: 0)

    func take(_ event: TransferEvent, of transfer: TransferID) -> TransferDemand {
      switch event {
      case .body(let bytes):
        bodies.withLock { $0.append(bytes) }
        return .pause
      case .failure(let failure): if failure.mayPass { hasFailed.signal() }
      default: break
      }
      return .more
    }
  }

  /// Brings all of 6.25 MiB at once, whoever has cancelled it.
  private final class Flood: NSObject, AVAssetResourceLoaderDelegate, Sendable {
    static let size: Int64 = 100 * 65_536
    let isCancelled = DispatchSemaphore(value: 0)
    let offsets = Mutex<[Int64]>([])

    func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader,
      shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
      guard let data = loadingRequest.dataRequest else { return false }
      if let information = loadingRequest.contentInformationRequest {
        information.contentLength = Self.size
        information.isByteRangeAccessSupported = true
      } else {
        offsets.withLock { $0.append(data.requestedOffset) }
      }
      let count = min(65_536, data.requestedLength)
      for _ in 0..<min(100, data.requestedLength / count) { data.respond(with: Data(count: count)) }
      loadingRequest.finishLoading()
      return true
    }

    func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) { isCancelled.signal() }
  }

  @Test("A request whose reader has enough is cancelled, and its rest can be requested again")
  func flood() throws {
    let url = try #require(URL(string: "vault://safe/song.mp3"))
    let loader = AVURLAsset(url: url).resourceLoader
    let flood = Flood()
    loader.setDelegate(flood, queue: DispatchQueue(label: "flood"))
    let transport = LoaderTransport(url, loader: loader)
    var request = TransferRequest(url: try WebURL.read("http://safe/song.mp3").url)
    let sink = PausingSink()
    let first = transport.start(request, sink: sink)
    try #require(flood.isCancelled.wait(timeout: .now() + 120) == .success)
    #expect(sink.hasFailed.wait(timeout: .now()) == .timedOut, "it is told once the reader wants more")
    transport.setPaused(false, first)
    try #require(sink.hasFailed.wait(timeout: .now() + 120) == .success)
    #expect(sink.bodies.withLock { $0.count } == 1)
    request.fields.set("Range", "bytes=65536-")
    _ = transport.start(request, sink: sink)
    try #require(flood.isCancelled.wait(timeout: .now() + 120) == .success)
    #expect(flood.offsets.withLock { $0 } == [0, 65_536])
  }
}
