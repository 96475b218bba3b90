import Clocks
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import ContinuoNetworking
@testable import TransferService

@Suite("The events of an exchange")
struct ExchangeTests {
  /// A transport whose events the test sends.
  private final class Transport: HTTPTransport {
    let sink = Mutex<(any TransferSink)?>(nil)

    func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
      self.sink.withLock { $0 = sink }
      return TransferID(1)
    }

    func setPaused(_ isPaused: Bool, _ transfer: TransferID) {}
    func cancel(_ transfer: TransferID) {}

    func send(_ event: TransferEvent) { _ = sink.withLock { $0 }?.take(event, of: TransferID(1)) }
  }

  /// A client that decides later about each response.
  private final class Client: Exchange.Client {
    let lines = Mutex<[String]>([])
    let onAnswer: @Sendable () -> Void

    init(onAnswer: @escaping @Sendable () -> Void) { self.onAnswer = onAnswer }

    private func note(_ line: String) { lines.withLock { $0.append(line) } }

    func exchange(_ exchange: Exchange, redirectedBy head: ResponseHead, to next: TransferRequest) {
      note("redirect")
    }
    func exchange(_ exchange: Exchange, challengedBy head: ResponseHead, failures: Int) {}
    func exchange(_ exchange: Exchange, answered head: ResponseHead) -> TransferDemand {
      note("answer \(head.status)")
      onAnswer()
      return .pause
    }
    func exchange(_ exchange: Exchange, brought bytes: [UInt8]) -> TransferDemand { .more }
    func exchange(_ exchange: Exchange, sent count: Int64) {}
    func exchange(_ exchange: Exchange, endedWith failure: TransferFailure?) { note("end") }
  }

  @Test("a connection that ends while the client takes a redirect as the response ends after its decision")
  func endDuringAnswer() throws {
    let transport = Transport()
    let client = Client { transport.send(.end) }
    let clock = VirtualClock()
    let exchange = Exchange(
      TransferRequest(url: try WebURL.read("http://files.test/a").url), transport: transport,
      alarms: Alarms(clock: clock), timeout: 60, client: client)
    exchange.start()
    transport.send(.head(ResponseHead(status: 302, fields: [("Location", "/b")])))
    exchange.proceed()
    #expect(client.lines.withLock { $0 } == ["redirect", "answer 302"])
    exchange.proceed()
    #expect(client.lines.withLock { $0 } == ["redirect", "answer 302", "end"])
    transport.sink.withLock { $0 = nil }
  }
}
