import Clocks
import TestSupport
import Testing
import Transfer

/// Each way in which a server may answer a request that goes on.
@Suite("Answers")
struct AnswerTests {
  private static func content(_ count: Int = 100_000, seed: UInt64 = 1) -> [UInt8] {
    var random = RandomSource(seed: seed)
    return random.bytes(count)
  }

  private let file = FileServer(content: AnswerTests.content())

  @Test("the first request asks for a range, metadata and no encoding")
  func firstRequest() throws {
    var world = try MachineWorld { [file] request, _ in file.answer(request) }
    world.run(until: 5)
    let fields = try #require(world.requests.first).fields
    #expect(fields["Range"] == "bytes=0-" && fields["If-Range"] == nil && fields["Icy-MetaData"] == "1")
    #expect(fields["Accept-Encoding"] == "identity" && fields["User-Agent"] == "Continuo/1")
    #expect(fields["Accept"] == "audio/mpeg, audio/*;q=0.9, */*;q=0.5")
    #expect(world.requests.count == 1 && world.complete && world.holds(file.content))
  }

  @Test("a cut goes on with If-Range and an overlap of 4 KiB, at once")
  func cut() throws {
    var world = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      if number == 1 { answer.cut = 40_000 }
      return answer
    }
    world.run(until: 5)
    #expect(world.ranges == ["bytes=0-", "bytes=35904- if \"1\""])
    #expect(world.holds(file.content) && world.complete && world.retries == 1)
    #expect(world.starts[1] - world.starts[0] < 0.2)
    #expect(world.requests[1].fields["Icy-MetaData"] == nil)
  }

  @Test("the overlap is no longer than what is stored")
  func shortOverlap() throws {
    var world = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      if number == 1 { answer.cut = 100 }
      return answer
    }
    world.run(until: 5)
    #expect(world.ranges[1] == "bytes=0- if \"1\"")
    #expect(world.holds(file.content))
  }

  @Test(
    "206, other bytes in the overlap: changed, also with the same tag and length; nothing of the other is stored"
  )
  func otherBytes() throws {
    let other = FileServer(content: Self.content(seed: 2))
    var world = try MachineWorld { [file] request, number in
      var answer = (number == 1 ? file : other).answer(request)
      if number == 1 { answer.cut = 40_000 }
      return answer
    }
    world.run(until: 90)
    #expect(world.machine.outcome == .changed && world.requests.count == 2)
    #expect(world.holds(Array(file.content.prefix(40_000))))
  }

  @Test("206, another total: changed")
  func otherTotal() throws {
    let longer = FileServer(content: file.content + [1, 2, 3])
    var world = try MachineWorld { [file] request, number in
      var answer = (number == 1 ? file : longer).answer(request)
      if number == 1 { answer.cut = 40_000 }
      return answer
    }
    world.run(until: 90)
    #expect(world.machine.outcome == .changed && world.store.bytes.count == 40_000)
  }

  @Test("206, another tag and the same bytes after If-Range failed (200): goes on, nobody is told")
  func otherTagSameBytes() throws {
    var world = try MachineWorld { [file] request, number in
      var file = file
      file.tag = "\"v\(number)\""
      var answer = file.answer(request)
      if number < 4 { answer.cut = 40_000 + 5_000 * number }
      return answer
    }
    world.run(until: 20)
    #expect(world.holds(file.content) && world.complete)
    #expect(world.machine.outcome == nil && world.storedTwice == 0)
  }

  @Test(
    "another tag at each request, and cut at the same byte: after two that changed nothing tags do not count")
  func tagOfEachRequest() throws {
    var world = try MachineWorld { [file] request, number in
      var file = file
      file.tag = "\"v\(number)\""
      var answer = file.answer(request)
      answer.cut = 40_000
      return answer
    }
    world.run(until: 20)
    #expect(world.holds(file.content) && world.complete && world.storedTwice == 0)
    #expect(world.ranges.prefix(4).map { $0.contains("if") } == [false, true, true, false])
  }

  @Test("always less than it says that there is: what came is all, after one request more")
  func lessThanSaid() throws {
    var world = try MachineWorld { [file] request, _ in
      var answer = file.answer(request)
      answer.head.fields.set("Content-Length", "\(max(0, answer.body.count - 1_000))")
      answer.body.removeLast(min(1_000, answer.body.count))
      return answer
    }
    world.run(until: 20)
    #expect(world.complete && world.requests.count == 2)
    #expect(world.holds(Array(file.content.dropLast(1_000))))
  }

  enum Broken: String, CaseIterable {
    case elsewhere, nowhere, multipart, nonsense
  }

  @Test(
    "206 that is not what was asked for: no ranges from now on, and the whole is compared",
    arguments: Broken.allCases)
  func brokenRanges(_ broken: Broken) throws {
    var world = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      if number == 1 { answer.cut = 40_000 }
      guard number > 1, request.fields["Range"] != nil else { return answer }
      switch broken {
      case .elsewhere: answer.head.fields.set("Content-Range", "bytes 34904-99999/100000")
      case .nowhere: answer.head.fields.remove("Content-Range")
      case .multipart: answer.head.fields.set("Content-Type", "multipart/byteranges; boundary=x")
      case .nonsense: answer.head.fields.set("Content-Range", "bytes 5-1/x")
      }
      return answer
    }
    world.run(until: 20)
    #expect(world.ranges == ["bytes=0-", "bytes=35904- if \"1\"", "-"])
    #expect(world.machine.ranges == .broken)
    #expect(world.holds(file.content) && world.complete)
  }

  @Test("206 of which more is announced than numbers can count: what came is kept, and it goes on")
  func immense() throws {
    var world = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      if number <= 2 { answer.cut = 40_000 }
      if number == 2 {
        answer.head.fields.set("Content-Length", "\(Int64.max)")
        answer.endingWhenCut = .end
      }
      return answer
    }
    world.run(until: 20)
    #expect(world.ranges == ["bytes=0-", "bytes=35904- if \"1\"", "bytes=71808- if \"1\""])
    #expect(world.holds(file.content) && world.complete)
  }

  @Test("200: the whole is compared while it passes, then it goes on")
  func whole() throws {
    var plain = file
    plain.hasRanges = false
    var world = try MachineWorld { [plain] request, number in
      var answer = plain.answer(request)
      if number <= 2 { answer.cut = 30_000 * number }
      return answer
    }
    world.run(until: 20)
    #expect(world.ranges == ["bytes=0-", "bytes=25904- if \"1\"", "bytes=55904- if \"1\""])
    #expect(world.machine.ranges == .ignored)
    #expect(world.holds(file.content) && world.complete && world.storedTwice == 0)
  }

  @Test("200 with a difference: changed, at the first byte that differs")
  func wholeThatDiffers() throws {
    var plain = file
    plain.hasRanges = false
    var other = plain
    other.content[20_000] ^= 1
    var world = try MachineWorld { [plain, other] request, number in
      var answer = (number == 1 ? plain : other).answer(request)
      if number == 1 { answer.cut = 30_000 }
      return answer
    }
    world.run(until: 20)
    #expect(world.machine.outcome == .changed && world.holds(Array(file.content.prefix(30_000))))
  }

  @Test("416 with the total that is stored: complete. With a smaller one: changed")
  func unsatisfiable() throws {
    for (total, isChanged) in [(40_000, false), (30_000, true)] {
      var world = try MachineWorld { [file] request, number in
        guard number == 1 else {
          return .init(head: ResponseHead(status: 416, fields: [("Content-Range", "bytes */\(total)")]))
        }
        // No total yet: only so can there be a question.
        var answer = file.answer(request)
        answer.head.fields.set("Content-Range", "bytes 0-39999/*")
        answer.body = Array(file.content.prefix(40_000))
        return answer
      }
      world.run(until: 20)
      #expect(world.machine.outcome == (isChanged ? .changed : nil))
      #expect(world.machine.total == (isChanged ? nil : 40_000))
      #expect(world.complete == !isChanged && world.requests.count == 2)
    }
  }

  @Test("416 everywhere: once more without Range, then as 200")
  func unsatisfiableEverywhere() throws {
    var world = try MachineWorld { [file] request, number in
      if number > 1, request.fields["Range"] != nil {
        return .init(head: ResponseHead(status: 416, fields: [("Content-Range", "bytes */100000")]))
      }
      var answer = file.answer(request)
      if number == 1 { answer.cut = 40_000 }
      return answer
    }
    world.run(until: 20)
    #expect(world.ranges == ["bytes=0-", "bytes=35904- if \"1\"", "-"])
    #expect(world.holds(file.content) && world.complete)
    var hopeless = try MachineWorld { _, _ in .init(head: ResponseHead(status: 416)) }
    hopeless.run(until: 20)
    #expect(hopeless.ranges == ["bytes=0-", "-"])
    #expect(hopeless.failure?.kind == .status(416))
  }

  @Test("an announced length is believed: an early end, clean or not, is a loss", arguments: [true, false])
  func earlyEnd(_ isClean: Bool) throws {
    var world = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      if number == 1 {
        answer.cut = 50_000
        if isClean { answer.endingWhenCut = .end }
      }
      return answer
    }
    world.run(until: 20)
    #expect(world.requests.count == 2 && world.retries == 1 && world.holds(file.content))
  }

  @Test("an end where no length was announced is the end")
  func endWithoutLength() throws {
    var plain = file
    plain.hasRanges = false
    plain.hasLength = false
    var world = try MachineWorld { [plain] request, _ in plain.answer(request) }
    world.run(until: 20)
    #expect(world.machine.total == 100_000 && world.complete && world.requests.count == 1)
  }

  @Test("more bytes than announced are not kept")
  func tooManyBytes() throws {
    var world = try MachineWorld { [file] request, _ in
      var answer = file.answer(request)
      answer.body += [1, 2, 3, 4]
      answer.piece = 10_000
      return answer
    }
    world.run(until: 20)
    #expect(world.holds(file.content) && world.complete && world.requests.count == 1)
  }

  @Test("announced too short: the Info frame's count makes it ask for the rest, once")
  func announcedTooShort() throws {
    for hasRanges in [true, false] {
      var file = file
      file.hasRanges = hasRanges
      var world = try MachineWorld { [file] request, number in
        var answer = file.answer(request)
        if number == 1 {
          answer.head.fields.set("Content-Range", "bytes 0-94999/95000")
          answer.head.fields.set("Content-Length", "95000")
          answer.body = Array(file.content.prefix(95_000))
        }
        return answer
      }
      world.tell(.expect(total: 100_000))
      world.run(until: 20)
      #expect(world.holds(file.content) && world.requests.count == 2 && world.complete)
      #expect(world.machine.total == 100_000)
    }
  }

  @Test("announced too short, and no more to be had: what is there is all of it")
  func nothingMore() throws {
    var world = try MachineWorld { [file] request, _ in file.answer(request) }
    world.tell(.expect(total: 100_400))
    world.run(until: 90)
    #expect(world.complete && world.machine.total == 100_000 && world.machine.outcome == nil)
    #expect(world.requests.count == 2)
    var plain = file
    plain.hasRanges = false
    var other = try MachineWorld { [plain] request, _ in plain.answer(request) }
    other.tell(.expect(total: 100_400))
    other.run(until: 90)
    #expect(
      other.complete && other.machine.total == 100_000 && other.machine.outcome == nil
        && other.requests.count == 2)
  }

  @Test("several files in one: beyond the first one's Info count a lost connection is not the end")
  func joined() throws {
    var world = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      if number == 1 { answer.cut = 50_000 }
      return answer
    }
    world.tell(.expect(total: 20_000))
    world.run(until: 20)
    #expect(world.requests.count == 2 && world.holds(file.content))
  }

  @Test("a connection lost far before an end that was asked beyond is not the end", arguments: [true, false])
  func lostBeforeTheRest(hasRanges: Bool) throws {
    var file = file
    file.hasRanges = hasRanges
    var world = try MachineWorld { [file] request, number in
      var answer = file.answer(request)
      if number == 1 || number == 4 { answer.cut = 30_000 }
      return answer
    }
    world.readsOn = false
    world.tell(.readAhead(ReadAhead(enough: 5_000, tooFew: 1_000)))
    world.tell(.expect(total: 100_400))
    world.run(until: 1)
    world.tell(.read(from: 99_000))
    world.run(until: 10)
    world.readsOn = true
    world.tell(.read(from: 0))
    world.run(until: 90)
    #expect(world.machine.total == 100_000 && world.holds(file.content) && world.complete)
  }

  @Test("a length that is less than what is stored is another version's", arguments: [true, false])
  func shorterThanStored(isPart: Bool) throws {
    // The beginning is the same.
    let other = Array(file.content.prefix(500))
    var world = try MachineWorld { [file] request, number in
      if number == 1 {
        var answer = file.answer(request)
        answer.head = ResponseHead(status: 200)
        answer.cut = 1_000
        return answer
      }
      let fields = isPart ? ("Content-Range", "bytes 0-499/500") : ("Content-Length", "500")
      return .init(head: ResponseHead(status: isPart ? 206 : 200, fields: [fields]), body: other)
    }
    world.run(until: 20)
    #expect(world.machine.outcome == .changed && !world.complete)
  }

  @Test("announced too long: the Info frame's count ends it")
  func announcedTooLong() throws {
    var plain = file
    plain.hasRanges = false
    var world = try MachineWorld { [plain] request, _ in
      var answer = plain.answer(request)
      answer.head.fields.set("Content-Length", "105000")
      answer.ending = .failure(TransferFailure(.lost, "cut"))
      return answer
    }
    world.tell(.expect(total: 100_000))
    world.run(until: 90)
    #expect(world.complete && world.machine.outcome == nil && world.requests.count == 1)
    #expect(world.holds(file.content))
  }

  @Test(
    "refusals fail at once before any success", arguments: [400, 401, 402, 403, 404, 405, 410, 451, 204, 304])
  func refused(_ status: Int) throws {
    var world = try MachineWorld { _, _ in .init(head: ResponseHead(status: status)) }
    world.run(until: 90)
    #expect(world.failure?.kind == .status(status) && world.requests.count == 1)
    #expect(world.failure?.message == "h answered \(status)")
  }

  @Test("refusals after a success are tried 3 times; what is stored stays", arguments: [401, 403, 404, 410])
  func refusedLater(_ status: Int) throws {
    var world = try MachineWorld { [file] request, number in
      guard number == 1 else { return .init(head: ResponseHead(status: status)) }
      var answer = file.answer(request)
      answer.cut = 40_000
      return answer
    }
    world.run(until: 90)
    #expect(world.failure?.kind == .status(status) && world.requests.count == 4)
    #expect(world.store.bytes.count == 40_000)
  }

  @Test(
    "what may pass is tried again, not before Retry-After",
    arguments: [408, 425, 429, 500, 502, 503, 504, 599])
  func mayPass(_ status: Int) throws {
    var world = try MachineWorld { [file] request, number in
      number > 2
        ? file.answer(request) : .init(head: ResponseHead(status: status, fields: [("Retry-After", "7")]))
    }
    world.run(until: 90)
    #expect(world.complete && world.requests.count == 3)
    #expect(world.starts[1] >= 7 && world.starts[1] < 7.5 && world.starts[2] >= 14)
  }

  @Test("gzip that nobody asked for: decoded bytes, no ranges, no length", arguments: [true, false])
  func encoded(_ isPart: Bool) throws {
    var world = try MachineWorld { [file] request, number in
      var plain = file
      plain.hasRanges = isPart && number == 1
      var answer = plain.answer(request)
      answer.head.fields.add("Content-Encoding", "gzip")
      answer.head.fields.set("Content-Length", "777")
      if number == 1 { answer.cut = 30_000 }
      return answer
    }
    world.run(until: 20)
    #expect(world.ranges == ["bytes=0-", "-"])
    #expect(world.holds(file.content) && world.complete && world.machine.total == 100_000)
  }

  @Test("an empty file is complete")
  func empty() throws {
    let empty = FileServer(content: [])
    var world = try MachineWorld { request, _ in empty.answer(request) }
    world.run(until: 5)
    #expect(world.complete && world.machine.total == 0 && world.requests.count == 1)
  }
}

extension MachineWorld {
  /// Whether exactly these bytes are stored. A function, so that a failure does not print them.
  func holds(_ bytes: [UInt8]) -> Bool { store.bytes == bytes }

  var failure: TransferFailure? {
    if case .failed(let failure) = machine.outcome { failure } else { nil }
  }
}
