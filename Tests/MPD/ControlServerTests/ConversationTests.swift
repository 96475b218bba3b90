import ControlProtocol
import ControlServer
import ControlTestSupport
import Foundation
import TestSupport
import Testing

@Suite(.blocksThread, .timeLimit(.minutes(10)), .bothTransports)
struct ConversationTests {
  @Test("The server greets and answers")
  func ping() throws {
    let server = try TestServer()
    let client = try ControlConnection(server.path, takesGreeting: false)
    #expect(try client.line() == "OK MPD 0.23.5")
    client.send("ping\n")
    #expect(try client.line() == "OK")
  }

  @Test("Lines arrive in any pieces, end in any way, and many at a time")
  func pieces() throws {
    let server = try TestServer()
    let client = try server.client()
    for byte in "ping\r\n" { client.send(String(byte)) }
    #expect(try client.line() == "OK")
    client.send("pi")
    #expect(client.isSilent(for: 0.05))
    client.send("ng\nping\nnonsense\nping\npin")
    #expect(try client.line() == "OK")
    #expect(try client.line() == "OK")
    #expect(try client.line().hasPrefix("ACK [5@0] {} unknown command"))
    #expect(try client.line() == "OK")
    client.send("g\n")
    #expect(try client.line() == "OK")
  }

  @Test("A client that closes its side gets every answer, then the end; a line without its end is dropped")
  func halfClose() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(String(repeating: "ping\n", count: 1000) + "ping")
    client.finishSending()
    #expect(try client.rest() == String(repeating: "OK\n", count: 1000))
  }

  @Test("A client that closes its side while a command is under way gets its answer")
  func halfCloseWhileWaiting() throws {
    let held = Watched<[Completion]>([])
    let server = try TestServer(
      handler: TestHandler { _, _, completion in held.change { $0.append(completion) } })
    let client = try server.client()
    client.send("status\n")
    client.finishSending()
    #expect(held.wait { $0.count == 1 })
    #expect(client.isSilent(for: 0.05))
    for completion in held.change({ all in
      defer { all = [] }; return all
    }) { completion(Reply()) }
    #expect(try client.rest() == "OK\n")
  }

  @Test("What a client had sent before it went is done")
  func sentAndGone() throws {
    let count = Watched(0)
    let server = try TestServer(
      handler: TestHandler { _, _, completion in
        count.change { $0 += 1 }
        completion(Reply())
      })
    do {
      let client = try server.client()
      client.send(String(repeating: "stats\n", count: 500))
    }
    #expect(server.handler.left.wait { $0.count == 1 })
    #expect(count.value == 500)
  }

  @Test(
    "A client that goes while a command is under way is told of at once, and has left when that is done",
    .unixOnly("TCP does not tell a client that has gone from one that has closed its side."))
  func goneWhileWaiting() throws {
    let held = Watched<[Completion]>([])
    let server = try TestServer(
      handler: TestHandler { _, _, completion in held.change { $0.append(completion) } })
    do {
      let client = try server.client()
      client.send("status\n")
      #expect(held.wait { $0.count == 1 })
    }
    #expect(server.handler.closed.wait { $0.count == 1 })
    #expect(server.handler.left.value.isEmpty)
    held.change { $0 = [] }
    #expect(server.handler.left.wait { $0.count == 1 })
  }

  @Test("Commands of one client are performed one at a time, in order, and those of another meanwhile")
  func order() throws {
    let held = Watched<[Completion]>([])
    let server = try TestServer(handler: .holdingStatus(in: held))
    let slow = try server.client()
    let quick = try server.client()
    slow.send("status\nping\nstatus\n")
    #expect(held.wait { $0.count == 1 })
    quick.send("ping\n")
    #expect(try quick.line() == "OK")
    #expect(slow.isSilent(for: 0.05))
    var reply = Reply()
    reply.append("volume", "1")
    for completion in held.change({ all in
      defer { all = [] }; return all
    }) { completion(reply) }
    #expect(try slow.line() == "volume: 1")
    #expect(try slow.line() == "OK")
    #expect(try slow.line() == "OK")
    #expect(held.wait { $0.count == 1 })
    #expect(slow.isSilent(for: 0.05))
    held.change { $0 = [] }
    // Dropped without a call: an error, not silence.
    #expect(try slow.line().hasPrefix("ACK [52@0] {status} "))
  }

  @Test("A command may be completed from any thread, once")
  func threads() throws {
    let server = try TestServer(
      handler: TestHandler { _, _, completion in
        Thread.detachNewThread {
          completion(Reply())
          completion(Reply())
        }
      })
    let client = try server.client()
    client.send(String(repeating: "stats\n", count: 200) + "close\n")
    #expect(try client.rest() == String(repeating: "OK\n", count: 200))
  }

  @Test("A change reaches those who wait, and those who ask later")
  func notify() throws {
    let server = try TestServer()
    let waiting = try server.client()
    let later = try server.client()
    waiting.send("idle\n")
    later.send("ping\n")
    #expect(try later.line() == "OK")
    // Both are known to the loop now, and what comes from outside comes after.
    #expect(waiting.isSilent(for: 0.1))
    server.server.notify(.player)
    #expect(try waiting.reply() == ["changed: player", "OK"])
    later.send("idle\n")
    #expect(try later.reply() == ["changed: player", "OK"])
    later.send("idle\nnoidle\nnoidle\nping\n")
    #expect(try later.line() == "OK")
    #expect(try later.line() == "OK")
    #expect(later.isSilent(for: 0.05))
  }

  @Test("Clients send each other messages")
  func channels() throws {
    let server = try TestServer()
    let reader = try server.client()
    let writer = try server.client()
    reader.send("subscribe news\n")
    #expect(try reader.line() == "OK")
    writer.send("channels\n")
    #expect(try writer.reply() == ["channel: news", "OK"])
    writer.send("idle subscription\n")
    #expect(try writer.reply() == ["changed: subscription", "OK"])
    reader.send("idle message\n")
    #expect(reader.isSilent(for: 0.05))
    writer.send("sendmessage news hello\n")
    #expect(try writer.line() == "OK")
    #expect(try reader.reply() == ["changed: message", "OK"])
    reader.send("readmessages\n")
    #expect(try reader.reply() == ["channel: news", "message: hello", "OK"])
  }

  @Test("When a subscriber leaves, the others are told")
  func othersAreToldOfALeavingSubscriber() throws {
    let server = try TestServer()
    let subscriber = try server.client()
    let other = try server.client()
    subscriber.send("subscribe news\n")
    #expect(try subscriber.line() == "OK")
    other.send("idle subscription\n")
    #expect(try other.reply() == ["changed: subscription", "OK"])
    subscriber.send("close\n")
    #expect(server.handler.left.wait { $0.count == 1 })
    // Ends the wait that there would be without a change.
    other.send("idle subscription\nnoidle\n")
    #expect(try other.reply() == ["changed: subscription", "OK"])
  }
}
