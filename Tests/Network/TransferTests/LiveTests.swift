import Clocks
import TestSupport
import Testing
import Transfer

@Suite("Live streams")
struct LiveTests {
  private static func stream(_ count: Int, seed: UInt64, interval: Int?) -> (body: [UInt8], sound: [UInt8]) {
    var random = RandomSource(seed: seed)
    let sound = random.bytes(count)
    guard let interval else { return (sound, sound) }
    var body: [UInt8] = []
    for (index, start) in stride(from: 0, to: count, by: interval).enumerated() {
      let piece = sound[start..<min(start + interval, count)]
      body += piece
      guard piece.count == interval else { break }
      let text = Array("StreamTitle='\(seed)-\(index / 2)';".utf8)
      body +=
        [UInt8((text.count + 15) / 16)] + text + [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
    }
    return (body, sound)
  }

  private static func head(_ interval: Int?) -> ResponseHead {
    var head = ResponseHead(status: 200, fields: [("icy-name", "Lab"), ("Content-Length", "77")])
    if let interval { head.fields.add("icy-metaint", "\(interval)") }
    return head
  }

  @Test("sound without blocks, titles at their byte, none told twice; an end is a reason to come back")
  func playing() throws {
    let streams = (0..<3).map { Self.stream(20_000, seed: UInt64($0), interval: 4_096) }
    var world = try MachineWorld { _, number in
      var answer = MachineWorld.Answer(head: Self.head(4_096), body: streams[min(number, 3) - 1].body)
      if number == 3 { answer.ending = nil }
      return answer
    }
    world.run(until: 10)
    #expect(world.machine.isLive && world.machine.total == nil && world.machine.outcome == nil)
    #expect(world.holds(streams.flatMap(\.sound)))
    #expect(
      world.ranges == ["bytes=0-", "-", "-"] && world.requests.allSatisfy { $0.fields["Icy-MetaData"] == "1" }
    )
    let told = world.notes.compactMap {
      if case .metadata(let data, let at) = $0.note { "\(data.title ?? "-") \(at)" } else { nil }
    }
    #expect(
      told == [
        "0-0 4096", "0-1 12288", "1-0 24096", "1-1 32288", "2-0 44096", "2-1 52288",
      ])
    let rejoined = world.notes.compactMap { if case .rejoined(let at) = $0.note { at } else { nil } }
    #expect(rejoined == [20_000, 40_000])
  }

  @Test("a live stream is never given up")
  func never() throws {
    let stream = Self.stream(20_000, seed: 1, interval: nil)
    var world = try MachineWorld { _, number in
      if number == 1 { return .init(head: Self.head(nil), body: stream.body) }
      if number < 300 {
        return .init(
          head: ResponseHead(status: [404, 503][number % 2]),
          refusal: number % 3 == 0 ? .failure(TransferFailure(.refused, "")) : nil)
      }
      return .init(head: Self.head(nil), body: stream.body, ending: nil)
    }
    world.run(until: 10_000)
    #expect(world.machine.outcome == nil && world.requests.count >= 300)
    #expect(world.store.bytes.count >= 40_000 && world.store.bytes.count % 20_000 == 0)
  }

  @Test(
    "after three blocks in a row that are no text, opened anew without metadata", arguments: [false, true])
  func brokenBlocks(areScattered: Bool) throws {
    let sound = [UInt8](repeating: 9, count: 1_000)
    var world = try MachineWorld { request, _ in
      let wants = request.fields["Icy-MetaData"] != nil
      var body: [UInt8] = []
      for _ in 0..<5 {
        body += sound + (wants ? [1] + [UInt8](repeating: 0xFB, count: 16) : [])
        if areScattered { body += sound + (wants ? [1] + Array("StreamTitle='a';".utf8) : []) }
      }
      return .init(head: Self.head(wants ? 1_000 : nil), body: body, ending: nil)
    }
    world.run(until: 5)
    #expect(world.requests.map { $0.fields["Icy-MetaData"] } == (areScattered ? ["1"] : ["1", nil]))
    #expect(world.store.bytes.allSatisfy { $0 == 9 })
    #expect(world.store.bytes.count == (areScattered ? 10_000 : 8_000))
  }

  @Test(
    "a reader that finds no sound gets a stream without metadata, also when there are bytes enough ahead of it"
  )
  func noSound() throws {
    var world = try MachineWorld { request, _ in
      let wants = request.fields["Icy-MetaData"] != nil
      return .init(
        head: Self.head(wants ? 1_000 : nil), body: [UInt8](repeating: wants ? 0 : 9, count: 50_000),
        ending: nil)
    }
    world.readsOn = false
    world.tell(.readAhead(ReadAhead(enough: 20_000, tooFew: 10_000)))
    world.run(until: 2)
    #expect(world.pauses == [true])
    world.tell(.withoutMetadata)
    world.run(until: 5)
    #expect(world.requests.map { $0.fields["Icy-MetaData"] } == ["1", nil])
    #expect(world.store.bytes.last == 9)
  }

  @Test(
    "a stream that is held is kept for 10 s, then closed; later it is joined as it is, and nothing old is left"
  )
  func holding() throws {
    let stream = Self.stream(1_000_000, seed: 1, interval: nil)
    var world = try MachineWorld { _, _ in
      .init(head: Self.head(nil), body: stream.body, pace: 0.1, piece: 1_000)
    }
    world.run(until: 2)
    let stored = world.store.bytes.count
    world.tell(.hold(true))
    world.run(until: 8)
    #expect(world.pauses == [true] && world.store.bytes.count == stored)
    world.tell(.hold(false))
    world.run(until: 9)
    #expect(world.pauses == [true, false] && world.requests.count == 1 && world.store.bytes.count > stored)
    #expect(world.holds(Array(stream.sound.prefix(world.store.bytes.count))))
    world.tell(.hold(true))
    let end = Int64(world.store.bytes.count)
    world.run(until: 300)
    #expect(world.store.intervals.ranges.isEmpty && world.requests.count == 1)
    world.tell(.hold(false))
    world.run(until: 301)
    #expect(world.requests.count == 2)
    #expect(world.notes.contains { $0.note == .rejoined(at: end) })
    #expect(world.store.intervals.ranges.first?.lowerBound == end)
  }

  @Test("a stream that is held while its connection is lost is forgotten, too")
  func heldWithoutConnection() throws {
    let stream = Self.stream(20_000, seed: 1, interval: nil)
    var world = try MachineWorld { _, number in
      number == 2
        ? .init(head: ResponseHead(status: 200), refusal: .failure(TransferFailure(.refused, "")))
        : .init(head: Self.head(nil), body: stream.body, ending: number == 1 ? .end : nil)
    }
    while world.requests.count < 2 { world.run(until: world.now.seconds + 0.01) }
    world.tell(.hold(true))
    world.run(until: 300)
    #expect(world.store.intervals.ranges.isEmpty && world.requests.count == 2)
    world.tell(.hold(false))
    world.run(until: 301)
    #expect(world.notes.contains { $0.note == .rejoined(at: 20_000) })
    #expect(world.store.intervals.ranges == [20_000..<40_000])
  }

  @Test("a stream without length that turns out to be live goes on after its end")
  func foundLive() throws {
    let stream = Self.stream(20_000, seed: 1, interval: nil)
    var world = try MachineWorld { _, number in
      .init(head: ResponseHead(status: 200), body: stream.body, ending: number < 3 ? .end : nil)
    }
    world.tell(.treatAsLive)
    world.run(until: 5)
    #expect(world.holds(stream.sound + stream.sound + stream.sound))
  }

  @Test("an interval that cannot be used is an error")
  func badInterval() throws {
    var world = try MachineWorld { _, _ in
      .init(head: ResponseHead(status: 200, fields: [("icy-metaint", "0")]), body: [1, 2, 3])
    }
    world.run(until: 5)
    #expect(world.failure?.kind == .badAnswer)
  }
}
