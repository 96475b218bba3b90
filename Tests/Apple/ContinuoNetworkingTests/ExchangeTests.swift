import Clocks
import NetworkTestSupport
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import ContinuoNetworking
@testable import TransferService

/// A clock that runs a body at one of the next moments at which its time is asked for: what another thread
/// may do between two steps of an exchange.
private final class InterveningClock: HostClock {
  private let base = VirtualClock()
  private let pending = Mutex<(moment: Int, body: @Sendable () -> Void)?>(nil)

  /// Runs `body` when the time is asked for after `moment` other times.
  func intervene(at moment: Int, _ body: @escaping @Sendable () -> Void) {
    pending.withLock { $0 = (moment, body) }
  }

  var now: HostTime {
    let body = pending.withLock { pending -> (@Sendable () -> Void)? in
      guard let (moment, body) = pending else { return nil }
      pending = moment > 0 ? (moment - 1, body) : nil
      return moment > 0 ? nil : body
    }
    body?()
    return base.now
  }

  func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
    base.makeWorker(name, body: body)
  }
}

@Suite("The events of an exchange")
struct ExchangeTests {
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

  private static func exchange(
    _ transport: HandTransport, _ client: Client, _ clock: any HostClock
  ) throws -> Exchange {
    Exchange(
      TransferRequest(url: try WebURL.read("http://files.test/a").url), transport: transport,
      alarms: Alarms(clock: clock), timeout: 60, client: client)
  }

  @Test("a pause of the client that ends while the owner's pause ends leaves the connection running")
  func pausesEndTogether() throws {
    let transport = HandTransport()
    let client = Client {}
    let exchange = try Self.exchange(transport, client, VirtualClock())
    exchange.start()
    #expect(transport.send(.head(ResponseHead(status: 200, fields: []))) == .pause)
    exchange.setHeld(true)
    #expect(transport.isPaused)
    transport.intervene { exchange.proceed() }
    exchange.setHeld(false)
    transport.takeIntervention()?()
    #expect(!transport.isPaused)
    exchange.cancel()
  }

  @Test("a request that waits in the transport has no time limit, and once it is sent the usual one")
  func queued() throws {
    let transport = HandTransport()
    let client = Client {}
    let clock = VirtualClock()
    let exchange = try Self.exchange(transport, client, clock)
    exchange.start()
    transport.send(.queued(true))
    clock.advance(bySeconds: 1_000)
    #expect(client.lines.withLock { $0 }.isEmpty)
    transport.send(.queued(false))
    clock.advance(bySeconds: 59)
    #expect(client.lines.withLock { $0 }.isEmpty)
    clock.advance(bySeconds: 1)
    #expect(client.lines.withLock { $0 } == ["end"] && transport.cancelled == 1)
  }

  @Test("credentials that come while the refused connection ends are sent on a new one", arguments: 0..<8)
  func credentialsAtTheEnd(moment: Int) throws {
    let transport = HandTransport()
    let client = Client {}
    let clock = InterveningClock()
    let exchange = try Self.exchange(transport, client, clock)
    exchange.start()
    transport.send(.head(ResponseHead(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")])))
    clock.intervene(at: moment) { exchange.authenticate(Credentials(user: "a", password: "b")) }
    transport.send(.end)
    while transport.count == 1 { _ = clock.now }
    #expect(client.lines.withLock { $0 }.isEmpty)
    transport.send(.head(ResponseHead(status: 200, fields: [])))
    exchange.proceed()
    transport.send(.end)
    #expect(client.lines.withLock { $0 } == ["answer 200", "end"] && transport.count == 2)
  }

  @Test("a connection that ends while the client takes a redirect as the response ends after its decision")
  func endDuringAnswer() throws {
    let transport = HandTransport()
    let client = Client { transport.send(.end) }
    let clock = VirtualClock()
    let exchange = try Self.exchange(transport, client, clock)
    exchange.start()
    transport.send(.head(ResponseHead(status: 302, fields: [("Location", "/b")])))
    exchange.proceed()
    #expect(client.lines.withLock { $0 } == ["redirect", "answer 302"])
    exchange.proceed()
    #expect(client.lines.withLock { $0 } == ["redirect", "answer 302", "end"])
  }
}
