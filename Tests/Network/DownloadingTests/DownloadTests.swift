import Clocks
import ContinuoTesting
import Downloading
import Glibc
import TestSupport
import Testing
import Transfer

@Suite("Downloads in virtual time")
struct DownloadTests {
  private static let bytes: [UInt8] = {
    var random = RandomSource(seed: 7)
    return random.bytes(2_000_000)
  }()

  private let bench: Bench
  private var content: [UInt8] { Self.bytes }

  init() throws { bench = try Bench() }

  /// Serves the bytes with a tag; 50 KB a second, so 40 s for all.
  private func serve(_ tag: String? = "\"1\"", _ bytes: [UInt8] = Self.bytes) {
    bench.network.serve(.data(bytes, etag: tag), at: Bench.address)
    bench.network.link = .init(bytesPerSecond: 50_000)
  }

  @Test func fileIsThereWhenItIsWholeAndNothingElse() throws {
    serve()
    try bench.begin()
    bench.advance(5)
    #expect(
      bench.names == ["a.bin.part", "a.bin.part.record"]
        && bench.folder.mode(of: "a.bin.part.record") == 0o600)
    bench.advance(36)
    #expect(
      bench.events == ["206", "finished 2000000"] && bench.result == content && bench.names == ["a.bin"])
    #expect(bench.progress.last == 2_000_000 && bench.progress == bench.progress.sorted())
    // At most twice a second.
    #expect((60...85).contains(bench.progress.count))
    #expect(
      bench.network.requests.map { $0["Accept"] } == ["*/*"]
        && bench.network.requests[0]["Icy-MetaData"] == nil)
  }

  @Test("an empty file, and one of a server that tells no length") func others() throws {
    serve("\"1\"", [])
    try bench.begin()
    #expect(bench.events == ["416", "finished 0"] && bench.result == [])
    unlink(bench.place.target)
    serve(nil, Array(content[..<100]))
    bench.network.host("files.test").tellsNoLength()
    bench.network.host("files.test").ignoresRanges()
    try bench.begin()
    bench.advance(1)
    #expect(bench.events == ["200", "finished 100"] && bench.result == Array(content[..<100]))
  }

  // MARK: Going on

  @Test("killed after 25 s: what was recorded within 10 s is not fetched again, but for 64 KiB")
  func killed() throws {
    serve()
    try bench.begin()
    bench.advance(25)
    #expect(bench.requests == [0])
    bench.kill()
    let recorded = try #require(bench.recorded)
    #expect((950_000...1_010_000).contains(recorded))
    try bench.begin()
    bench.advance(30)
    #expect(bench.events == ["206", "resumed \(recorded)", "finished 2000000"] && bench.result == content)
    let request = try #require(bench.network.requests.last)
    #expect(request.range == "bytes=\(recorded - 65_536)-" && request["If-Range"] == "\"1\"")
    #expect(bench.requests == [recorded])
    #expect(bench.progress.first ?? 0 > recorded && bench.names == ["a.bin"])
  }

  @Test("stopped: every byte that came is recorded") func stopped() throws {
    serve()
    try bench.begin()
    bench.advance(3)
    bench.stop()
    let recorded = try #require(bench.recorded)
    #expect(bench.events == ["206", "stopped \(recorded)"] && recorded >= 145_000)
    #expect(bench.network.connectionCount == 0)
    try bench.begin()
    bench.advance(40)
    #expect(bench.events.contains("resumed \(recorded)") && bench.result == content)
  }

  @Test("ended: every byte that came is recorded, without an event") func ended() throws {
    serve()
    try bench.begin()
    bench.advance(3)
    bench.end()
    let recorded = try #require(bench.recorded)
    #expect(bench.events == ["206"] && recorded >= 145_000)
    bench.end()
    try bench.begin()
    bench.advance(40)
    #expect(bench.events.contains("resumed \(recorded)") && bench.result == content)
    bench.end()
    #expect(bench.names == ["a.bin"])
  }

  @Test("stopped before the first byte: nothing is left") func stoppedEarly() throws {
    serve()
    bench.network.host("files.test").answers(after: .seconds(5))
    try bench.begin()
    bench.advance(1)
    bench.stop()
    #expect(bench.events == ["stopped 0"] && bench.names == [])
  }

  @Test("8 MiB are recorded at once however fast they came") func fast() throws {
    bench.network.serve(.data([UInt8](repeating: 1, count: 20 << 20), etag: "\"1\""), at: Bench.address)
    bench.network.link = .init(bytesPerSecond: 10 << 20, pieces: 65_536...65_536)
    try bench.begin()
    bench.advance(0.9)
    #expect(bench.recorded == 8 << 20)
    bench.advance(0.8)
    #expect(bench.recorded == 16 << 20)
    bench.advance(1)
    #expect(bench.events.last == "finished 20971520")
  }

  @Test("whole on the disk, only not named: no request is made") func unnamed() throws {
    serve()
    try bench.begin()
    bench.advance(39.9)
    try bench.folder.write("a.bin", "another")
    bench.advance(1)
    #expect(bench.events.last == "failed: \(bench.place.target) is there already")
    #expect(bench.result == Array("another".utf8) && bench.recorded == 2_000_000)
    unlink(bench.place.target)
    try bench.begin()
    #expect(bench.events == ["resumed 2000000", "finished 2000000"] && bench.result == content)
    #expect(bench.network.requests.count == 1)
  }

  @Test("suspended for an hour: no request, then on") func suspended() throws {
    serve()
    bench.network.host("files.test").closesIdle(after: .seconds(60))
    try bench.begin()
    bench.advance(10)
    bench.download?.setSuspended(true)
    bench.advance(1)
    let requests = bench.network.requests.count
    let there = bench.progress.last
    bench.advance(3_600)
    #expect(bench.network.requests.count == requests && bench.progress.last == there)
    bench.download?.setSuspended(false)
    bench.advance(40)
    #expect(bench.result == content && bench.network.requests.count == requests + 1)
  }

  @Test("suspended before its connection is there, and offline") func suspendedEarly() throws {
    serve()
    bench.network.goOffline(for: .seconds(10))
    try bench.begin()
    bench.download?.setSuspended(true)
    bench.advance(1_000)
    #expect(
      bench.network.requests.count == 1 && bench.download != nil && bench.events.count { $0 != "retry" } == 0)
    bench.download?.setSuspended(false)
    bench.advance(41)
    #expect(bench.result == content)
  }

  // MARK: Other versions

  @Test(
    "another version on the server: begins anew, whatever tells it apart",
    arguments: [("\"1\"", "\"2\""), (nil, nil), ("W/\"1\"", "W/\"2\""), ("\"1\"", "\"1\"")]
      as [(String?, String?)],
    [true, false])
  func changed(_ tags: (String?, String?), hasRanges: Bool) throws {
    serve(tags.0)
    if !hasRanges { bench.network.host("files.test").ignoresRanges() }
    try bench.begin()
    bench.advance(25)
    bench.kill()
    let other = Array(content.reversed())
    serve(tags.1, other)
    try bench.begin()
    bench.advance(60)
    #expect(bench.events.contains("changed") && bench.result == other)
  }

  @Test("a weak tag tells versions apart that have the same bytes where they are compared") func weak() throws
  {
    serve("W/\"1\"")
    try bench.begin()
    bench.advance(25)
    bench.kill()
    let other = content[..<100_000].reversed() + content[100_000...]
    serve("W/\"2\"", Array(other))
    try bench.begin()
    bench.advance(60)
    #expect(bench.events.contains("changed") && bench.result == Array(other))
  }

  @Test("killed while another version comes") func changedTwice() throws {
    serve()
    try bench.begin()
    bench.advance(25)
    bench.kill()
    serve("\"2\"", Array(content.reversed()))
    try bench.begin()
    bench.advance(3)
    bench.kill()
    #expect(bench.recorded == 0)
    serve()
    try bench.begin()
    bench.advance(60)
    #expect(bench.result == content)
  }

  @Test("killed before its bytes were recorded: none of them follows a shorter version")
  func unrecordedBytesDoNotFollowAShorterVersion() throws {
    serve()
    try bench.begin()
    bench.advance(5)
    bench.kill()
    #expect(bench.recorded == 0)
    try #require(try bench.folder.read("a.bin.part").count > 100)
    serve("\"2\"", Array(content[..<100]))
    try bench.begin()
    bench.advance(5)
    #expect(bench.result == Array(content[..<100]))
  }

  @Test("another version at each request: given up") func unsteady() throws {
    for number in 1...40 {
      var random = RandomSource(seed: UInt64(number))
      bench.network.serve(
        .data(random.bytes(200_000), etag: "\"\(number)\""), at: "http://files.test/\(number)")
    }
    bench.network.host("files.test").closes(every: 30_000)
    bench.network.link = .init(bytesPerSecond: 50_000)
    for number in 1...40 {
      bench.network.serve(.redirect(to: "/\(number)"), at: Bench.address)
      if number == 1 { try bench.begin() }
      bench.advance(1)
    }
    #expect(bench.events.count { $0 == "changed" } == NetworkLimits.versions)
    #expect(bench.events.last == "failed: files.test has another version of it each time")
    #expect(bench.result == nil)
  }

  // MARK: Failures

  @Test func notFoundLeavesNothing() throws {
    try bench.begin("http://files.test/b.bin")
    bench.advance(1)
    #expect(bench.events.last?.hasPrefix("failed: files.test") == true && bench.names == [])
    bench.network.serve(.status(404), at: Bench.address)
    try bench.begin()
    bench.advance(1)
    #expect(bench.events == ["404", "failed: files.test answered 404"] && bench.names == [])
  }

  @Test("given up after a minute without a byte; what came is kept; with infinity never")
  func patience() throws {
    serve()
    try bench.begin()
    bench.advance(5)
    bench.network.goOffline()
    bench.advance(100)
    #expect(bench.events.last?.hasPrefix("failed") == true && bench.recorded ?? 0 > 200_000)
    var policy = DownloadPolicy()
    policy.times.giveUp = .infinity
    try bench.begin(policy: policy)
    bench.advance(86_400)
    #expect(bench.events.allSatisfy { $0 == "retry" })
    bench.network.goOffline(for: .zero)
    bench.advance(60)
    #expect(bench.result == content)
  }

  // MARK: Files of others

  @Test func filesOfOthersAreLeftAlone() throws {
    serve()
    try bench.folder.write("a.bin", "mine")
    try bench.begin()
    #expect(bench.events == ["failed: \(bench.place.target) is there already"] && bench.names == ["a.bin"])
    unlink(bench.place.target)
    try bench.folder.write("a.bin.part", "mine")
    try bench.begin()
    #expect(bench.events.count == 1 && bench.names == ["a.bin.part"])
    #expect(try bench.folder.read("a.bin.part") == Array("mine".utf8))
    unlink(bench.place.part)
    try bench.folder.write("b", "mine")
    try bench.folder.link("a.bin.part", to: "b")
    try bench.begin()
    #expect(bench.events.count == 1)
    #expect(try bench.folder.read("b") == Array("mine".utf8))
    #expect(bench.network.requests.isEmpty)
  }

  @Test func partOfAnotherURLIsLeftAlone() throws {
    serve()
    try bench.begin()
    bench.advance(5)
    bench.stop()
    bench.network.serve(.data(content), at: "http://files.test/b?secret")
    try bench.begin("http://files.test/b?secret")
    #expect(bench.events == ["failed: \(bench.place.part) is there already, from \(Bench.address)"])
    #expect(bench.recorded ?? 0 > 200_000)
  }

  @Test("replaced when that is wished") func replaced() throws {
    serve()
    try bench.folder.write("a.bin", "mine")
    var policy = DownloadPolicy()
    policy.replacesFile = true
    try bench.begin(policy: policy)
    bench.advance(20)
    #expect(bench.result == Array("mine".utf8))
    bench.advance(21)
    #expect(bench.result == content)
  }

  @Test("two of one target: the second is refused, and has it when the first one has ended") func busy()
    throws
  {
    serve()
    try bench.begin()
    bench.advance(5)
    let first = bench.download
    try bench.begin()
    #expect(bench.events == ["failed: \(bench.place.target) is being downloaded already"])
    first?.stop()
    bench.advance(1)
    try bench.begin()
    bench.advance(40)
    #expect(bench.result == content)
  }

  @Test("a folder that is not there") func disks() throws {
    serve()
    bench.folder.remove()
    try bench.begin()
    #expect(bench.events == ["failed: cannot write \(bench.place.part): No such file or directory"])
    #expect(bench.network.requests.isEmpty)
  }

  // MARK: Any moment

  @Test(
    "Kills, power cuts and stops at any moment, the file changed in half of them: always one whole version",
    arguments: UInt64(0)..<40)
  func walk(_ seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let bench = try Bench()
    let size = 1 + random.below(1_000_000)
    var version = 0
    var bytes: [UInt8] = []
    let tagging = random.below(3)
    func serve() {
      version += 1
      bytes = Array(Self.bytes[(version * 1_000)...].prefix(size + (random.below(2) == 0 ? 0 : version)))
      let tag: String? = tagging == 0 ? nil : (tagging == 1 ? "" : "W/") + "\"\(version)\""
      bench.network.serve(.data(bytes, etag: tag), at: Bench.address)
    }
    serve()
    bench.network.seed(seed)
    bench.network.link = .init(bytesPerSecond: 10_000 + random.below(90_000), pieces: 1...20_000)
    if random.below(3) == 0 { bench.network.host("files.test").ignoresRanges() }
    if random.below(2) == 0 {
      bench.network.host("files.test").resets(every: 30_000 + random.below(300_000))
    }
    for _ in 0..<random.below(6) {
      try bench.begin()
      bench.advance(Double(random.below(30_000)) / 1_000)
      switch random.below(3) {
      case 0: bench.kill()
      case 1: bench.cutPower(&random)
      default: bench.stop()
      }
      if bench.result != nil { break }
      if random.below(2) == 0 { serve() }
    }
    if bench.result == nil {
      bench.network.host("files.test").recovers()
      try bench.begin()
      bench.advance(300)
      #expect(bench.events.last == "finished \(bytes.count)", "seed \(seed): \(bench.events)")
    }
    #expect(bench.result == bytes && bench.names == ["a.bin"], "seed \(seed), version \(version)")
  }
}
