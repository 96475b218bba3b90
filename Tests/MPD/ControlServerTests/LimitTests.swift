import ControlProtocol
import ControlServer
import ControlTestSupport
import Foundation
import TestSupport
import Testing

@Suite(.blocksThread, .timeLimit(.minutes(10)), .bothTransports)
struct LimitTests {
  /// A handler whose `status` answers with about that many bytes.
  private func large(_ size: Int) -> TestHandler {
    TestHandler { command, _, completion in
      var reply = Reply()
      if case .playback(.status) = command {
        let line = String(repeating: "x", count: 990)
        for _ in 0..<size / 1000 { reply.append("volume", line) }
      }
      completion(reply)
    }
  }

  @Test("A hundred clients at once are served; the next one is closed without a word")
  func clients() throws {
    let server = try TestServer()
    var clients = try (0..<100).map { _ in try server.client() }
    for client in clients { client.send("ping\n") }
    for client in clients { #expect(try client.line() == "OK") }
    #expect(try ControlConnection(server.path, takesGreeting: false).rest() == "")
    for client in clients { client.send("ping\n") }
    for client in clients { #expect(try client.line() == "OK") }
    // One leaves: its place is free.
    clients.removeLast()
    #expect(server.handler.left.wait { $0.count == 1 })
    let late = try server.client()
    late.send("ping\n")
    #expect(try late.line() == "OK")
  }

  @Test("Clients that have left take nobody's place while their commands are still under way, up to a limit")
  func departed() throws {
    let held = Watched<[Completion]>([])
    let server = try TestServer(handler: .holdingStatus(in: held)) {
      ($0.clients, $0.networkClients, $0.departed) = (3, 3, 4)
      $0.silence = 600
    }
    /// Has clients leave that wait for an answer. Their unread greeting makes TCP report the end at once.
    func leave(_ count: Int, of all: Int) throws {
      let clients = try (0..<count).map { _ in try ControlConnection(server.path, takesGreeting: false) }
      for client in clients { client.send("status\n") }
      #expect(held.wait { $0.count == all })
    }
    try leave(3, of: 3)
    #expect(server.handler.closed.wait { $0.count == 3 })
    let other = try server.client()
    #expect(try other.ask("ping") == ["OK"])
    try leave(2, of: 5)
    #expect(server.handler.closed.wait { $0.count == 5 })
    // With the one that is there as many as may be: three and four.
    try leave(1, of: 6)
    #expect(server.handler.closed.wait { $0.count == 6 })
    #expect(try ControlConnection(server.path, takesGreeting: false).rest() == "")
    #expect(server.handler.left.value.isEmpty)
    for completion in held.change({ all in
      defer { all = [] }; return all
    }) { completion(Reply()) }
    #expect(server.handler.left.wait { $0.count == 6 })
    #expect(try server.client().ask("ping") == ["OK"])
    #expect(try other.ask("ping") == ["OK"])
  }

  @Test("A line that is too long ends the connection; what a slow writer costs is bounded by it")
  func line() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send([UInt8](repeating: UInt8(ascii: "x"), count: 100_000))
    #expect(try client.rest() == "")
  }

  @Test("A client that completes no line in time is closed, one that dribbles too; one that waits is not")
  func silence() throws {
    let held = Watched<[Completion]>([])
    let server = try TestServer(handler: .holdingStatus(in: held)) {
      $0.silence = 3
      $0.heartbeat = 600
    }
    let idle = try server.client()
    idle.send("idle\n")
    let watching = try server.client()
    watching.send("watch events\n")
    let waiting = try server.client()
    waiting.send("status\n")
    #expect(held.wait { !$0.isEmpty })
    // Once these two are closed, the time of the others has passed as well.
    let silent = try server.client()
    let dribbling = try server.client()
    let end = ContinuousClock.now + .seconds(120)
    while dribbling.sendWhileTaken([UInt8(ascii: "p")]) == 1, ContinuousClock.now < end { usleep(50_000) }
    #expect(ContinuousClock.now < end)
    #expect(try silent.rest() == "")
    #expect(try dribbling.rest() == "")
    #expect(idle.isSilent(for: 0))
    idle.send("noidle\n")
    #expect(try idle.line() == "OK")
    watching.send("noidle\n")
    #expect(try watching.line() == "OK")
    for completion in held.change({ all in
      defer { all = [] }; return all
    }) { completion(Reply()) }
    #expect(try waiting.line() == "OK")
    // And then they are as any other.
    #expect(try idle.rest() == "")
    #expect(try waiting.rest() == "")
  }

  @Test("A client that lets more than its share pile up is dropped, the others go on")
  func output() throws {
    let server = try TestServer(handler: large(3_000_000)) { $0.outputBytes = 2_000_000 }
    let greedy = try server.client()
    let other = try server.client()
    greedy.send("status\n")
    #expect(server.handler.left.wait { $0.count == 1 })
    // It still gets what the kernel had taken, and then the end instead of an answer.
    #expect(!(try greedy.rest().hasSuffix("OK\n")))
    other.send("ping\n")
    #expect(try other.line() == "OK")
  }

  @Test(
    "A client that is dropped while a command is under way has left when that is done",
    .unixOnly("The kernel takes megabytes over TCP."))
  func droppedWhileWaiting() throws {
    let held = Watched<[Completion]>([])
    let server = try TestServer(
      handler: TestHandler { command, _, completion in
        guard case .playback(.status) = command else { return held.change { $0.append(completion) } }
        // More than the kernel takes, and less than the mark above which no command is performed.
        var reply = Reply()
        for _ in 0..<400 { reply.append("volume", String(repeating: "x", count: 990)) }
        completion(reply)
      }
    ) {
      $0.pauseBytes = 1_000_000
      $0.stall = 1
    }
    let client = try server.client()
    client.send("status\nstats\n")
    #expect(held.wait { $0.count == 1 })
    #expect(server.handler.closed.wait { $0.count == 1 })
    // The connection's last turn has ended.
    let other = try server.client()
    #expect(try other.ask("ping") == ["OK"])
    #expect(server.handler.left.value.isEmpty)
    held.change { $0 = [] }
    #expect(server.handler.left.wait { $0.count == 1 })
    withExtendedLifetime(client) {}
  }

  @Test(
    "A client that sends and never reads costs no more than one reply above the mark, and gets all once it reads"
  )
  func neverReading() throws {
    let performed = Watched(0)
    let line = String(repeating: "x", count: 900)
    let server = try TestServer(
      handler: TestHandler { command, _, completion in
        performed.change { $0 += 1 }
        var reply = Reply()
        reply.append("volume", line)
        completion(reply)
      }
    ) { $0.pauseBytes = 10_000 }
    let client = try server.client()
    let other = try server.client()
    let count = 5000
    client.send(String(repeating: "status\n", count: count))
    // What the kernel takes for it, 200 KB or so, and the mark: after that the commands wait.
    var last = -1
    while performed.value != last {
      last = performed.value
      for _ in 0..<20 {
        other.send("ping\n")
        _ = try other.reply()
        usleep(5000)
      }
    }
    #expect(performed.value < count)
    for _ in 0..<count { #expect(try client.reply().count == 2) }
  }

  @Test("A client that reads nothing of its reply for too long is dropped")
  func stall() throws {
    let server = try TestServer(handler: large(3_000_000)) { $0.stall = 0.3 }
    let client = try server.client()
    client.send("status\n")
    #expect(server.handler.left.wait { $0.count == 1 })
    #expect(!(try client.rest().hasSuffix("OK\n")))
  }

  @Test("A client that reads slowly, but reads, gets everything")
  func slowReader() throws {
    let server = try TestServer(handler: large(1_500_000)) { $0.stall = 20 }
    let client = try server.client()
    client.send("status\n")
    var lines = 0
    while try client.line() != "OK" {
      lines += 1
      if lines % 60 == 0 { usleep(120_000) }
    }
    #expect(lines == 1500)
  }

  /// A handler whose `status` answers in pieces of 64 KB, so many of them, and counts those that were made.
  private func pieces(_ count: Int, _ made: Watched<Int>, cost: UInt32 = 0) -> TestHandler {
    let line = String(repeating: "x", count: 990)
    @Sendable func rest(_ left: Int) -> ReplyRest? {
      guard left > 0 else { return nil }
      return ReplyRest { piece in
        for _ in 0..<64 { piece.append("volume", line) }
        usleep(cost)
        made.change { $0 += 1 }
        return rest(left - 1)
      }
    }
    return TestHandler { command, _, completion in
      var reply = Reply()
      if case .playback(.status) = command { reply.rest = rest(count) }
      completion(reply)
    }
  }

  @Test("An answer in pieces is made as the client reads, whatever its length")
  func longAnswer() throws {
    let made = Watched(0)
    let count = 1000
    let server = try TestServer(handler: pieces(count, made)) { $0.outputBytes = 1_000_000 }
    let reader = try server.client()
    let other = try server.client()
    reader.send("status\nping\n")
    // What the kernel takes, and the mark. Until then nobody waits for it, and from then on nothing is made.
    var last = -1
    while made.value != last || last == 0 {
      last = made.value
      for _ in 0..<20 {
        other.send("ping\n")
        #expect(try other.line() == "OK")
        usleep(5000)
      }
    }
    print("\(last) of \(count) pieces were made for a client that does not read")
    #expect(last < 40)
    var lines = 0
    while try reader.line() != "OK" { lines += 1 }
    #expect(lines == count * 64)
    #expect(made.value == count)
    #expect(try reader.line() == "OK")
  }

  @Test("A piece that waits for the disk delays only its own client")
  func blockedPiece() throws {
    let began = DispatchSemaphore(value: 0)
    let disk = DispatchSemaphore(value: 0)
    let server = try TestServer(
      handler: TestHandler { command, _, completion in
        var reply = Reply()
        if case .playback(.status) = command {
          reply.rest = ReplyRest(mayBlock: true) { piece in
            began.signal()
            disk.wait()
            piece.append("volume", "1")
            return nil
          }
        }
        completion(reply)
      })
    let waiting = try server.client()
    let other = try server.client()
    waiting.send("status\nping\n")
    #expect(began.wait(timeout: .now() + 120) == .success)
    other.send("ping\n")
    #expect(try other.line() == "OK")
    disk.signal()
    for line in ["volume: 1", "OK", "OK"] { #expect(try waiting.line() == line) }
  }

  @Test("A piece that waits for the disk while its client leaves goes to nobody")
  func blockedPieceOfNobody() throws {
    let count = 8
    let (began, ended) = (Watched(0), Watched(0))
    let disk = DispatchSemaphore(value: 0)
    let server = try TestServer(
      handler: TestHandler { command, _, completion in
        var reply = Reply()
        if case .playback(.status) = command {
          reply.rest = ReplyRest(mayBlock: true) { piece in
            began.change { $0 += 1 }
            disk.wait()
            piece.append("volume", "1")
            defer { ended.change { $0 += 1 } }
            return nil
          }
        }
        completion(reply)
      })
    let other = try server.client()
    var leaving = try (0..<count).map { _ in try server.client() }
    for client in leaving { client.send("status\nstats\n") }
    #expect(began.wait { $0 == count })
    leaving = []
    // As new as the ones that have left.
    let newcomer = try server.client()
    for client in [other, newcomer] { #expect(try client.ask("ping") == ["OK"]) }
    #expect(server.handler.left.value.isEmpty)
    for _ in 0..<count { disk.signal() }
    #expect(server.handler.left.wait { $0.count == count })
    #expect(ended.value == count)
    for client in [other, newcomer] { #expect(try client.ask("ping") == ["OK"]) }
    newcomer.send("status\n")
    #expect(began.wait { $0 == count + 1 })
    disk.signal()
    #expect(try newcomer.reply() == ["volume: 1", "OK"])
  }

  @Test("An answer in pieces leaves the others their turn, and is not made for those who do not take it")
  func longAnswersOfMany() throws {
    let made = Watched(0)
    let server = try TestServer(handler: pieces(100_000, made, cost: 2000)) { $0.stall = 4 }
    let stuck = try server.client()
    var leaving: ControlConnection? = try server.client()
    let reader = try server.client()
    let other = try server.client()
    for client in [stuck, leaving, reader] { client?.send("status\n") }
    // Two milliseconds of work for each piece, and somebody who reads all the time.
    var longest = 0.0
    for _ in 0..<50 {
      for _ in 0..<200 { #expect(try reader.line().count == 998) }
      let start = Date()
      other.send("ping\n")
      #expect(try other.line() == "OK")
      longest = max(longest, Date().timeIntervalSince(start))
    }
    print("no ping beside it took more than \(Int(longest * 1000)) ms")
    // The whole answer would take minutes.
    #expect(longest < 60)
    #expect(try leaving?.line().count == 998)
    leaving = nil
    // The reader stops reading here. Either of the two that do not read may be the first to stall: over TCP, the
    // kernel takes megabytes for each of them before that.
    #expect(server.handler.left.wait { $0.count == 3 })
    for client in [stuck, reader] { #expect(!(try client.rest().hasSuffix("OK\n"))) }
    #expect(try other.ask("ping") == ["OK"])
  }

  @Test("A flood of one client leaves the others their turn")
  func fairness() throws {
    let server = try TestServer(
      handler: TestHandler { _, _, completion in
        usleep(100)
        completion(Reply())
      })
    let flood = try server.client()
    let other = try server.client()
    // As one list: 100,000 commands, ten seconds and more of work.
    let list = "command_list_begin\n" + String(repeating: "stats\n", count: 100_000) + "command_list_end\n"
    flood.send(list)
    usleep(300_000)
    for _ in 0..<10 {
      other.send("ping\n")
      #expect(try other.line() == "OK")
    }
    #expect(flood.isSilent(for: 0))
  }

  @Test(
    "The end of the server answers what is under way, ends those who wait, and takes no longer than it may")
  func stop() throws {
    let held = Watched<[Completion]>([])
    let server = try TestServer(
      handler: TestHandler { _, _, completion in held.change { $0.append(completion) } }
    ) {
      $0.ending = 5
    }
    let idle = try server.client()
    let waiting = try server.client()
    let stuck = try server.client()
    idle.send("idle\n")
    waiting.send("status\n")
    #expect(held.wait { $0.count == 1 })
    stuck.send("status\n")
    #expect(held.wait { $0.count == 2 })
    let first = held.value[0]
    let path = server.path
    Thread.detachNewThread {
      usleep(100_000)
      first(Reply())
    }
    let start = Date()
    server.server.stop()
    #expect(Date().timeIntervalSince(start) < 60)
    #expect(try waiting.rest() == "OK\n")
    #expect(try idle.rest() == "")
    #expect(try stuck.rest() == "")
    #expect(!FileManager.default.fileExists(atPath: path))
    // Too late, and without harm.
    held.change { $0 = [] }
    server.server.notify(.player)
    server.server.stop()
  }
}
