import ControlProtocol
import ControlServer
import ControlTestSupport
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import ControlClient

@Suite(.blocksThread, .timeLimit(.minutes(10)))
struct ClientTests {
  @Test("A client asks and is answered")
  func ask() throws {
    let server = try TestServer(
      handler: TestHandler { command, _, completion in
        if command == .playback(.status) {
          completion(Reply(["volume": "7"]))
        } else {
          completion(Ack(.noExist, "nothing there"))
        }
      })
    var client = try MPDClient.connected(to: .path(server.path))
    #expect(try client.perform(Request("ping")) == [])
    #expect(try client.perform(Request("status")) == [.pair(name: "volume", value: "7")])
    let refusal = ReplyParser.Refusal(code: 50, index: 0, command: "currentsong", message: "nothing there")
    do {
      _ = try client.perform(Request("currentsong"))
      Issue.record("no refusal")
    } catch ControlClientError.refused(refusal) {
    }
    try client.send(Request("watch", ["time", "0.01"]))
    #expect(server.handler.watchers.wait { $0.count == 1 })
    let interval = try #require(WatchInterval("0.01"))
    server.server.broadcast(.step(7), to: .time(interval))
    #expect(try client.next(timeout: 30) == .pair(name: "event", value: "time"))
    try client.send(Request("noidle"))
    #expect(try client.reply().contains(.pair(name: "value", value: "7")))
  }

  @Test("Where nobody listens there is no server")
  func noServer() throws {
    let directory = try TemporaryFolder()
    for path in [directory.file("none"), "", String(repeating: "x", count: 200)] {
      do {
        _ = try MPDClient.connected(to: .path(path))
        Issue.record("connected to \(path)")
      } catch {
        guard case .noServer(.path(path), _) = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }

  /// Loopback drops the attempts to connect to a socket whose queue is full.
  @Test("An address that does not answer leaves time for the next one") func silentAddress() throws {
    let silent = try LoopbackSocket.listening()
    listen(silent.descriptor, 0)
    let waiting = try LoopbackSocket.connected(to: silent.port)
    let server = try LoopbackSocket.listening()
    func candidates(_ sockets: LoopbackSocket...) throws -> [HostAddress] {
      try sockets.flatMap { try HostAddress.all(of: "127.0.0.1", port: UInt16($0.port)) }
    }
    let name = ServerAddress.network(NetworkAddress(host: "name", port: 1))
    let connected = try MPDClient.connect(candidates(silent, server), of: name, Deadline(4))
    #expect(LoopbackSocket.port(of: connected.number, getpeername) == server.port)
    #expect(throws: ControlClientError.timeout(seconds: 0.2)) {
      _ = try MPDClient.connect(candidates(silent, silent), of: name, Deadline(0.2))
    }
    withExtendedLifetime(waiting) {}
  }

  @Test("A server that has enough clients refuses")
  func refused() throws {
    let server = try TestServer { $0.clients = 1 }
    let first = try server.client()
    do {
      _ = try MPDClient.connected(to: .path(server.path))
      Issue.record("connected")
    } catch {
      #expect(error == .turnedAway(by: .path(server.path)))
    }
    first.send("close\n")
    #expect(try first.rest() == "")
  }

  @Test("Who does not answer in time, answers nonsense or too much, or goes away, is told apart")
  func badServers() throws {
    #expect(try greeting("") == .timeout(seconds: 0.2))
    #expect(try greeting("SSH-2.0\n") == .notAServer(.noGreeting))
    #expect(try greeting(String(repeating: "x", count: 70_000)) == .notAServer(.lineTooLong))
    #expect(try greeting("OK MPD 1\n", closes: true, lineLimit: 5) == .disconnected)
    #expect(try greeting("OK MPD 1\n", lineLimit: 0.2) == .timeout(seconds: 0.2))
    #expect(
      try greeting("OK MPD 1\nnonsense\n", lineLimit: 5) == .notAServer(.malformedLine("nonsense")))
  }

  /// What becomes of a client whose server says that and no more.
  private func greeting(
    _ text: String, closes: Bool = false, lineLimit: Double? = nil
  ) throws -> ControlClientError? {
    let directory = try TemporaryFolder()
    let script = """
      import socket, sys
      s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(5); print('ready', flush=True)
      c = s.accept()[0]; c.sendall(sys.argv[2].encode())
      if sys.argv[3] == 'True': c.close()
      sys.stdin.read()
      """
    let program = try Program(
      ["/usr/bin/python3", "-c", script, directory.file("socket"), text, closes ? "True" : "False"])
    #expect(try program.line() == "ready")
    do throws(ControlClientError) {
      var client = try MPDClient.connected(
        to: .path(directory.file("socket")), timeout: text.isEmpty ? 0.2 : 5)
      if let lineLimit { _ = try client.next(timeout: lineLimit) }
      return nil
    } catch {
      return error
    }
  }

  @Test("A large picture comes through as it is")
  func binary() throws {
    let picture = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
    let server = try TestServer(
      handler: TestHandler { _, _, completion in
        var reply = Reply()
        reply.appendBinary(picture, totalSize: picture.count)
        completion(reply)
      })
    var client = try MPDClient.connected(to: .path(server.path))
    #expect(try client.perform(Request("readpicture", ["a", "0"])).last == .binary(picture))
    #expect(try client.perform(Request("ping")) == [])
  }

  @Test("A reply without measure is refused")
  func replyAboveTheLimitIsRefused() throws {
    let chunk = [UInt8](repeating: 0, count: 4 << 20)
    @Sendable func rest(_ left: Int) -> ReplyRest? {
      guard left > 0 else { return nil }
      return ReplyRest { piece in
        piece.appendBinary(chunk, totalSize: chunk.count)
        return rest(left - 1)
      }
    }
    // The lines beside the chunks make it more than the limit.
    let count = MPDClient.largestReply / chunk.count
    let server = try TestServer(
      handler: TestHandler { _, _, completion in
        var reply = Reply()
        reply.rest = rest(count)
        completion(reply)
      })
    var client = try MPDClient.connected(to: .path(server.path))
    let request = try Request("status")
    do throws(ControlClientError) {
      _ = try client.perform(request, timeout: 120)
      Issue.record("taken")
    } catch {
      #expect(error == .replyTooLarge)
    }
  }
}
