import Clocks
import TestSupport
import Testing
import Transfer

@testable import ContinuoTesting

@Suite("The network of a test device")
struct SimulatedNetworkTests {
  private let media = VirtualMedia()
  private var clock: VirtualClock { media.clock }
  private var network: SimulatedNetwork { media.network }
  private let file: [UInt8] = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  private func request(_ url: String = "https://files.test/a.mp3", from start: Int? = 0, tag: String? = nil)
    throws -> TransferRequest
  {
    var request = TransferRequest(url: try WebURL.read(url).url)
    if let start { request.fields.set("Range", "bytes=\(start)-") }
    if let tag { request.fields.set("If-Range", tag) }
    return request
  }

  /// What comes of a request within a minute.
  private func fetch(_ request: TransferRequest) -> Arrivals {
    let sink = Arrivals(clock)
    let transfer = network.start(request, sink: sink)
    clock.advance(bySeconds: 60)
    network.cancel(transfer)
    return sink
  }

  private func serve() { network.serve(.data(file, etag: "\"1\""), at: "https://files.test/a.mp3") }

  @Test("pieces of 4 KiB arrive at exact moments behind the latency")
  func moments() throws {
    serve()
    network.link = .init(bytesPerSecond: 40_960, latency: .milliseconds(80))
    let got = fetch(try request())
    #expect(got.all.prefix(2).map(\.moment) == [0.08, 0.16])
    let expected = [4_096, 4_096, 4_096, 4_096, 3_616]
    #expect(got.bodies.map(\.count) == expected)
    let moments = got.bodies.map { ($0.moment * 1e6).rounded() }
    #expect(moments == [260_000, 360_000, 460_000, 560_000, 648_281])
    #expect(got.bytes == file && got.hasEnded)
    #expect(network.connectionCount == 0)
  }

  @Test("the answer to HEAD has the length and no body")
  func head() throws {
    serve()
    var request = try request(from: nil)
    request.method = "HEAD"
    let got = fetch(request)
    #expect(got.head?.contentLength == Int64(file.count) && got.bytes.isEmpty && got.hasEnded)
  }

  @Test("transfers share the link evenly, and a paused one leaves it to the others")
  func sharing() throws {
    serve()
    network.link = .init(bytesPerSecond: 8_192)
    let sinks = [Arrivals(clock), Arrivals(clock)]
    let request = try request()
    let transfers = sinks.map { network.start(request, sink: $0) }
    clock.advance(bySeconds: 2)
    #expect(sinks.map(\.bytes.count) == [8_192, 8_192])
    network.setPaused(true, transfers[0])
    clock.advance(bySeconds: 1)
    #expect(sinks.map(\.bytes.count) == [8_192, 16_384])
    network.setPaused(false, transfers[0])
    network.cancel(transfers[1])
    clock.advance(bySeconds: 10)
    #expect(sinks[0].bytes == file && sinks[0].hasEnded && sinks[1].bytes.count == 16_384)
  }

  @Test("a sink that has no room gets no more until it says so")
  func backpressure() throws {
    serve()
    let sink = Arrivals(clock)
    sink.demand = .pause
    let transfer = network.start(try request(), sink: sink)
    clock.advance(bySeconds: 10)
    // The head said pause, so no body came.
    #expect(sink.bytes.isEmpty)
    for count in [4_096, 8_192] {
      network.setPaused(false, transfer)
      clock.advance(bySeconds: 10)
      #expect(sink.bytes.count == count)
    }
  }

  @Test("ranges as a server answers them")
  func ranges() throws {
    serve()
    let part = fetch(try request(from: 15_000, tag: "\"1\""))
    #expect(part.head?.status == 206 && part.head?.fields["Content-Range"] == "bytes 15000-19999/20000")
    #expect(part.bytes == Array(file[15_000...]) && part.head?.contentLength == 5_000)
    let other = fetch(try request(from: 15_000, tag: "\"2\""))
    #expect(other.head?.status == 200 && other.bytes == file)
    let behind = fetch(try request(from: 20_000))
    #expect(behind.head?.status == 416 && behind.head?.contentRange?.total == 20_000 && behind.hasEnded)
    let whole = fetch(try request(from: nil))
    #expect(whole.head?.status == 200 && whole.head?.fields["ETag"] == "\"1\"")
    network.host("files.test").ignoresRanges()
    #expect(fetch(try request(from: 15_000)).head?.status == 200)
    #expect(
      network.requests.map(\.range) == ["bytes=15000-", "bytes=15000-", "bytes=20000-", nil, "bytes=15000-"])
    #expect(network.requests[1]["If-Range"] == "\"2\"" && network.requests[1].moment == .seconds(60))
  }

  @Test("what nobody serves is a host that does not exist")
  func nobody() throws {
    serve()
    #expect(fetch(try request("https://files.test/b.mp3")).failure?.kind == .hostNotFound)
    #expect(fetch(try request("http://127.0.0.1/")).failure?.kind == .hostNotFound)
    network.host("files.test").refuses()
    #expect(fetch(try request()).failure?.kind == .refused)
    network.host("files.test").recovers()
    #expect(fetch(try request()).hasEnded)
  }

  @Test("hosts that close, reset and hang, on every connection or on the next ones")
  func cuts() throws {
    serve()
    let host = network.host("Files.test")
    host.closes(every: 5_000)
    let closed = fetch(try request())
    #expect(closed.bytes == Array(file[..<5_000]) && closed.failure?.kind == .lost)
    host.tellsNoLength()
    #expect(fetch(try request(from: nil)).hasEnded)
    host.recovers()
    host.resets(every: 1)
    #expect(fetch(try request()).bytes == [file[0]])
    host.recovers()
    host.closes(after: [0, 7])
    host.hangs(after: 100, times: 1)
    #expect([0, 1, 2].map { _ in (try? fetch(request()).bytes.count) ?? -1 } == [0, 7, 100])
    #expect(fetch(try request()).bytes == file)
    host.closes(every: .seconds(2))
    network.link = .init(bytesPerSecond: 4_096)
    #expect(fetch(try request()).bytes.count == 4_096)
  }

  @Test("statuses, redirects, delays and another file from some request on")
  func answers() throws {
    serve()
    network.serve(.redirect(to: "/a.mp3"), at: "https://files.test/old.mp3")
    network.serve(.data([1, 2, 3]), at: "https://files.test/new.mp3")
    let host = network.host("files.test")
    host.answers(503, times: 2)
    #expect([0, 1, 2].map { _ in (try? fetch(request()).head?.status) ?? -1 } == [503, 503, 206])
    #expect(fetch(try request("https://files.test/old.mp3")).head?.redirect == "/a.mp3")
    host.answers(after: .seconds(3))
    let start = clock.now.seconds
    #expect(fetch(try request()).bodies.first?.moment == start + 3)
    host.changes(after: 1, to: "https://files.test/new.mp3")
    #expect([0, 1, 2].map { _ in (try? fetch(request()).bytes.count) ?? -1 } == [20_000, 3, 3])
  }

  @Test("offline: what is on its way waits, new connections fail at once, and then it goes on")
  func offline() throws {
    serve()
    network.link = .init(bytesPerSecond: 4_096)
    let sink = Arrivals(clock)
    _ = network.start(try request(), sink: sink)
    clock.advance(bySeconds: 2.5)
    network.goOffline(for: .seconds(30))
    let failed = Arrivals(clock)
    _ = network.start(try request(), sink: failed)
    clock.advance(bySeconds: 29)
    #expect(sink.bytes.count == 8_192)
    #expect(failed.failure?.kind == .offline && failed.all.map(\.moment) == [2.5])
    clock.advance(bySeconds: 60)
    #expect(sink.bytes == file && sink.bodies[2].moment == 33.5)
  }

  @Test(
    "a connection that nobody reads from is closed after a while, which is seen when somebody reads again")
  func idle() throws {
    serve()
    network.host("files.test").closesIdle(after: .seconds(5))
    for (seconds, isAlive) in [(4.0, true), (5.0, false)] {
      let sink = Arrivals(clock)
      sink.demand = .pause
      let transfer = network.start(try request(), sink: sink)
      clock.advance(bySeconds: seconds)
      sink.demand = .more
      network.setPaused(false, transfer)
      clock.advance(bySeconds: 1)
      #expect(sink.hasEnded == isAlive && (sink.failure?.kind == .lost) == !isAlive)
    }
  }

  @Test("a station's metadata takes no time from its audio")
  func stationTimes() {
    let stream = MarkedStream(song: 1, length: nil, sampleRate: 8_000, bitRate: 16_000)
    let titles = (0..<20).map {
      (key: Duration.seconds($0 * 4), value: String(repeating: "x", count: 200 + $0))
    }
    let station = MarkedStation(stream: stream, name: "Lab", titles: titles, burst: .zero)
    let start = HostTime(nanoseconds: 0)
    let plain = StationBody(station, at: start, wantsMetadata: false)
    var full = StationBody(station, at: start, wantsMetadata: true)
    for number in 1...10 {
      let due = plain.moment(of: number * MarkedStation.interval)
      #expect(full.moment(of: MarkedStation.interval) == due)
      _ = full.take(MarkedStation.interval)
      let length = Int(full.take(1)[0]) * 16
      #expect(length > 200 && full.moment(of: length) == due)
      _ = full.take(length)
    }
  }

  @Test("random piece sizes are those of the seed")
  func seeds() throws {
    serve()
    network.link.pieces = 1...5_000
    let sizes = try [1, 1, 2].map { (seed: UInt64) in
      network.seed(seed)
      return fetch(try request()).bodies.map(\.count)
    }
    #expect(sizes[0] == sizes[1] && sizes[0] != sizes[2])
  }

  @Test("a song's frames are where its bit rate puts them, and any part of its bytes is the same")
  func stream() {
    let stream = MarkedStream(song: 3, length: 100_000, sampleRate: 44_100, bitRate: 128_000)
    let whole = stream.bytes(0..<stream.byteCount)
    #expect(stream.byteCount == 87 * 1_152 * 16_000 / 44_100)
    var random = RandomSource(seed: 1)
    for _ in 0..<1_000 {
      let start = random.below(whole.count)
      let end = min(whole.count, start + random.below(3_000))
      #expect(stream.bytes(Int64(start)..<Int64(end)) == Array(whole[start..<end]))
    }
    #expect(whole.allSatisfy { $0 < 0x80 })
  }
}
