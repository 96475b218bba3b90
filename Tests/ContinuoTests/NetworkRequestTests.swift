import Foundation
import HostTime
import RemoteMedia
import Synchronization
import Testing
import Transfer

@testable import Continuo
@testable import QueuePlayer

/// What requests say, by whose URL they are for. No server is asked.
@Suite("Requests for URLs of others", .timeLimit(.minutes(1)))
struct NetworkRequestTests {
  private static let owner = Credentials(user: "owner", password: "S3CRET")
  private static let other = Credentials(user: "other", password: "own")

  /// Settings with all that a user can give for requests, and what keeps these.
  private static func settings(_ transport: RefusingTransport) -> NetworkSettings {
    var settings = NetworkSettings()
    settings.requests.fields.set("Authorization", "Bearer S3CRET")
    settings.requests.fields.set("X-Mine", "S3CRET")
    settings.requests.credentials = owner
    let store = CredentialStore()
    if let url = try? WebURL.read("http://kept.test/").url {
      store.set(owner, for: url)
      store.set(other, for: url, reach: .publicOnly)
    }
    settings.credentials = { store.credentials(for: $0, reach: $1) }
    settings.makeTransport = { _ in transport }
    return settings
  }

  @Test(
    "A URL that may lead to public addresses only gets neither the user's fields nor the user's password",
    arguments: [nil, NetworkReach.all, .publicOnly])
  func settings(_ reach: NetworkReach?) {
    let requests = Self.settings(RefusingTransport()).requests(reach: reach)
    let isOwn = reach != .publicOnly
    #expect(requests.fields.all.map(\.name) == (isOwn ? ["Authorization", "X-Mine"] : []))
    #expect(requests.credentials == (isOwn ? Self.owner : nil))
    #expect(requests.reach == reach ?? .all)
  }

  @Test(
    "Songs, playlists and tags of others' URLs are asked for without what the user gave for the own ones",
    arguments: ["http://new.test/", "http://kept.test/"])
  func requests(_ text: String) async throws {
    let url = try WebURL.read(text).url
    let isKept = text.contains("kept")
    for reach in [NetworkReach.all, .publicOnly] {
      let transport = RefusingTransport()
      let settings = Self.settings(transport)
      let clock = SystemClock.shared
      var asset = try RemoteAsset(#require(URL(string: text)), isPrecise: false)
      asset.reach = reach
      let medium = NetworkMedia(settings, clock: clock).medium(asset) { _ in }
      withExtendedLifetime(medium.fetch) { transport.waitForRequest() }
      _ = NetworkPlaylists(settings, clock: clock).read(url, nil, reach: reach)
      _ = NetworkTags(settings, clock: clock).read(url, reach: reach)
      let requests = transport.requests.withLock { $0.map { $0 } }
      #expect(requests.count == 3)
      for request in requests {
        #expect(request.reach == reach)
        #expect(request.fields["X-Mine"] == (reach == .all ? "S3CRET" : nil))
        #expect(request.fields["Authorization"] == (reach == .all ? "Bearer S3CRET" : nil))
        #expect(request.credentials == (reach == .all ? Self.owner : isKept ? Self.other : nil))
      }
    }
  }
}

/// Answers every request with 404.
private final class RefusingTransport: HTTPTransport {
  let requests = Mutex<[TransferRequest]>([])
  private let isAsked = DispatchSemaphore(value: 0)

  /// Waits for the first one.
  func waitForRequest() { #expect(isAsked.wait(timeout: .now() + 10) == .success) }

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
