import Clocks
import TestSupport
import Testing
import Transfer

@Suite("Retrying, limits, reading ahead")
struct RetryTests {
  private let file: FileServer = {
    var random = RandomSource(seed: 5)
    return FileServer(content: random.bytes(300_000))
  }()

  @Test(
    "delays grow from 0.25 s to 15 s, a tenth more or less; an item is given up after 60 s without a byte")
  func delays() throws {
    var world = try MachineWorld { _, _ in
      .init(
        head: ResponseHead(status: 200), wait: 0, refusal: .failure(TransferFailure(.refused, "h refuses")))
    }
    world.run(until: 100)
    let gaps = zip(world.starts, world.starts.dropFirst()).map { $1 - $0 }
    let expected = [0.25, 0.5, 1, 2, 4, 8, 15, 15]
    #expect(gaps.count == expected.count)
    for (gap, wanted) in zip(gaps, expected) { #expect(abs(gap - wanted) <= wanted * 0.1 + 0.001) }
    #expect(Set(gaps.map { Int($0 * 1e6) % 250_000 }).count > 1)
    #expect(world.failure?.kind == .refused && world.notes.last?.at == 60)
  }

  @Test(
    "16 KiB of new bytes: the next connection begins at once; one byte less: 0.25 s later, and never later than that"
  )
  func goodConnections() throws {
    for (cut, isGood) in [(16_384, true), (16_383, false)] {
      var world = try MachineWorld { [file] request, number in
        var answer = file.answer(request)
        // Behind the overlap.
        let overlap = number == 1 ? 0 : overlap(of: request, number, cut: cut)
        answer.cut = cut + overlap
        return answer
      }
      world.run(until: 60)
      let gaps = zip(world.starts, world.starts.dropFirst()).map { $1 - $0 }
      #expect(world.complete && world.holds(file.content))
      #expect(gaps.allSatisfy { (isGood ? 0..<0.2 : 0.22..<0.35).contains($0) }, "\(gaps)")
    }
  }

  @Test("after a good connection the delays grow from 0.25 s again")
  func goodConnectionForgetsFailures() throws {
    var world = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      if number == 4 {
        answer.cut = 100_000
      } else if number < 6 {
        answer.wait = 0
        answer.refusal = .failure(TransferFailure(.refused, "h refuses"))
      }
      return answer
    }
    world.run(until: 60)
    let gaps = zip(world.starts, world.starts.dropFirst()).map { $1 - $0 }
    try #require(gaps.count == 5)
    #expect((0.22..<0.35).contains(gaps[4]), "\(gaps)")
    #expect(world.complete && world.holds(file.content))
  }

  /// How many stored bytes an answer begins with.
  private func overlap(of request: TransferRequest, _ number: Int, cut: Int) -> Int {
    let first = Int(request.fields["Range"]?.dropFirst(6).dropLast() ?? "0") ?? 0
    return (number - 1) * cut - first
  }

  @Test("a server that cuts after 4,099 bytes is read to the end")
  func tinyConnections() throws {
    var world = try MachineWorld { [file] request, _ in
      var answer = file.answer(request)
      answer.cut = 4_099
      return answer
    }
    world.run(until: 60)
    #expect(world.complete && world.holds(file.content) && world.storedTwice == 0)
  }

  @Test(
    "a server that always cuts at the same byte is asked at most 12 times in 10 s, and given up after 60 s")
  func sameByte() throws {
    var plain = file
    plain.hasRanges = false
    var world = try MachineWorld { [plain] request, _ in
      var answer = plain.answer(request)
      answer.cut = 200_000
      return answer
    }
    world.run(until: 300)
    #expect(world.failure?.kind == .lost && world.store.bytes.count == 200_000)
    for start in world.starts { #expect(world.starts.count { $0 >= start && $0 < start + 10 } <= 12) }
    #expect(try #require(world.notes.last).at < 64)
  }

  @Test("never more than 10 requests a second, however fast the connections end")
  func pace() throws {
    let big = FileServer(content: [UInt8](repeating: 7, count: 2_000_000))
    var world = try MachineWorld { request, _ in
      var answer = big.answer(request)
      answer.cut = 30_000
      answer.wait = 0
      answer.pace = 0
      return answer
    }
    world.run(until: 60)
    #expect(world.complete)
    for start in world.starts { #expect(world.starts.count { $0 >= start && $0 < start + 0.999 } <= 10) }
  }

  @Test("no host gets more than 10 requests within any second, whoever asks; other hosts wait for nobody")
  func paceOfHosts() {
    var pace = RequestPace()
    let start = HostTime(nanoseconds: 5_000_000_000)
    var now = start
    let moments = (0..<35).map { index in
      now = pace.moment(of: "h", at: max(now, start.advanced(bySeconds: Double(index) * 0.01)))
      pace.record("h", at: now)
      return now.seconds(since: start)
    }
    #expect(moments == moments.sorted() && moments[..<10].last == 0.09)
    for (moment, later) in zip(moments, moments.dropFirst(10)) { #expect(later - moment >= 1 - 1e-9) }
    #expect(abs(moments[34] - 3.04) < 1e-9)
    #expect(pace.moment(of: "other", at: start) == start)
    let end = start.advanced(bySeconds: 10)
    #expect(pace.moment(of: "h", at: end) == end)
  }

  @Test("requests that are cancelled while they wait delay no other")
  func paceOfCancelled() {
    var pace = RequestPace()
    let start = HostTime(nanoseconds: 5_000_000_000)
    for _ in 0..<10 { pace.record("h", at: start) }
    for _ in 0..<1_000 { #expect(pace.moment(of: "h", at: start).seconds(since: start) == 1) }
  }

  @Test(
    "a name that does not exist ends a medium at once, one that cannot be looked up after 60 s; a known one is tried on"
  )
  func names() throws {
    for (kind, isTried) in [(TransferFailure.Kind.hostNotFound, false), (.hostUnresolved, true)] {
      var world = try MachineWorld { _, _ in
        .init(
          head: ResponseHead(status: 200), wait: 0,
          refusal: .failure(TransferFailure(kind, "h was not found")))
      }
      world.run(until: 100)
      #expect((world.starts.count > 1) == isTried)
      #expect(world.failure?.kind == kind && world.notes.last?.at == (isTried ? 60 : 0))
    }
  }

  @Test("a host that takes no connection: 10 s; that does not answer: 20 s; that stops sending: 15 s")
  func limits() throws {
    var connecting = try MachineWorld { _, _ in .init(head: ResponseHead(status: 200), wait: 1_000) }
    connecting.run(until: 30)
    #expect(connecting.firstRetry.map { Int($0.rounded()) } == 10)

    var silent = try MachineWorld { _, _ in .init(head: ResponseHead(status: 200), wait: 0, pace: 1_000) }
    silent.run(until: 30)
    #expect(silent.firstRetry.map { Int($0.rounded()) } == 20)

    var hanging = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      if number == 1 {
        answer.cut = 100_000
        answer.endingWhenCut = nil
      }
      return answer
    }
    hanging.run(until: 40)
    #expect(try #require(hanging.firstRetry) > 15 && #require(hanging.firstRetry) < 15.1)
    #expect(hanging.complete && hanging.holds(file.content))
  }

  @Test("reading ahead pauses with enough and goes on with too few; a paused transfer has no limit of time")
  func readingAhead() throws {
    var world = try MachineWorld { [file] request, _ in
      var answer = file.answer(request)
      answer.piece = 1_000
      return answer
    }
    world.readsOn = false
    world.tell(.readAhead(ReadAhead(enough: 50_000, tooFew: 30_000)))
    world.run(until: 500)
    #expect(world.pauses == [true] && world.store.bytes.count == 50_000 && world.requests.count == 1)
    world.tell(.read(from: 19_999))
    #expect(world.pauses == [true])
    world.tell(.read(from: 20_000))
    #expect(world.pauses == [true, false])
    world.run(until: 600)
    #expect(world.pauses == [true, false, true] && world.store.bytes.count == 70_000)
  }

  @Test(
    "what the server ended while nobody wanted more is resumed when it is wanted, at once, and nobody is told"
  )
  func endedWhilePaused() throws {
    var world = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      answer.piece = 1_000
      return answer
    }
    world.readsOn = false
    world.tell(.readAhead(ReadAhead(enough: 50_000, tooFew: 30_000)))
    world.run(until: 100)
    world.tell(.event(.failure(TransferFailure(.lost, "the server closes idle connections")), attempt: 1))
    world.run(until: 200)
    #expect(world.requests.count == 1 && world.retries == 0)
    world.readsOn = true
    world.tell(.read(from: 40_000))
    world.run(until: 300)
    #expect(world.requests.count == 2 && world.retries == 0 && world.complete && world.starts[1] == 200)
  }

  @Test(
    "a jump ahead by less than 256 KiB waits for what runs; one of more, and one back into a hole, ask anew")
  func jumps() throws {
    var random = RandomSource(seed: 9)
    let big = FileServer(content: random.bytes(2_000_000))
    var world = try MachineWorld { request, _ in
      var answer = big.answer(request)
      answer.piece = 1_000
      answer.pace = 0.01
      return answer
    }
    world.readsOn = false
    world.run(until: 1)
    let position = Int64(world.store.bytes.count)
    world.tell(.read(from: position + 262_144))
    #expect(world.requests.count == 1)
    world.tell(.read(from: position + 262_145))
    world.run(until: 1.5)
    #expect(world.ranges.last == "bytes=\(position + 262_145)-" + " if \"1\"")
    // Into what is stored: no request.
    world.tell(.read(from: 5_000))
    world.run(until: 1.8)
    world.readsOn = true
    world.run(until: 200)
    #expect(world.holds(big.content) && world.complete && world.storedTwice == 0)
    #expect(world.requests.count <= 5)
    let before = world.requests.count
    world.tell(.read(from: 123))
    world.run(until: 210)
    #expect(world.requests.count == before)
  }

  @Test(
    "a connection that was being made or asked has its whole time after a suspension",
    arguments: [true, false])
  func suspension(isConnecting: Bool) throws {
    let server = FileServer(content: [1, 2, 3])
    var world = try MachineWorld { request, _ in
      var answer = server.answer(request)
      (answer.wait, answer.pace) = isConnecting ? (105, 0.01) : (0.01, 110)
      return answer
    }
    world.run(until: 1)
    world.tell(.suspend(true))
    world.run(until: 100)
    world.tell(.suspend(false))
    // Said again, it gives no more time.
    world.run(until: 104)
    world.tell(.suspend(false))
    world.run(until: isConnecting ? 106 : 115)
    #expect(world.retries == 0 && world.requests.count == 1)
  }

  @Test("a server that stays silent after a suspension has no more than its time", arguments: [true, false])
  func silentAfterSuspension(isConnecting: Bool) throws {
    let server = FileServer(content: [1, 2, 3])
    var world = try MachineWorld { request, _ in
      var answer = server.answer(request)
      (answer.wait, answer.pace) = isConnecting ? (1_000, 0.01) : (0.01, 1_000)
      return answer
    }
    world.run(until: 1)
    world.tell(.suspend(true))
    world.run(until: 100)
    world.tell(.suspend(false))
    world.run(until: 104)
    world.tell(.suspend(false))
    let limit = isConnecting ? TransferTimes().connect : TransferTimes().firstByte
    world.run(until: 100 + limit - 0.1)
    #expect(world.retries == 0)
    world.run(until: 100 + limit + 0.1)
    #expect(world.retries == 1)
  }
}

extension MachineWorld {
  /// When the first connection was given up.
  var firstRetry: Double? { notes.first { if case .retry = $0.note { true } else { false } }?.at }
}
