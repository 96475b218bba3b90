import Foundation
import NetworkTestSupport
import PulseTestSupport
import Testing

extension BackgrounderTests {
  /// The server on the phone, with real clients (Technical Note TN2277, "Listening Socket" and "Data Socket").
  @Suite struct ListenTests {
    /// A screen that listens, and its port.
    private func listening(_ arguments: [String]) async throws -> (run: Run, port: Int) {
      let run = try Run(["listen"] + arguments)
      let line = try await run.line { $0.hasPrefix("Listening on 127.0.0.1:") }
      return (run, try #require(Int(line.split(separator: ":").last ?? "")))
    }

    private func isRefused(_ port: Int) throws -> Bool {
      do {
        _ = try LoopbackSocket.connected(to: port)
        return false
      } catch let error as POSIXError {
        // One that still came into the listener's queue is reset with it.
        #expect(error.code == .ECONNREFUSED || error.code == .ECONNRESET)
        return true
      }
    }

    /// How many sockets the program has open.
    private func socketCount(of run: Run) throws -> Int {
      let folder = "/proc/\(run.child.identifier)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?.hasPrefix("socket:")
          == true
      }
    }

    /// How long it takes from now until clients are refused, or served.
    private func time(untilRefused: Bool, _ port: Int) throws -> Duration {
      let start = ContinuousClock.now
      while try isRefused(port) != untilRefused {
        guard ContinuousClock.now - start < .seconds(60) else { throw POSIXError(.ETIMEDOUT) }
        usleep(500)
      }
      return ContinuousClock.now - start
    }

    /// T3: closed in the background, so that clients are refused at once, and open in front at the same port.
    @Test func clientsAreRefusedInTheBackground() async throws {
      let (run, port) = try await listening([
        "--script", "home@1 foreground@2 home@3 foreground@4 home@5 foreground@6 quit@13",
      ])
      let client = try LoopbackSocket.connected(to: port)
      try client.send("hello\n")
      #expect(try client.receiveLine() == "hello")
      let sockets = try socketCount(of: run)
      var refused: [Duration] = []
      var served: [Duration] = []
      for press in 1...3 {
        try await run.line(number: press) { $0.hasSuffix("] home") }
        refused.append(try time(untilRefused: true, port))
        try await run.line(number: press) { $0.hasSuffix("] foreground") }
        served.append(try time(untilRefused: false, port))
      }
      // The client's connection is lost, and nothing else is left of the three times.
      let end = ContinuousClock.now + .seconds(60)
      while try socketCount(of: run) >= sockets, ContinuousClock.now < end { await Task.yield() }
      #expect(try socketCount(of: run) < sockets)
      print("listen: refused after \(refused), served after \(served)")
      // Of three, since other programs may have the machine for a moment.
      #expect(refused.min() ?? .seconds(1) < .milliseconds(50))
      #expect(served.min() ?? .seconds(1) < .milliseconds(50))
      let transcript = try await run.ended()
      #expect(transcript.application.count { $0 == "Listening on 127.0.0.1:\(port)" } == 4)
      #expect(transcript.application.count { $0 == "No longer listening" } == 3)
      // The listening socket was no longer there to be reclaimed.
      #expect(!transcript.system.contains { $0.hasSuffix("listening") })
      #expect(transcript.errors.isEmpty)
    }

    /// T5 and T9: a connection that was left open gets its last word in didEnterBackground, and is lost when it is
    /// reclaimed; the application sees that as an error.
    @Test func connectionsThatWereLeftOpenAreLost() async throws {
      let (run, port) = try await listening(["--script", "home@1 foreground@2 quit@3"])
      let client = try LoopbackSocket.connected(to: port)
      try client.send("hello\n")
      #expect(try client.receiveLine() == "hello")
      #expect(try client.receiveLine() == "quiet")
      #expect(throws: POSIXError(.ECONNRESET)) { try client.receive() }
      let transcript = try await run.ended()
      let peer = "127.0.0.1:\(client.port)"
      #expect(transcript.system.contains("> sockets reclaimed: 127.0.0.1:\(port) → \(peer)"))
      #expect(
        try transcript.application(after: "> foreground", before: "> quit")
          == [
            "Client \(peer) is lost: Connection reset by peer", "Listening on 127.0.0.1:\(port)",
          ])
    }

    /// T1 and T2: nobody answers for a suspended application that keeps its sockets, although the kernel accepts; all is
    /// answered in front.
    @Test func aSuspendedApplicationAnswersNobody() async throws {
      let (run, port) = try await listening([
        "--misbehave", "leave-open", "--reclaim-sockets", "never", "--script",
        "home@1 foreground@2.5 quit@3.5",
      ])
      let old = try LoopbackSocket.connected(to: port)
      #expect(
        try {
          try old.send("1\n"); return try old.receiveLine()
        }() == "1")
      try await run.line { $0.hasSuffix("state suspended") }
      #expect(try old.receiveLine() == "quiet")
      let new = try LoopbackSocket.connected(to: port)
      try old.send([UInt8](repeating: 0x61, count: 1023) + [0x0A])
      try new.send("2\n")
      var waiting = pollfd(fd: new.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&waiting, 1, 500) == 0)
      waiting.fd = old.descriptor
      #expect(poll(&waiting, 1, 0) == 0)
      #expect(try old.receiveLine().count == 1023)
      #expect(try new.receiveLine() == "2")
      let transcript = try await run.ended()
      #expect(try transcript.application(after: "> state suspended", before: "> foreground").isEmpty)
      #expect(!transcript.system.contains { $0.contains("reclaimed") })
    }

    /// T2 and T4: what was left open is reclaimed: clients are refused at once, and the application is deaf from then on.
    @Test(arguments: [
      ("when-suspended", "home@1 foreground@2 quit@3"), ("when-locked", "lock@1 foreground@2 quit@3"),
    ])
    func aListenerThatWasLeftOpenIsDeaf(reclaim: String, script: String) async throws {
      let (run, port) = try await listening([
        "--misbehave", "leave-open", "--reclaim-sockets", reclaim, "--script", script,
      ])
      try await run.line { $0.hasSuffix("sockets reclaimed: 127.0.0.1:\(port) listening") }
      #expect(try isRefused(port))
      let transcript = try await run.ended()
      #expect(
        try transcript.application(after: "> foreground", before: "> quit")
          == ["No longer listening: Invalid argument"])
      #expect(transcript.errors.isEmpty)
    }

    /// TN2277, "Testing Socket Reclaim": background and suspended is not enough where the screen has to be locked.
    @Test func withoutTheLockTheyStay() async throws {
      let (run, port) = try await listening([
        "--misbehave", "leave-open", "--reclaim-sockets", "when-locked", "--script", "home@1 lock@2 quit@3",
      ])
      try await run.line { $0.hasSuffix("state suspended") }
      #expect(try !isRefused(port))
      try await run.line { $0.hasSuffix("sockets reclaimed: 127.0.0.1:\(port) listening") }
      #expect(try isRefused(port))
      _ = try await run.ended()
    }

    @Test func aPortThatIsTakenIsSaidSo() async throws {
      let taken = try LoopbackSocket.listening()
      let transcript = try await Run(["listen", "--port", "\(taken.port)", "--press", "quit@0.3"]).ended()
      #expect(transcript.application == ["Cannot listen on port \(taken.port): Address already in use"])
    }
  }
}
