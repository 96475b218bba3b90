import AppLifecycle
import ContinuoTesting
import Dispatch
import Foundation
import NetworkTestSupport
import PulseTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Backgrounder

extension BackgrounderTests {
  /// The screens that talk to a web service, with a real one.
  @Suite struct ServiceTests {
    private static let target = "/user/SESSIONKEY/endsession"
    private static let task = "> task 1 \"End of session\""

    private func answer(_ body: String) -> [HostileServer.Step] {
      let head = HostileFile.head("200 OK", ["Content-Length: \(body.utf8.count)"])
      return [.send(head + Array(body.utf8))]
    }

    /// Lets a server answer.
    private final class Gate: Sendable {
      private let permits = DispatchSemaphore(value: 0)
      func open() { permits.signal() }
      /// Blocks until the gate was opened, and leaves it open.
      func pass() {
        permits.wait()
        permits.signal()
      }
    }

    @Test(
      arguments: [
        (#"{"success": true}"#, "Session ended"), (#"{"success": 1, "more": []}"#, "Session ended"),
        // The document asks for the key, not for its value.
        (#"{"success": false}"#, "Session ended"), (#"{"success": null}"#, "Session ended"),
        (#"{"error": "x"}"#, "Error ending session"), (#"{"result": "success"}"#, "Error ending session"),
        ("[]", "Error ending session"), ("<html>", "Error ending session"), ("", "Error ending session"),
      ])
    func anAnswerTellsTheOutcome(body: String, outcome: String) {
      #expect(BackgroundCleanupService.outcome(of: Data(body.utf8)) == outcome)
    }

    /// Document 000, with the program: the call in the background.
    @Test func theServiceSaysWhatBecameOfTheSession() async throws {
      let gate = Gate()
      let server = try HostileServer { [self] _ in
        gate.pass()
        return answer(#"{"error": "unknown key"}"#)
      }
      let run = try Run(["session", "--service", server.url(""), "--script", "-"])
      run.type("home")
      try await run.printed("state background")
      gate.open()
      try await run.printed("state suspended")
      let transcript = try await run.quit()
      #expect(server.requests.map(\.lines.first) == ["GET \(Self.target) HTTP/1.1"])
      #expect(
        transcript.application == [
          "Session begun", "Application entered background state.", "Error ending session",
        ])
      #expect(
        // The connection is kept for another request; the system may take it before or after it has said that.
        transcript.system.filter { !$0.contains("reclaimed") } == Transcript.launch + Transcript.home + [
          "\(Self.task) begun", "> state background", "\(Self.task) ended", "> state suspended", "> quit",
        ])
    }

    @MainActor @Test func aServiceThatIsNotThereIsAnError() async throws {
      let url = "http://127.0.0.1:\(try LoopbackSocket.freePort())"
      try await withPhone(["session", "--service", url, "--press", "home@1"]) { phone in
        try await phone.wait(for: "task \"End of session\" ended")
        #expect(phone.lines.last == "Service error: 127.0.0.1 refuses the connection")
        #expect(phone.device.state == .suspended)
      }
    }

    /// N28: a service that is too slow costs neither the application nor the button.
    @MainActor @Test func aServiceThatDoesNotAnswerIsGivenUp() async throws {
      #expect(ScreenParts(work: 1).serviceLimit == 20)
      let server = try HostileServer { _ in [.hang] }
      let lines = Mutex<[String]>([])
      var parts = ScreenParts(service: try WebService(url: server.url("/")), work: 0)
      parts.serviceLimit = 1
      parts.print = { line in lines.withLock { $0.append(line) } }
      let start = ContinuousClock.now
      await BackgroundCleanupService(parts).run()
      #expect(ContinuousClock.now - start > .milliseconds(900))
      #expect(lines.withLock { $0 } == ["Service error: no answer within 1 seconds"])
      // The longest call leaves most of the time that there is.
      try await withPhone([
        "session", "--work", "20", "--background-time", "30", "--script", "home@1 quit@50",
      ]) { phone in
        #expect(
          phone.device.record.only("task", "state suspended", "terminated") == """
            1.000 task "End of session" begun
            21.000 task "End of session" ended
            21.000 state suspended
            """)
      }
    }

    /// T10: the handler of a task whose time is over closes the connection without a word, and nobody is terminated.
    @MainActor @Test func theTaskExpiresInTime() async throws {
      let closings = Atomic(0)
      let server = try HostileServer(
        { _ in [.hang] }, onClose: { closings.add(1, ordering: .sequentiallyConsistent) })
      try await withPhone(
        ["session", "--service", server.url(""), "--press", "home@1"],
        // Longer than the test waits: nothing but the handler ends the call.
        change: { $0.serviceLimit = 1000 }
      ) { phone in
        try await phone.wait(for: "the request") { server.requests.count == 1 }
        await phone.device.advance(to: .seconds(300))
        try await phone.wait(for: "the end of the connection") {
          closings.load(ordering: .sequentiallyConsistent) == 1
        }
        #expect(
          phone.device.record.since(.seconds(1)).only("|", "task", "state", "terminated") == """
            1.000 state inactive
            1.000 | Application entered background state.
            1.000 task "End of session" begun
            1.000 state background
            176.000 task "End of session" expires
            176.000 task "End of session" ended
            176.000 state suspended
            """)
      }
    }

    /// T8, with the program: who waits for the network in didEnterBackground is terminated by the watchdog.
    @Test func waitingForTheNetworkIsDeadly() async throws {
      let server = try HostileServer { _ in [.hang] }
      let run = try Run([
        "session", "--service", server.url(""), "--misbehave", "wait-for-network", "--call-limit", "4",
        "--script", "-",
      ])
      run.type("home launch")
      try await run.printed("state active", times: 2)
      let transcript = try await run.quit(status: 1)
      #expect(server.requests.count == 1)
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> state notRunning", "> terminated: 0x8badf00d",
        ] + Transcript.launch + ["> quit"])
      #expect(transcript.errors.first == "continuo: Application terminated: 0x8badf00d")
      #expect(
        transcript.errors.contains { $0.contains("didEnterBackground had not returned after ") })
      #expect(
        transcript.application
          == ["Session begun", "Application entered background state.", "Session begun"])
    }

    // MARK: Uploads

    /// The program.
    @Test func anUploadArrives() async throws {
      let gate = Gate()
      let server = try HostileServer { request in
        if request.target != "/in/upload/1" { gate.pass() }
        return HostileFile.plain("201 Created")
      }
      let run = try Run(["upload", "--service", server.url("/in"), "--script", "-"])
      run.type("tap")
      try await run.printed("Sent part 1 of 10")
      run.type("home")
      try await run.printed("state background")
      gate.open()
      try await run.printed("state suspended")
      let transcript = try await run.quit()
      #expect(transcript.application == (1...10).map { "Sent part \($0) of 10" } + ["Upload finished"])
      #expect(server.requests.map(\.lines.first) == (1...10).map { "PUT /in/upload/\($0) HTTP/1.1" })
      for (index, request) in server.requests.enumerated() {
        #expect(request.body == [UInt8](repeating: UInt8(index + 1), count: 65_536))
      }
      let task = "> task 1 \"Finish Network Tasks\""
      #expect(
        transcript.system.filter { !$0.contains("reclaimed") } == Transcript.launch + [
          "> tap", "\(task) begun",
        ]
          + Transcript.home + ["> state background", "\(task) ended", "> state suspended", "> quit"])
    }

    @MainActor @Test func anUploadIsStoppedOrRefused() async throws {
      let hanging = try HostileServer {
        $0.target == "/upload/1" ? HostileFile.plain("201 Created") : [.hang]
      }
      try await withPhone(["upload", "--service", hanging.url("")], change: { $0.serviceLimit = 1000 }) {
        phone in
        try await phone.wait(for: "the second part") { hanging.requests.count == 2 }
        try await phone.play("home@1 quit@300")
        try await phone.wait(for: "| Upload stopped before part 2 of 10")
        #expect(
          phone.lines == ["Sent part 1 of 10", "Out of time", "Upload stopped before part 2 of 10"])
        #expect(phone.device.record.moments(of: "| Out of time") == [.seconds(176)])
        #expect(phone.device.state == .suspended && phone.device.termination == nil)
      }
      let refusing = try HostileServer { _ in HostileFile.plain("507 Insufficient Storage") }
      try await withPhone(["upload", "--service", refusing.url("")]) { phone in
        try await phone.wait(for: "task \"Finish Network Tasks\" ended")
        #expect(phone.lines == ["Upload failed at part 1 of 10: the server answers with 507"])
      }
    }

    /// What the server has confirmed is not sent again.
    @MainActor @Test func anUploadContinues() async throws {
      let server = try HostileServer { request in
        let isRefused = request.target == "/upload/4" && request.number == 1
        return HostileFile.plain(isRefused ? "503 Service Unavailable" : "201 Created")
      }
      try await withPhone(["upload", "--service", server.url("")]) { phone in
        try await phone.wait(for: "| Upload failed at part 4 of 10: the server answers with 503")
        await phone.perform(.tap)
        try await phone.wait(for: "| Upload finished")
        #expect(phone.lines.contains("Going on at part 4 of 10"))
        #expect(server.requests.map(\.target) == ([1, 2, 3, 4] + (4...10)).map { "/upload/\($0)" })
        // A finished upload is followed by another.
        await phone.perform(.tap)
        try await phone.wait(for: "the second upload") { phone.lines.count { $0 == "Upload finished" } == 2 }
        #expect(server.requests.suffix(10).map(\.target) == (1...10).map { "/upload/\($0)" })
      }
    }
  }
}
