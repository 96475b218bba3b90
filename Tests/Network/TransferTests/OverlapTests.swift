import Clocks
import Foundation
import TestSupport
import Testing
import Transfer

@Suite("What ties connections to each other")
struct OverlapTests {
  private static let bytes: [UInt8] = {
    var random = RandomSource(seed: 11)
    return random.bytes(300_000)
  }()

  /// A world whose connections bring so many bytes, the rest of them everything.
  private func world(_ cuts: [Int]) throws -> MachineWorld {
    let file = FileServer(content: Self.bytes, tag: nil)
    return try MachineWorld { request, number in
      var answer = file.answer(request)
      if number <= cuts.count { answer.cut = cuts[number - 1] }
      return answer
    }
  }

  /// How many stored bytes each request asked for again.
  private func overlaps(_ cuts: [Int]) throws -> [Int] {
    var world = try world(cuts)
    world.run(until: 100)
    #expect(world.complete && world.holds(Self.bytes) && world.storedTwice == 0)
    var edge = 0
    var overlaps: [Int] = []
    for (index, request) in world.requests.enumerated() {
      let first = Int(request.fields["Range"]?.dropFirst(6).dropLast() ?? "") ?? 0
      overlaps.append(edge - first)
      if index < cuts.count { edge = max(edge, first + cuts[index]) }
    }
    return overlaps
  }

  @Test("one tiny connection, or two, change nothing: 4 KiB are compared")
  func tiny() throws {
    for count in [0, 1, 15, 16, 4_095, 4_096] {
      #expect(try overlaps([100_000, count, count]) == [0, 4_096, 4_096, 4_096])
      #expect(
        try overlaps([100_000, count, 20_000, count, count, 20_000, count]).allSatisfy {
          [0, 4_096].contains($0)
        })
    }
  }

  @Test("after three in a row a quarter of what the best of them brought, and 256 bytes at least")
  func manyTiny() throws {
    #expect(try overlaps([100_000, 4_000, 100, 3_000]).last == 1_000)
    #expect(try overlaps([100_000, 100, 100, 100]).last == 256)
    #expect(try overlaps([100_000, 0, 0, 0]).last == 256)
    #expect(try overlaps([100_000, 16_383, 16_383, 16_383]).last == 4_095)
    #expect(try overlaps([100_000, 1_000, 1_000, 1_000, 5_000]).suffix(2) == [256, 1_250])
    #expect(try overlaps([100_000, 1_000, 1_000, 1_000, 20_000]).suffix(2) == [256, 4_096])
  }

  @Test("what another process stored is compared by 64 KiB until something new came")
  func restart() throws {
    var stored = MachineWorld.Store()
    stored.put(Self.bytes[..<200_000], at: 0)
    var machine = TransferMachine(
      url: try WebURL.read("http://h/a").url, settings: RequestSettings(userAgent: "C"), seed: 1,
      now: HostTime(nanoseconds: 0))
    var now = HostTime(nanoseconds: 0)
    _ = machine.handle(.read(from: 200_000), at: now, store: stored)
    for attempt in 1...2 {
      let head = ResponseHead(status: 206, fields: [("Content-Range", "bytes 134464-299999/300000")])
      for event: TransferEvent in [.head(head), .body(Array(Self.bytes[134_464..<150_000]))] {
        _ = machine.handle(.event(event, attempt: attempt), at: now, store: stored)
      }
      _ = machine.handle(
        .event(.failure(TransferFailure(.lost, "cut")), attempt: attempt), at: now, store: stored)
      now = now.advanced(bySeconds: 20)
      let commands = machine.handle(.time, at: now, store: stored)
      #expect(commands.contains(.note(.request(from: 134_464, attempt: attempt + 1))))
    }
  }

  @Test("a server that closes after 600 bytes is read to the end, by at most 10 requests a second")
  func least() throws {
    let file = FileServer(content: Array(Self.bytes[..<20_000]), tag: nil)
    var world = try MachineWorld { request, _ in
      var answer = file.answer(request)
      answer.cut = 600
      return answer
    }
    world.run(until: 100)
    #expect(world.complete && world.holds(file.content))
    for start in world.starts { #expect(world.starts.count { $0 >= start && $0 < start + 0.999 } <= 10) }
  }

  @Test(
    "a reader that jumps about, of two versions without a name: never both in bytes that it can read on through"
  )
  func jumps() throws {
    let rounds = UInt64(Rounds.count(200))
    let versions = [Self.bytes, Self.bytes.map { ~$0 }]
    var joined = 0
    for seed in 0..<rounds {
      var random = RandomSource(seed: seed)
      let size = 20_000 + random.below(100_000)
      let tag: String? = random.below(2) == 0 ? nil : "\"1\""
      let servers = versions.map { FileServer(content: Array($0[..<size]), tag: tag) }
      var version = 0
      var world = try MachineWorld(seed: seed) { request, number in
        if number < 40, random.below(3) == 0 { version = 1 - version }
        var answer = servers[version].answer(request)
        answer.piece = 1 + random.below(20_000)
        if number < 40, random.below(2) == 0 { answer.cut = random.below(random.below(2) == 0 ? 50 : 30_000) }
        return answer
      }
      world.readsOn = false
      for _ in 0..<(2 + random.below(6)) {
        world.tell(.read(from: Int64(random.below(size))))
        world.run(until: world.now.seconds + Double(random.below(100)) / 100)
      }
      world.tell(.read(from: 0))
      world.readsOn = true
      world.run(until: 500)
      for range in world.store.intervals.ranges {
        let bytes = range.lowerBound..<range.upperBound
        let isOfOne = versions.contains { version in
          version[Int(bytes.lowerBound)..<Int(bytes.upperBound)]
            == world.store.bytes[Int(bytes.lowerBound)..<Int(bytes.upperBound)]
        }
        #expect(isOfOne, "seed \(seed)")
      }
      if world.complete { joined += 1 }
    }
    #expect(joined > 0, "\(joined) of \(rounds) came to the end")
  }
}
