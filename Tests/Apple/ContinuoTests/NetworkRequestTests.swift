import AudioSession
import Clocks
import Foundation
import NetworkPlaylists
import NetworkTestSupport
import RemoteMedia
import Synchronization
import Testing
import Transfer

@testable import Continuo

/// What requests say, by whose URL they are for. No server is asked.
@Suite("Requests for URLs of others", .timeLimit(.minutes(10)))
struct NetworkRequestTests {
  private static let owner = Credentials(user: "owner", password: "S3CRET")
  private static let other = Credentials(user: "other", password: "own")

  /// Settings with all that a user can give for requests, and what keeps these.
  private static func settings(_ transport: RefusingTransport) -> NetworkSettings {
    var settings = NetworkSettings()
    settings.requests.fields.set("Authorization", "Bearer S3CRET")
    settings.requests.fields.set("X-Mine", "S3CRET")
    settings.requests.credentials = owner
    settings.makeTransport = { _ in transport }
    return settings
  }

  @Test(
    "A URL of somebody else gets neither the user's fields nor the user's password",
    arguments: [nil, NetworkReach.all, .publicOnly, .allForOthers])
  func settings(_ reach: NetworkReach?) {
    let requests = Self.settings(RefusingTransport()).requests(reach: reach)
    let isOwn = reach == nil || reach == .all
    #expect(requests.fields.all.map(\.name) == (isOwn ? ["Authorization", "X-Mine"] : []))
    #expect(requests.credentials == (isOwn ? Self.owner : nil))
    #expect(requests.reach == reach ?? .all)
  }

  @Test(
    "Songs, playlists and tags of others' URLs are asked for without what the user gave for the own ones",
    arguments: [nil, NetworkRequestTests.other])
  func requests(_ given: Credentials?) async throws {
    let text = "http://host.test/"
    let url = try WebURL.read(text).url
    for reach in [NetworkReach.all, .publicOnly, .allForOthers] {
      let transport = RefusingTransport()
      let settings = Self.settings(transport)
      let clock = SystemClock.shared
      var asset = try RemoteAsset(#require(URL(string: text)), isPrecise: false)
      asset.reach = reach
      asset.credentials = given
      let medium = NetworkMedia(settings, clock: clock).medium(asset) { _ in }
      withExtendedLifetime(medium.fetch) { transport.waitForRequest() }
      _ = NetworkReader(settings, clock: clock).readPlaylist(url, given, reach: reach) { nil }
      _ = NetworkReader(settings, clock: clock).readTag(url, given, reach: reach) { nil }
      let requests = transport.requests.withLock { $0.map { $0 } }
      #expect(requests.count == 3)
      for request in requests {
        #expect(request.reach == reach)
        #expect(request.fields["X-Mine"] == (reach == .all ? "S3CRET" : nil))
        #expect(request.fields["Authorization"] == (reach == .all ? "Bearer S3CRET" : nil))
        #expect(request.credentials == given ?? (reach == .all ? Self.owner : nil))
      }
    }
  }

  @Test("All settings of a process have one transport, and with it one limit of requests for each host")
  func oneTransport() {
    let clock = SystemClock.shared
    let transports = (0..<3).map { _ in NetworkSettings().makeTransport(clock) }
    #expect(transports.allSatisfy { $0 === transports[0] })
    // Virtual time has its own.
    #expect(NetworkSettings().makeTransport(VirtualClock()) !== transports[0])
  }

  @Test("A playlist and a tag for which nobody waits any more are cancelled")
  func interruption() throws {
    let transport = HandTransport()
    var settings = NetworkSettings()
    settings.makeTransport = { _ in transport }
    let url = try WebURL.read("http://host.test/a").url
    let clock = SystemClock.shared
    func reason(_ number: Int) -> String? { transport.count == number ? "nobody waits" : nil }
    let answer = NetworkReader(settings, clock: clock).readPlaylist(url, nil, reach: .all) { reason(1) }
    #expect(answer.failure == "nobody waits" && transport.cancelled == 1)
    #expect(NetworkReader(settings, clock: clock).readTag(url, nil, reach: .all) { reason(2) } == nil)
    #expect(transport.cancelled == 2)
  }
}

/// Answers every request with 404.
private final class RefusingTransport: HTTPTransport {
  let requests = Mutex<[TransferRequest]>([])
  private let isAsked = DispatchSemaphore(value: 0)

  /// Waits for the first one.
  func waitForRequest() { #expect(isAsked.wait(timeout: .now() + 120) == .success) }

  func start(_ request: TransferRequest, sink: any TransferSink) -> TransferID {
    let id = requests.withLock { requests in
      requests.append(request)
      return TransferID(UInt64(requests.count))
    }
    isAsked.signal()
    Thread.detachNewThread {
      _ = sink.take(.head(ResponseHead(status: 404)), of: id)
      _ = sink.take(.end, of: id)
    }
    return id
  }

  func setPaused(_ isPaused: Bool, _ transfer: TransferID) {}
  func cancel(_ transfer: TransferID) {}
}
