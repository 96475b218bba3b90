import PulseTestSupport
import TestSupport
import Testing

extension ClientTests {
  /// What servers of this protocol get wrong, with the real program.
  @Suite struct IdleTests {
    /// A hall, its Continuo, and connections to it.
    private func withContinuo(_ body: (String) async throws -> Void) async throws {
      let hall = try await Hall()
      defer { hall.close() }
      try await body(try await hall.startContinuo())
    }

    @Test func noidleOutsideOfIdleGetsNoReply() async throws {
      try await withContinuo { socket in
        let client = try ControlConnection(socket)
        client.send("noidle\n")
        #expect(client.isSilent(for: 0.3))
        #expect(try client.ask("ping") == ["OK"])
        // As ncmpcpp does after each event, when reply and noidle have crossed.
        // Of messages, since the library's first update may end meanwhile and would be told.
        client.send("idle message\nnoidle\n")
        #expect(try client.reply() == ["OK"])
        client.send("noidle\nstatus x\n")
        #expect(try client.reply() == ["ACK [2@0] {status} wrong number of arguments for \"status\""])
      }
    }

    @Test func idleWithEventsPendingAnswersAtOnce() async throws {
      try await withContinuo { socket in
        let client = try ControlConnection(socket)
        let other = try ControlConnection(socket)
        #expect(try other.ask("setvol 30") == ["OK"])
        // Not of all subsystems: the end of the library's first update may be told only now.
        #expect(try client.ask("idle options mixer player") == ["changed: mixer", "OK"])
        #expect(try other.ask("repeat 1") == ["OK"])
        #expect(try other.ask("setvol 31") == ["OK"])
        #expect(try client.ask("idle options") == ["changed: options", "OK"])
        // In mpd's order, each once.
        #expect(try other.ask("repeat 0") == ["OK"])
        #expect(try other.ask("setvol 32") == ["OK"])
        #expect(try other.ask("setvol 33") == ["OK"])
        #expect(
          try client.ask("idle options mixer player") == ["changed: mixer", "changed: options", "OK"])
        // What it is told of while it waits.
        client.send("idle mixer\n")
        #expect(client.isSilent(for: 0.2))
        #expect(try other.ask("repeat 1") == ["OK"])
        #expect(client.isSilent(for: 0.2))
        #expect(try other.ask("setvol 34") == ["OK"])
        #expect(try client.reply() == ["changed: mixer", "OK"])
      }
    }

    @Test func bareIdleHearsOfNoNameThatMPDHasNot() async throws {
      try await withContinuo { socket in
        let bare = try ControlConnection(socket)
        let named = try ControlConnection(socket)
        let other = try ControlConnection(socket)
        named.send("idle application\n")
        #expect(try other.ask("home") == ["OK"])
        #expect(try named.reply() == ["changed: application", "OK"])
        #expect(try other.ask("foreground") == ["OK"])
        #expect(try named.ask("idle application") == ["changed: application", "OK"])
        var names: Set<String> = []
        while !names.contains("changed: options") { names.formUnion(try bare.ask("idle")) }
        #expect(!names.contains("changed: application"))
        // Nothing of it is left for later either.
        bare.send("idle\n")
        #expect(try other.ask("home") == ["OK"])
        #expect(try !bare.reply().contains("changed: application"))
        #expect(
          try named.ask("idle bogus application") == ["ACK [2@0] {idle} Unrecognized idle event: bogus"])
      }
    }

    @Test func lineMayComeInPieces() async throws {
      try await withContinuo { socket in
        let client = try ControlConnection(socket)
        for byte in Array("status x\r\nping\n".utf8) {
          client.send([byte])
          if byte == UInt8(ascii: "u") { #expect(client.isSilent(for: 0.2)) }
        }
        #expect(try client.reply() == ["ACK [2@0] {status} wrong number of arguments for \"status\""])
        #expect(try client.reply() == ["OK"])
      }
    }

    @Test func halfClosedConnectionGetsAllItsAnswers() async throws {
      try await withContinuo { socket in
        let client = try ControlConnection(socket)
        client.send(String(repeating: "status\n", count: 500) + "add a.mp3\nplaylist\nping")
        client.finishSending()
        let answer = try client.rest()
        #expect(answer.split(separator: "\n").count { $0 == "OK" } == 502)
        #expect(answer.hasSuffix("OK\nOK\n0:file: a.mp3\nOK\n"))
      }
    }

    @Test func requestsInOneGoAreAnsweredInOrder() async throws {
      try await withContinuo { socket in
        let client = try ControlConnection(socket)
        // From memory, from the disk and by the application in turn.
        let count = 100
        client.send(
          (0..<count).map { "setvol \($0)\naddid a.mp3\nlock\nunlock\ngetvol\n" }.joined())
        for index in 0..<count {
          #expect(try client.reply() == ["OK"])
          #expect(try client.reply().first?.hasPrefix("Id: ") == true)
          #expect(try client.reply() == ["OK"])
          #expect(try client.reply() == ["OK"])
          #expect(try client.reply() == ["volume: \(index)", "OK"])
        }
      }
    }

    /// The player gets there later, but who asks is told of the new place.
    @Test(arguments: [false, true]) func seekShowsAtOnce(isPaused: Bool) async throws {
      try await withContinuo { socket in
        let client = try ControlConnection(socket)
        _ = try client.ask("add a.mp3")
        _ = try client.untilTagged()
        _ = try client.ask("play")
        if isPaused { _ = try client.ask("pause 1") }
        for index in 0..<100 {
          let seconds = [3, 25, 7, 12][index % 4]
          client.send("seekcur \(seconds)\nseekcur +1\nstatus\n")
          #expect(try client.reply() == ["OK"])
          #expect(try client.reply() == ["OK"])
          let elapsed = try client.reply().first { $0.hasPrefix("elapsed: ") }.flatMap {
            Double($0.dropFirst("elapsed: ".count))
          }
          let place = try #require(elapsed)
          #expect((Double(seconds) + 1..<Double(seconds) + (isPaused ? 1.001 : 60)).contains(place))
        }
      }
    }
  }
}
