import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

extension BackgrounderTests {
  /// The screens that talk to a web service, with a real one.
  @Suite struct ServiceTests {
    private static let target = "/user/SESSIONKEY/endsession"
    private static let task = "> task 1 \"End of session\""

    private func answer(_ body: String, after seconds: Double = 0) -> [HostileServer.Step] {
      let head = HostileFile.head("200 OK", ["Content-Length: \(body.utf8.count)"])
      return [.wait(seconds), .send(head + Array(body.utf8))]
    }

    /// Document 000: the three outcomes of the call, in the background.
    @Test(
      arguments: [
        (#"{"success": true}"#, "Session ended"), (#"{"success": 1, "more": []}"#, "Session ended"),
        (#"{"success": false}"#, "Error ending session"), (#"{"error": "x"}"#, "Error ending session"),
        ("[]", "Error ending session"), ("<html>", "Error ending session"), ("", "Error ending session"),
      ])
    func theServiceSaysWhatBecameOfTheSession(body: String, outcome: String) async throws {
      let server = try HostileServer { [self] _ in answer(body, after: 0.3) }
      let transcript = try await Run([
        "session", "--service", server.url(""), "--script", "home@0.5 quit@2.5",
      ]).ended()
      #expect(server.requests.map(\.lines.first) == ["GET \(Self.target) HTTP/1.1"])
      #expect(
        transcript.application == ["Session begun", "Application entered background state.", outcome])
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "\(Self.task) begun", "> state background", "\(Self.task) ended", "> state suspended",
          // The connection is kept for another request.
          transcript.system.first { $0.contains("reclaimed") } ?? "", "> quit",
        ])
    }

    @Test func aServiceThatIsNotThereIsAnError() async throws {
      let transcript = try await Run([
        "session", "--service", "http://127.0.0.1:\(try HostileServer.freePort())", "--script",
        "home@0.3 quit@1.5",
      ]).ended()
      #expect(transcript.application.last == "Service error: 127.0.0.1 refuses the connection")
      #expect(transcript.system.contains("\(Self.task) ended"))
    }

    /// N28: a service that is too slow costs neither the application nor the button.
    @Test func aServiceThatDoesNotAnswerIsGivenUp() async throws {
      let slow = try HostileServer { [self] _ in answer(#"{"success": true}"#, after: 30) }
      let silent = try HostileServer { _ in [.hang] }
      // Both at once: they take their time.
      let runs = try [slow, silent].map {
        try Run([
          "session", "--service", $0.url("/"), "--background-time", "30", "--script", "home@0.5 quit@24",
        ])
      }
      for run in runs {
        let transcript = try await run.ended()
        #expect(transcript.application.last == "Service error: no answer within 20 seconds")
        #expect(transcript.system.contains("\(Self.task) ended"))
        #expect(!transcript.system.contains { $0.contains("expires") || $0.contains("terminated") })
      }
    }

    /// T10: the handler of a task whose time is over closes the connection without a word, and nobody is terminated.
    @Test func theTaskExpiresInTime() async throws {
      let server = try HostileServer { _ in [.hang] }
      let run = try Run([
        "session", "--service", server.url(""), "--background-time", "2.5", "--expiration-warning", "1.5",
        "--script", "home@0.5 quit@4",
      ])
      let transcript = try await run.ended()
      // The thread of the network closes what the handler has given up; suspension may find it open still.
      #expect(
        transcript.system.filter { !$0.hasPrefix("> sockets reclaimed") } == Transcript.launch
          + Transcript.home + [
            "\(Self.task) begun", "> state background", "\(Self.task) expires", "\(Self.task) ended",
            "\(Self.task) has expired", "> state suspended", "> quit",
          ])
      #expect(transcript.application.last == "Application entered background state.")
      #expect(transcript.errors.isEmpty)
    }

    /// T8: who waits for the network in didEnterBackground is terminated by the watchdog.
    @Test func waitingForTheNetworkIsDeadly() async throws {
      let server = try HostileServer { _ in [.hang] }
      let run = try Run([
        "session", "--service", server.url(""), "--misbehave", "wait-for-network", "--script",
        "home@0.5 launch@7 quit@8",
      ])
      let transcript = try await run.ended(status: 1)
      #expect(server.requests.count == 1)
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> state notRunning", "> terminated: 0x8badf00d",
        ] + Transcript.launch + ["> quit"])
      #expect(transcript.errors.first == "Application terminated: 0x8badf00d")
      #expect(
        transcript.errors.contains { $0.contains("didEnterBackground had not returned after 5.0") })
      #expect(
        transcript.application
          == ["Session begun", "Application entered background state.", "Session begun"])
    }

    // MARK: Uploads

    @Test func anUploadArrives() async throws {
      let server = try HostileServer { _ in [.wait(0.1)] + HostileFile.plain("201 Created") }
      let transcript = try await Run([
        "upload", "--service", server.url("/in"), "--script", "tap@0 home@0.5 quit@4",
      ]).ended()
      #expect(transcript.application == (1...10).map { "Sent part \($0) of 10" } + ["Upload finished"])
      #expect(server.requests.map(\.lines.first) == (1...10).map { "PUT /in/upload/\($0) HTTP/1.1" })
      for (index, request) in server.requests.enumerated() {
        #expect(request.body == [UInt8](repeating: UInt8(index + 1), count: 65_536))
      }
      #expect(transcript.system.contains("> task 1 \"Finish Network Tasks\" ended"))
    }

    @Test func anUploadIsStoppedOrRefused() async throws {
      let hanging = try HostileServer {
        $0.target == "/upload/1" ? HostileFile.plain("201 Created") : [.hang]
      }
      let stopped = try await Run([
        "upload", "--service", hanging.url(""), "--background-time", "2", "--expiration-warning", "1",
        "--script",
        "tap@0 home@1 quit@3.5",
      ]).ended()
      #expect(
        stopped.application == ["Sent part 1 of 10", "Out of time", "Upload stopped before part 2 of 10"])
      let refusing = try HostileServer { _ in HostileFile.plain("507 Insufficient Storage") }
      let refused = try await Run(["upload", "--service", refusing.url(""), "--press", "quit@1"]).ended()
      #expect(refused.application == ["Upload failed at part 1 of 10: the server answers with 507"])
    }
  }
}
