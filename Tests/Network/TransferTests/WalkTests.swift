import Clocks
import TestSupport
import Testing
import Transfer

@Suite("Random walks of transfers")
struct WalkTests {
  private static let bytes: [UInt8] = {
    var random = RandomSource(seed: 77)
    return random.bytes(400_000)
  }()

  @Test("Random cuts and pieces: every byte is there, none twice", arguments: 0..<10)
  func cuts(_ part: Int) throws {
    for seed in Rounds.seeds(25).map({ $0 * 10 + UInt64(part) }) {
      var random = RandomSource(seed: seed)
      var server = FileServer(content: Array(Self.bytes.prefix(1 + random.below(400_000))))
      server.hasRanges = random.below(4) > 0
      server.hasLength = random.below(4) > 0 || server.hasRanges
      server.tag = random.below(3) == 0 ? nil : "\"x\""
      let cuts = random.below(12)
      // A server that brings nothing new for a minute is given up, which is not what this is about.
      var times = TransferTimes()
      times.giveUp = 1_000
      var world = try MachineWorld(times: times, seed: seed) { request, number in
        var answer = server.answer(request)
        answer.piece = 1 + random.below(65_536)
        answer.wait = Double(random.below(100)) / 100
        if number <= cuts {
          answer.cut = random.below(100_000)
          // A clean end where no length is announced is the end: only a failure is none.
          switch random.below(server.hasLength ? 5 : 3) {
          case 0: answer.endingWhenCut = nil
          case 1: answer.refusal = .failure(TransferFailure(.hostUnresolved, ""))
          case 2, 3: break
          default: answer.endingWhenCut = .end
          }
        }
        return answer
      }
      // The reader jumps about at first.
      world.readsOn = false
      for _ in 0..<random.below(4) {
        world.tell(.read(from: Int64(random.below(server.content.count))))
        world.run(until: world.now.seconds + Double(random.below(200)) / 100)
      }
      world.tell(.read(from: 0))
      world.readsOn = true
      world.run(until: 3_000)
      let isWhole = world.holds(server.content) && world.machine.total == Int64(server.content.count)
      #expect(
        isWhole && world.storedTwice == 0, "seed \(seed): \(world.machine.outcome as Any), \(world.ranges)")
    }
  }

  @Test("another version at a random moment is found, and nothing of it is stored", arguments: 0..<4)
  func versions(_ part: Int) throws {
    for seed in UInt64(part * 100)..<UInt64(part * 100 + 100) {
      var random = RandomSource(seed: seed)
      var first = FileServer(content: Array(Self.bytes[..<200_000]))
      var second = FileServer(content: Array(Self.bytes[200_000...]))
      first.tag = random.below(2) == 0 ? nil : "\"1\""
      second.tag = random.below(2) == 0 ? first.tag : "\"2\""
      second.hasRanges = random.below(2) == 0
      let swap = 2 + random.below(3)
      var world = try MachineWorld(seed: seed) { request, number in
        var answer = (number < swap ? first : second).answer(request)
        if number < swap { answer.cut = 20_000 + random.below(20_000) }
        answer.piece = 1 + random.below(20_000)
        return answer
      }
      world.run(until: 300)
      #expect(world.machine.outcome == .changed && world.requests.count == swap, "seed \(seed)")
      #expect(Array(first.content.prefix(world.store.bytes.count)) == world.store.bytes, "seed \(seed)")
    }
  }

  @Test(
    "Mutated answers: no crash, no more requests than allowed, no bytes out of order",
    arguments: 0..<8)
  func mutations(_ part: Int) throws {
    for seed in Rounds.seeds(500).map({ $0 * 8 + UInt64(part) }) {
      var random = RandomSource(seed: seed)
      let content = Array(Self.bytes.prefix(random.below(3_000)))
      let server = FileServer(content: content, hasRanges: random.below(2) == 0)
      var world = try MachineWorld(seed: seed) { request, _ in
        var answer = server.answer(request)
        for _ in 0..<random.below(4) { Self.spoil(&answer, &random) }
        return answer
      }
      if random.below(3) == 0 { world.tell(.expect(total: Int64(random.below(6_000)))) }
      world.run(until: 3, steps: 5_000)
      world.tell(.read(from: Int64(random.below(4_000))))
      world.tell(random.pick([.hold(true), .treatAsLive, .withoutMetadata, .time, .time]))
      world.run(until: 20, steps: 20_000)
      #expect(world.requests.count <= 60, "seed \(seed)")
      #expect(world.storedTwice == 0, "seed \(seed)")
      #expect(world.store.bytes.count <= 400_000, "seed \(seed)")
    }
  }

  private static func spoil(_ answer: inout MachineWorld.Answer, _ random: inout RandomSource) {
    let numbers = [
      "0", "-1", "1", "999", "4611686018427387904", "9223372036854775807", "99999999999999999999", "x", "",
    ]
    switch random.below(12) {
    case 0: answer.head.status = 100 + random.below(500)
    case 1: answer.head.fields.set("Content-Length", random.pick(numbers))
    case 2:
      let range = "bytes \(random.pick(numbers))-\(random.pick(numbers))/\(random.pick(numbers + ["*"]))"
      answer.head.fields.set("Content-Range", range)
    case 3: answer.head.fields.remove(random.pick(["Content-Range", "Content-Length", "ETag"]))
    case 4: answer.head.fields.set("Content-Encoding", random.pick(["gzip", "identity", "x"]))
    case 5: answer.head.fields.set("icy-metaint", random.pick(numbers))
    case 6:
      answer.head.fields.set(
        "Location", random.pick(["/", "http://x/", "https://h/a.mp3", "ftp://x", "::", ""]))
    case 7: answer.head.fields.set("Retry-After", random.pick(numbers))
    case 8: answer.cut = random.below(3_000)
    case 9: answer.endingWhenCut = random.pick([.end, nil, .failure(TransferFailure(.tls, ""))])
    case 10: answer.body += random.bytes(random.below(2_000))
    default:
      answer.ending = random.pick([.failure(TransferFailure(.lost, "")), .head(answer.head), .end, nil])
    }
    answer.piece = 1 + random.below(2_000)
  }
}
