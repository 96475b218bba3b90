import AudioCore
import Clocks
import Synchronization
import TestSupport
import Testing
import Transfer

@testable import RemoteMedia

@Suite("Tags that are fetched for their pictures")
struct TagFetchTests {
  private let clock = VirtualClock()

  /// What comes of the tag of `bytes` at so many bytes a second, how many bytes were sent for it, and when.
  private func fetch(
    _ bytes: [UInt8], rate: Double = 1e6, on other: (any HostClock)? = nil
  ) throws -> (tag: MediaTag?, sent: Int, seconds: Double)? {
    let network = VirtualNetwork(clock: clock)
    network["/a"] = .init(bytes: bytes, rate: rate, piece: 16_000)
    let ended = Mutex<(tag: MediaTag?, seconds: Double)?>(nil)
    let begin = clock.now
    let fetch = TagFetch(
      try WebURL.read("http://test/a").url, settings: RequestSettings(userAgent: "test"),
      environment: RemoteEnvironment(transport: network, clock: other ?? clock, cache: MediaCache())
    ) { [clock] tag in ended.withLock { $0 = (tag, clock.now.seconds(since: begin)) } }
    clock.advance(bySeconds: 40)
    withExtendedLifetime(fetch) {}
    return ended.withLock { $0 }.map { ($0.tag, network.sent("/a"), $0.seconds) }
  }

  private func pictureSize(_ tag: MediaTag?) -> Int? {
    guard case .data(let bytes)? = tag?.fields.first(where: { $0.key == "APIC" })?.value else { return nil }
    return bytes.count
  }

  @Test("a picture of 1 MB comes with one request, and hardly more than the tag")
  func picture() throws {
    let bytes = Songs.withCover(of: 1 << 20, SongBytes.make(frames: 2_000))
    let found = try #require(try fetch(bytes))
    #expect(pictureSize(found.tag) == (1 << 20) - 13)
    #expect(found.sent < (1 << 20) + 40_000 && found.seconds < 1.2)
  }

  @Test("no tag, or one of more than 16 MiB: none; one of 16 MiB is read", arguments: [0, 1])
  func limits(excess: Int) throws {
    let none = try #require(try fetch(SongBytes.make(frames: 2_000)))
    #expect(none.tag == nil && none.sent < 100_000)
    let bytes = Songs.withCover(of: (16 << 20) - 20 + excess, SongBytes.make(frames: 10))
    let found = try #require(try fetch(bytes, rate: 1e7))
    #expect((pictureSize(found.tag) == (16 << 20) - 33) == (excess == 0))
    if excess == 1 { #expect(found.tag == nil && found.sent < 100_000) }
  }

  @Test("what does not come within 15 s is none")
  func slow() throws {
    let bytes = Songs.withCover(of: 1 << 20, SongBytes.make(frames: 10))
    let found = try #require(try fetch(bytes, rate: 20_000))
    #expect(found.tag == nil && found.seconds == TagFetch.timeLimit)
  }

  /// A clock on which a second passes while the worker of a tag is made.
  private final class SlowClock: HostClock {
    let clock: VirtualClock

    init(_ clock: VirtualClock) { self.clock = clock }

    var now: HostTime { clock.now }

    func makeWorker(_ name: String, body: @escaping @Sendable () -> WorkerNext) -> any Worker {
      let worker = clock.makeWorker(name, body: body)
      if name == "continuo-tag" { clock.advance(bySeconds: 1) }
      return worker
    }
  }

  @Test("bytes that come while the worker is made are not overlooked")
  func early() throws {
    let bytes = Songs.withCover(of: 10_000, SongBytes.make(frames: 10))
    let found = try #require(try fetch(bytes, on: SlowClock(clock)))
    #expect(pictureSize(found.tag) == 10_000 - 13 && found.seconds < 2)
  }
}
