import ControlProtocol
import ControlTestSupport
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import ControlServer

@Suite(.blocksThread, .timeLimit(.minutes(10)))
struct NetworkTests {
  private func server(
    _ access: NetworkAccess = NetworkAccess(), handler: TestHandler = TestHandler(),
    change: (inout ServerLimits) -> Void = { _ in }
  ) throws -> TestServer {
    try Transport.$current.withValue(.tcp) {
      try TestServer(handler: handler, network: access, change: change)
    }
  }

  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test(
    "Without a word from the operator this machine may do everything and others may look; with passwords nobody may"
  )
  func permissions() throws {
    let home = try address("127.0.0.1")
    let other = try address("192.168.1.20")
    func allowed(_ access: NetworkAccess, _ address: IPAddress) -> Permissions {
      access.configuration(for: address).permissions
    }
    var access = NetworkAccess()
    #expect(allowed(access, home) == .all)
    #expect(allowed(access, try self.address("::1")) == .all)
    #expect(allowed(access, try self.address("::ffff:127.0.0.1")) == .all)
    #expect(allowed(access, other) == .read)
    access.passwords = ["secret": .all]
    #expect(allowed(access, home) == [])
    #expect(allowed(access, other) == [])
    access.hosts = [other: [.read, .player]]
    #expect(allowed(access, other) == [.read, .player])
    #expect(allowed(access, home) == [])
    access.others = .read
    #expect(allowed(access, home) == .read)
    #expect(allowed(access, other) == [.read, .player])
    #expect(access.configuration(for: other).passwords == ["secret": .all])
  }

  @Test("A password takes the place of what the address allows; what is refused is listed as such")
  func password() throws {
    let server = try server(
      NetworkAccess(passwords: ["look": .read, "it's \"all\"": .all], hosts: [address("127.0.0.1"): .add]))
    let client = try server.client()
    #expect(try client.ask("next") == [#"ACK [4@0] {next} you don't have permission for "next""#])
    #expect(try client.ask("status") == [#"ACK [4@0] {status} you don't have permission for "status""#])
    #expect(try client.ask("add x") == ["OK"])
    #expect(try client.ask("notcommands").contains("command: next"))
    #expect(!(try client.ask("commands").contains("command: next")))
    #expect(try client.ask("password wrong") == ["ACK [3@0] {password} incorrect password"])
    #expect(try client.ask("status").last?.hasPrefix("ACK [4@0]") == true)
    #expect(try client.ask("password look") == ["OK"])
    #expect(try client.ask("status") == ["OK"])
    for request in ["add x", "next"] {
      #expect(try client.ask(request).last?.hasPrefix("ACK [4@0]") == true)
    }
    #expect(try client.ask(#"password "it's \"all\"""#) == ["OK"])
    #expect(try client.ask("next") == ["OK"])
    #expect(try client.ask("notcommands") == ["OK"])
    // Nobody else has it by that.
    #expect(try server.client().ask("next").last?.hasPrefix("ACK [4@0]") == true)
  }

  @Test(
    "After wrong passwords every further one waits, the right one too, over all connections of an address")
  func guesses() throws {
    let server = try server(NetworkAccess(passwords: ["right": .all]))
    let clock = ContinuousClock()
    let start = clock.now
    let first = try server.client()
    #expect(try first.ask("password wrong") == ["ACK [3@0] {password} incorrect password"])
    let second = try server.client()
    second.send("password wrong\n")
    // Meanwhile the others are served, and who knows it without a guess waits as well.
    #expect(try first.ask("ping") == ["OK"])
    #expect(try second.reply() == ["ACK [3@0] {password} incorrect password"])
    #expect(clock.now - start >= .seconds(1))
    #expect(try first.ask("password right") == ["OK"])
    #expect(clock.now - start >= .seconds(3))
    #expect(try first.ask("next") == ["OK"])
    // No more than the wait that is there is left behind by one that is right.
    #expect(try server.client().ask("password right") == ["OK"])
  }

  @Test("Guesses are counted from the first password on, also of a client that came before it")
  func lateGuesses() throws {
    let server = try server()
    let client = try server.client()
    let clock = ContinuousClock()
    let start = clock.now
    // There is nothing to guess.
    for _ in 0..<5 {
      #expect(try client.ask("password wrong") == ["ACK [3@0] {password} incorrect password"])
    }
    server.server.setPasswords(["right": .all])
    // The loop may read a line before it takes the passwords, and not another one.
    #expect(try client.ask("ping") == ["OK"])
    for _ in 0..<2 {
      #expect(try client.ask("password wrong") == ["ACK [3@0] {password} incorrect password"])
    }
    #expect(clock.now - start >= .seconds(1))
    #expect(try client.ask("password right") == ["OK"])
  }

  @Test("At the Unix socket nobody asks for a password")
  func local() throws {
    let server = try server(NetworkAccess(passwords: ["secret": .read]))
    let client = try ControlConnection(server.server.path)
    #expect(try client.ask("next") == ["OK"])
  }

  @Test("A client from the network is nobody the server knows, whoever it is")
  func identity() throws {
    let clients = Watched<[ClientInfo]>([])
    let handler = TestHandler { _, client, completion in
      clients.change { $0.append(client) }
      completion(Reply())
    }
    let server = try server(handler: handler)
    #expect(try server.client().ask("stats") == ["OK"])
    #expect(try ControlConnection(server.server.path).ask("stats") == ["OK"])
    #expect(clients.value.map(\.isSameUser) == [false, true])
    #expect(clients.value.map(\.isLocal) == [false, true])
  }

  @Test("Strangers do not take the places of the machine's own user")
  func places() throws {
    let server = try server {
      $0.clients = 4
      $0.networkClients = 3
    }
    let strangers = try (0..<3).map { _ in try server.client() }
    #expect(try ControlConnection(server.path, takesGreeting: false).rest() == "")
    #expect(try ControlConnection(server.server.path).ask("ping") == ["OK"])
    #expect(try strangers[0].ask("ping") == ["OK"])
  }

  @Test("A browser that is sent to the port gets no word")
  func browser() throws {
    let client = try server().client()
    client.send("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nnext\r\n")
    #expect(try client.rest() == "")
  }

  @Test("All addresses are IPv4 and IPv6 at one port; an address that is taken, or is none, is said so")
  func addresses() throws {
    let server = try TestServer()
    let bound = try server.server.listen(
      on: NetworkAddress(host: NetworkAddress.anyHost, port: UInt16(LoopbackSocket.freePort())),
      access: NetworkAccess())
    #expect(try ControlConnection("tcp:\(bound.port)").ask("ping") == ["OK"])
    let six = try Program([
      "/usr/bin/python3", "-c",
      "import socket, sys; print(socket.create_connection(('::1', int(sys.argv[1])), 120).makefile().readline())",
      "\(bound.port)",
    ])
    #expect(try six.line() == "OK MPD 0.23.5")
    let taken = NetworkAddress(host: "127.0.0.1", port: bound.port)
    #expect(throws: ListenError.addressInUse(taken)) {
      try server.server.listen(on: taken, access: NetworkAccess())
    }
    let name = NetworkAddress(host: "localhost", port: 0)
    #expect(throws: ListenError.notAnAddress(name)) {
      try server.server.listen(on: name, access: NetworkAccess())
    }
    // Nobody's here.
    #expect(throws: ListenError.self) {
      try server.server.listen(on: NetworkAddress(host: "192.0.2.1", port: 0), access: NetworkAccess())
    }
  }

  @Test("A port that IPv6 has not is IPv4's no longer either") func halfAnAddress() throws {
    let server = try TestServer()
    let port = try LoopbackSocket.freePort()
    let six = try LoopbackSocket.listening(on: port, isIPv6: true)
    let address = NetworkAddress(host: NetworkAddress.anyHost, port: UInt16(port))
    #expect(throws: ListenError.self) { try server.server.listen(on: address, access: NetworkAccess()) }
    // A process that another test has just started keeps the closed socket until it executes its program.
    while (try? LoopbackSocket.connected(to: port)) != nil { usleep(1000) }
    withExtendedLifetime(six) {}
  }

  @Test("The port is free again when the server has stopped, also with connections that were open")
  func restart() throws {
    let first = try TestServer()
    // Chosen by the system, it could be another test's in the meantime.
    let bound = try first.server.listen(
      on: NetworkAddress(host: "127.0.0.1", port: UInt16(LoopbackSocket.freePort())), access: NetworkAccess())
    let client = try ControlConnection("tcp:\(bound.port)")
    first.server.stop()
    #expect(try client.rest() == "")
    let second = try TestServer()
    #expect(try second.server.listen(on: bound, access: NetworkAccess()) == bound)
    #expect(try ControlConnection("tcp:\(bound.port)").ask("ping") == ["OK"])
  }

  @Test("The sockets of the network are the system's: they stay when a suspended application's are reclaimed")
  func systemSockets() throws {
    let server = try TestServer()
    let bound = try server.server.listen(
      on: NetworkAddress(host: "127.0.0.1", port: 0), access: NetworkAccess())
    let client = try ControlConnection("tcp:\(bound.port)")
    #expect(try client.ask("ping") == ["OK"])
    let descriptors = LoopbackSocket.descriptors(at: Int(bound.port))
    #expect(descriptors.count == 2)
    #expect(descriptors.allSatisfy(SystemSockets.contain))
  }

  @Test("What is a network address, and how it is written")
  func texts() throws {
    for (text, host, port) in [
      ("127.0.0.1:6601", "127.0.0.1", 6601), ("kitchen.local", "kitchen.local", 6600), ("[::1]:7", "::1", 7),
      ("[fe80::1]", "fe80::1", 6600), ("::1", "::1", 6600), ("*:9", "*", 9),
      ("[::ffff:127.0.0.1]:8", "::ffff:127.0.0.1", 8),
    ] {
      let address = try #require(NetworkAddress(text), "\(text)")
      #expect(address == NetworkAddress(host: host, port: UInt16(port)))
      #expect(NetworkAddress("\(address)") == address)
    }
    for text in [
      "", ":6600", "a:", "a:x", "a:+1", "a:65536", "[::1", "[::1]x", "[a]:1", "a:1:2", "/tmp/x", "a b",
    ] {
      #expect(NetworkAddress(text) == nil, "\(text)")
    }
  }
}
