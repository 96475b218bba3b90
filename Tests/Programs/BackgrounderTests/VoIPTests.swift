import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension BackgrounderTests {
  /// T14: the connection over which the phone is called (Technical Note TN2277, "VoIP Sockets"), with a real server.
  @Suite struct VoIPTests {
    @Test(.blocksThread) func aCallWakesASuspendedApplication() async throws {
      let listener = try LoopbackSocket.listening()
      let run = try Run([
        "voip", "--port", "\(listener.port)", "--background-modes", "voip", "--script", "-",
      ])
      let server = try listener.accept()
      run.type("home")
      try await run.printed("state suspended")
      try server.send("Alice\n")
      #expect(try server.receiveLine() == "ringing")
      run.type("foreground")
      try await run.printed("state active", times: 2)
      // In front it is there, too: nothing was reclaimed.
      try server.send("Bob\n")
      #expect(try server.receiveLine() == "ringing")
      let transcript = try await run.quit()
      #expect(
        transcript.application == [
          "Waiting for calls from 127.0.0.1:\(listener.port)", "Keep-alive every 600 seconds",
          "App is backgrounded. Call from Alice", "Call from Bob",
        ])
      #expect(
        try transcript.application(after: "> state suspended", "> happened voip-data", before: "> foreground")
          == ["App is backgrounded. Call from Alice"])
      #expect(!transcript.system.contains { $0.contains("reclaimed") })
      #expect(transcript.errors.isEmpty)
    }

    @Test(.blocksThread) func withoutTheModeTheConnectionIsLost() async throws {
      let listener = try LoopbackSocket.listening()
      let port = listener.port
      let run = try Run(["voip", "--port", "\(port)", "--script", "-"])
      let server = try listener.accept()
      run.type("home")
      try await run.line { $0.contains("sockets reclaimed") }
      #expect(throws: POSIXError(.ECONNRESET)) { try server.receive() }
      run.type("foreground")
      let waiting = "Waiting for calls from 127.0.0.1:\(port), but not while suspended"
      try await run.printed(waiting, times: 2)
      let transcript = try await run.quit()
      #expect(
        transcript.application == [waiting, "The server is lost: Connection reset by peer", waiting])
      #expect(
        transcript.system.count { $0.hasPrefix("> refused: VoIP sockets and keep-alive handlers need") } == 3)
    }
  }
}
