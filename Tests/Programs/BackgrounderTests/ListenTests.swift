import ContinuoTesting
import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension BackgrounderTests {
  /// The server on the phone, with real clients (Technical Note TN2277, "Listening Socket" and "Data Socket").
  @Suite struct ListenTests {
    /// A screen that listens, and its port, which the system gives to nobody else while it is closed.
    private func listening(_ arguments: [String] = []) async throws -> (run: Run, port: Int) {
      let port = try LoopbackSocket.freePort()
      let run = try Run(["listen", "--port", "\(port)", "--script", "-"] + arguments)
      try await run.printed("Listening on 127.0.0.1:\(port)")
      return (run, port)
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

    /// How many sockets the application has open.
    private func socketCount(of run: Run) throws -> Int {
      let folder = "/proc/\(try run.application())/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?.hasPrefix("socket:")
          == true
      }
    }

    /// T3: closed in the background, so that clients are refused at once, and open in front at the same port. T5 and T9: a
    /// connection that was left open gets its last word in didEnterBackground, and is lost when it is reclaimed; the application
    /// sees that as an error.
    @Test(.blocksThread) func clientsAreRefusedInTheBackground() async throws {
      let (run, port) = try await listening()
      let client = try LoopbackSocket.connected(to: port)
      try client.send("hello\n")
      #expect(try client.receiveLine() == "hello")
      let peer = "127.0.0.1:\(client.port)"
      let sockets = try socketCount(of: run)
      for press in 1...3 {
        run.type("home")
        try await run.printed("No longer listening", times: press)
        #expect(try isRefused(port))
        try await run.printed("state suspended", times: press)
        #expect(try isRefused(port))
        run.type("foreground")
        try await run.printed("Listening on 127.0.0.1:\(port)", times: press + 1)
        #expect(try !isRefused(port))
      }
      #expect(try client.receiveLine() == "quiet")
      #expect(throws: POSIXError(.ECONNRESET)) { try client.receive() }
      // The client's connection is lost, and nothing else is left of the three times. The last connection that showed the
      // port open comes and goes at any time meanwhile.
      let end = ContinuousClock.now + .seconds(120)
      var count = try socketCount(of: run)
      while count >= sockets, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(10))
        count = try socketCount(of: run)
      }
      #expect(count < sockets)
      let transcript = try await run.quit()
      #expect(transcript.application.count { $0 == "Listening on 127.0.0.1:\(port)" } == 4)
      #expect(transcript.application.count { $0 == "No longer listening" } == 3)
      #expect(transcript.system.contains("> sockets reclaimed: 127.0.0.1:\(port) → \(peer)"))
      let resumption = try transcript.application(
        after: "> state suspended", "> foreground", before: "> state active")
      // The connection that shows it open may come before the application is active.
      #expect(
        resumption.prefix(2)
          == ["Client \(peer) is lost: Connection reset by peer", "Listening on 127.0.0.1:\(port)"])
      // The listening socket was no longer there to be reclaimed.
      #expect(!transcript.system.contains { $0.hasSuffix("listening") })
      #expect(transcript.errors.isEmpty)
    }

    /// T1 and T2, and a connection that is kept because another is expensive: nobody answers for a suspended application that keeps its sockets, although the kernel accepts; all is
    /// answered in front.
    @Test(.blocksThread) func aSuspendedApplicationAnswersNobody() async throws {
      let (run, port) = try await listening(["--misbehave", "leave-open", "--reclaim-sockets", "never"])
      let old = try LoopbackSocket.connected(to: port)
      try old.send("1\n")
      #expect(try old.receiveLine() == "1")
      run.type("home")
      try await run.printed("state suspended")
      #expect(try old.receiveLine() == "quiet")
      let new = try LoopbackSocket.connected(to: port)
      try old.send([UInt8](repeating: 0x61, count: 1023) + [0x0A])
      try new.send("2\n")
      var waiting = pollfd(fd: new.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&waiting, 1, 500) == 0)
      waiting.fd = old.descriptor
      #expect(poll(&waiting, 1, 0) == 0)
      run.type("foreground")
      #expect(try old.receiveLine().count == 1023)
      #expect(try old.receiveLine() == "awake")
      #expect(try new.receiveLine() == "2")
      let transcript = try await run.quit()
      #expect(try transcript.application(after: "> state suspended", before: "> foreground").isEmpty)
      #expect(!transcript.system.contains { $0.contains("reclaimed") })
    }

    /// T2 and T4: what was left open is reclaimed: clients are refused at once, and the application is deaf from then on.
    @Test(.blocksThread) func aListenerThatWasLeftOpenIsDeaf() async throws {
      let (run, port) = try await listening(["--misbehave", "leave-open"])
      run.type("home")
      try await expectDeaf(run, port)
    }

    /// TN2277, "Testing Socket Reclaim": background and suspended is not enough where the screen has to be locked.
    @Test(.blocksThread) func withoutTheLockTheyStay() async throws {
      let (run, port) = try await listening(["--misbehave", "leave-open", "--reclaim-sockets", "when-locked"])
      run.type("home")
      try await run.printed("state suspended")
      #expect(try !isRefused(port))
      run.type("foreground lock")
      try await expectDeaf(run, port)
    }

    /// Expects that the listener is reclaimed, and found to be so in front.
    private func expectDeaf(_ run: Run, _ port: Int) async throws {
      try await run.printed("sockets reclaimed: 127.0.0.1:\(port) listening")
      #expect(try isRefused(port))
      run.type("foreground")
      let transcript = try await run.quit()
      // That the client of `isRefused` has gone may be read later.
      #expect(
        transcript.application.last { !$0.hasPrefix("Client ") } == "No longer listening: Invalid argument")
      #expect(transcript.application.count { $0.hasPrefix("No longer listening") } == 1)
      #expect(transcript.application.count { $0.hasPrefix("Listening") } == 1)
      #expect(transcript.errors.isEmpty)
    }

    @MainActor @Test func aPortThatIsTakenIsSaidSo() async throws {
      let taken = try LoopbackSocket.listening()
      try await withPhone(["listen", "--port", "\(taken.port)"]) { phone in
        #expect(phone.lines == ["Cannot listen on port \(taken.port): Address already in use"])
      }
    }
  }
}
