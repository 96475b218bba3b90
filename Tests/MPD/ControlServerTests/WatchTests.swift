import ControlProtocol
import ControlServer
import ControlTestSupport
import Foundation
import TestSupport
import Testing

@testable import ControlServer

@Suite(.blocksThread, .timeLimit(.minutes(10)), .bothTransports)
struct WatchTests {
  private let steps: WatchTopic
  init() throws { steps = .time(try #require(WatchInterval("0.01"))) }

  @Test("Records reach those who watch their topic, whole and in order, and nobody else")
  func topics() throws {
    let server = try TestServer()
    let times = try server.client()
    let events = try server.client()
    let none = try server.client()
    times.send("watch time 0.01\n")
    events.send("watch events\n")
    #expect(server.handler.watchers.wait { $0.count == 2 })
    #expect(Set(server.handler.watchers.value.values) == [[steps], [.events]])
    for step in 0..<1000 {
      server.server.broadcast(.step(step), to: steps)
      if step % 100 == 0 { server.server.broadcast(.ended, to: .events) }
    }
    for step in 0..<1000 { #expect(try times.step() == step) }
    for _ in 0..<10 { #expect(try events.fields()["event"] == "didPlayToEndTime") }
    #expect(none.isSilent(for: 0))
    times.send("noidle\n")
    #expect(try times.line() == "OK")
    #expect(server.handler.watchers.wait { $0.count == 1 })
    times.send("ping\n")
    #expect(try times.line() == "OK")
  }

  @Test(
    "A client that reads too little gets the newest step and the number of those it missed; others get all",
    arguments: [0, 100])
  func coalescing(readsOf500: Int) throws {
    let server = try TestServer { $0.watchBytes = 100_000 }
    let lazy = try server.client()
    let eager = try server.client()
    lazy.send("watch time 0.01\n")
    eager.send("watch time 0.01\n")
    #expect(server.handler.watchers.wait { $0.count == 2 })
    let count = 50_000
    var (got, missed, last) = (0, 0, -1)
    func read() throws {
      let fields = try lazy.fields()
      if fields["event"] == "coalesced" {
        missed += Int(fields["steps"] ?? "") ?? 0
      } else {
        let step = try #require(ControlConnection.step(fields))
        #expect(step > last)
        last = step
        got += 1
      }
    }
    for first in stride(from: 0, to: count, by: 500) {
      for step in first..<first + 500 { server.server.broadcast(.step(step), to: steps) }
      for step in first..<first + 500 { #expect(try eager.step() == step) }
      for _ in 0..<readsOf500 { try read() }
    }
    while last < count - 1 { try read() }
    #expect(missed > 0)
    #expect(got + missed == count)
    // And it goes on as if nothing had been.
    server.server.broadcast(.step(count), to: steps)
    #expect(try lazy.step() == count)
  }

  @Test("A watcher hears that the server lives")
  func heartbeat() throws {
    let server = try TestServer { $0.heartbeat = 0.2 }
    let client = try server.client()
    client.send("watch events\n")
    for _ in 0..<3 { #expect(try client.line() == "event: alive") }
  }

  @Test("A watcher that reads nothing may stay, until it closes its side")
  func closingWatcher() throws {
    let server = try TestServer {
      $0.stall = 0.2
      $0.heartbeat = 0.1
      $0.silence = 600
    }
    let watcher = try server.client()
    let other = try server.client()
    watcher.send("watch time 0.01\n")
    #expect(server.handler.watchers.wait { $0.count == 1 })
    // Far more than the kernel and the server keep for it.
    for first in stride(from: 0, to: 50_000, by: 500) {
      for step in first..<first + 500 { server.server.broadcast(.step(step), to: steps) }
      #expect(try other.ask("ping") == ["OK"])
    }
    #expect(server.handler.left.value.isEmpty)
    watcher.finishSending()
    #expect(server.handler.left.wait { $0.count == 1 })
    withExtendedLifetime(watcher) {}
  }

  @Test("Fifty watchers get every step while a command is answered")
  func manyWatchers() throws {
    let server = try TestServer()
    let clients = try (0..<50).map { _ in try server.client() }
    for client in clients { client.send("watch time 0.01\n") }
    #expect(server.handler.watchers.wait { $0.count == 50 })
    let other = try server.client()
    for step in 0..<200 {
      server.server.broadcast(.step(step), to: steps)
      other.send("ping\n")
      #expect(try other.line() == "OK")
    }
    for client in clients { for step in 0..<200 { #expect(try client.step() == step) } }
  }

  @Test("Ninety-five watchers that never read cost little together, and nothing once they have left")
  func memory() throws {
    let folder = try TemporaryFolder()
    let program = try Program([Program.probe, "serve", folder.file("socket")])
    #expect(try program.line() == "ready")
    let other = try ControlConnection(folder.file("socket"))
    /// The memory with watchers that leave `count` records each unread. With `inOrder`, the server has met the end of each
    /// when this returns. Until then it counts them, and has no room for as many others.
    func watch(_ count: Int, inOrder: Bool = false) throws -> Int {
      let watchers = try (0..<95).map { _ in try ControlConnection(folder.file("socket")) }
      for watcher in watchers { watcher.send("watch time 0.01\n") }
      // One at a time, as they come while music plays.
      for _ in 0..<count { #expect(try other.ask("next") == ["OK"]) }
      let memory = program.memory
      for watcher in watchers where inOrder {
        watcher.finishSending()
        _ = try watcher.rest()
      }
      return withExtendedLifetime(watchers) { memory }
    }
    // What the first of everything takes stays.
    _ = try watch(10, inOrder: true)
    let before = program.memory
    let during = try watch(3000)
    print("95 watchers: \(before >> 10) KiB before, \(during >> 10) KiB unread")
    #expect(during - before < 30 << 20)
    let end = Date(timeIntervalSinceNow: 120)
    while program.memory - before > 3 << 20, Date() < end { usleep(20_000) }
    print("\(program.memory >> 10) KiB after")
    #expect(program.memory - before <= 3 << 20)
    program.endInput()
    #expect(program.status() == 0)
  }

  /// A server that takes `records` records between two turns of its loop, which stands still while `body` runs. Watchers
  /// are known to keep up if they got a step before.
  private func holdingLoop(
    records: Int, watchers: Int, keepingUp: Bool = false,
    _ body: (TestServer, [ClientID], [ControlConnection]) throws -> Void
  ) throws -> (TestServer, [ControlConnection]) {
    let isHeld = Watched(false)
    let mayGo = Watched(false)
    let server = try TestServer(
      handler: TestHandler { command, _, completion in
        if case .playback(.status) = command {
          isHeld.change { $0 = true }
          _ = mayGo.wait { $0 }
        }
        completion(Reply())
      }
    ) { $0.broadcastRecords = records }
    var (clients, ids): ([ControlConnection], [ClientID]) = ([], [])
    for _ in 0..<watchers {
      let client = try server.client()
      client.send("watch time 0.01\n")
      #expect(server.handler.watchers.wait { $0.count == clients.count + 1 })
      ids += server.handler.watchers.value.keys.filter { !ids.contains($0) }
      clients.append(client)
    }
    if keepingUp {
      server.server.broadcast(.step(0), to: steps)
      for client in clients { #expect(try client.step() == 0) }
    }
    let other = try server.client()
    other.send("status\n")
    #expect(isHeld.wait { $0 })
    do {
      defer { mayGo.change { $0 = true } }
      try body(server, ids, clients)
    }
    #expect(try other.line() == "OK")
    return (server, clients)
  }

  @Test(
    "Watchers that keep up get their records while the loop stands still",
    .unixOnly("The loop sends all records to clients from the network"))
  func keepingUp() throws {
    let (server, watchers) = try holdingLoop(records: 0, watchers: 2, keepingUp: true) {
      server, ids, clients throws in
      for step in 1...100 {
        server.server.broadcast(.step(step), to: steps)
        for client in clients { #expect(try client.step() == step) }
      }
      server.server.broadcast(.step(101), to: steps, only: ids[1])
      #expect(try clients[1].step() == 101)
      server.server.broadcast(.step(102), to: steps)
    }
    for watcher in watchers { #expect(try watcher.step() == 102) }
    server.server.stop()
  }

  @Test(
    "A watcher that reads again before the loop knows that it was behind gets its steps in order",
    .unixOnly("The loop sends all records to clients from the network"))
  func fallingBehind() throws {
    let count = 1_000
    let (server, watchers) = try holdingLoop(records: count, watchers: 1, keepingUp: true) {
      server, _, clients throws in
      // More than the kernel takes.
      for step in 1..<count { server.server.broadcast(.step(step), to: steps) }
      for step in 1...100 { #expect(try clients[0].step() == step) }
      server.server.broadcast(.step(count), to: steps)
    }
    for step in 101...count { #expect(try watchers[0].step() == step) }
    server.server.stop()
  }

  @Test("More records than fit between two turns of the loop are coalesced and counted")
  func overflow() throws {
    let (server, watchers) = try holdingLoop(records: 10, watchers: 1) { server, _, _ in
      for step in 0..<100 { server.server.broadcast(.step(step), to: steps) }
    }
    let watcher = watchers[0]
    for step in 0..<10 { #expect(try watcher.step() == step) }
    let fields = try watcher.fields()
    #expect(fields["event"] == "coalesced")
    #expect(fields["steps"] == "89")
    #expect(try watcher.step() == 99)
    server.server.stop()
  }

  @Test("A coalesced record for one client replaces none for another, and is counted for that client only")
  func overflowForOne() throws {
    let (server, watchers) = try holdingLoop(records: 0, watchers: 2) { server, clients, _ in
      server.server.broadcast(.step(1), to: steps, only: clients[0])
      server.server.broadcast(.step(2), to: steps, only: clients[1])
      server.server.broadcast(.step(3), to: steps, only: clients[0])
      server.server.broadcast(.step(4), to: steps)
    }
    let fields = try watchers[0].fields()
    #expect(fields["event"] == "coalesced" && fields["steps"] == "2")
    #expect(try watchers[0].step() == 4)
    for step in [2, 4] { #expect(try watchers[1].step() == step) }
    server.server.stop()
  }

  @Test("Of a backlog the newest of each kind is kept, in order, and the rest is counted")
  func backlog() {
    var backlog = WatchBacklog<String, Int>()
    #expect(backlog.isEmpty)
    for step in 0..<10 { backlog.hold(step, of: "time") }
    backlog.hold(10, of: "player")
    backlog.hold(11, of: "time")
    backlog.hold(12, of: "player")
    backlog.leaveOut(3)
    let (leftOut, entries) = backlog.take()
    #expect(leftOut == 14)
    #expect(entries.map(\.record) == [11, 12])
    #expect(entries.map(\.leftOut) == [10, 1])
    #expect(backlog.isEmpty)
    backlog.leaveOut(1)
    #expect(!backlog.isEmpty)
    #expect(backlog.take().leftOut == 1)
  }
}
