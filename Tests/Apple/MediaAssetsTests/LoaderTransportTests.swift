import Dispatch
import Foundation
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
}
