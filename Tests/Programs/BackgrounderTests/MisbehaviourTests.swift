import AppLifecycle
import ContinuoTesting
import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension BackgrounderTests {
  /// The watchdog.
  @Suite struct MisbehaviourTests {
    /// The program: what the ended process had on its main queue is never run, and a launch that comes while the main thread
    /// hangs takes place when the process has ended, in another one.
    @Test func aBlockedMainThreadIsNotWaitedFor() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let path = folder.file("run.svg")
      let run = try Run([
        "session", "--misbehave", "block-background", "--call-limit", "5", "--timeline", path, "--script",
        "-",
      ])
      try await run.printed("state active")
      let first = try run.application()
      run.type("home launch")
      try await run.printed("state active", times: 2)
      #expect(try run.application() != first)
      let transcript = try await run.quit(status: 1)
      #expect(try String(contentsOfFile: path, encoding: .utf8).contains("0x8badf00d: didEnterBackground"))
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> task 1 \"End of session\" begun", "> state notRunning", "> terminated: 0x8badf00d",
        ] + Transcript.launch + ["> quit"])
      #expect(
        transcript.application == [
          "Session begun", "Application entered background state.", "Blocking the main thread",
          "Session begun",
        ])
      expectReport(
        // The last line names the report's file.
        transcript.errors.dropLast().map { $0.replacing("continuo: ", with: "") }, "0x8badf00d",
        "didEnterBackground had not returned after ",
        tasks: ["End of session"])
    }

    @MainActor @Test func aTaskThatNeverEndsIsNamed() async throws {
      try await withPhone([
        "fetch", "--misbehave", "never-end-task", "--script", "home@1 launch@500 quit@600",
      ]) { phone in
        #expect(
          phone.device.record.since(.seconds(1)).without("call") == """
            1.000 home
            1.000 state inactive
            1.000 task "Endless" begun
            1.000 state background
            176.000 task "Endless" expires
            176.000 | Out of time, but not ending
            181.000 state notRunning
            181.000 terminated 0x2182bad2: task "Endless" not ended after 180.000 s
            500.000 launch
            500.000 state inactive
            500.000 | Updated: Not yet updated
            500.000 state active
            """)
        expectReport(phone, "0x2182bad2", "\"Endless\"", tasks: ["Endless"])
      }
    }

    @MainActor @Test func anExpirationHandlerThatHangsIsNotWaitedFor() async throws {
      try await withPhone([
        "fetch", "--misbehave", "hang-expiration", "--expiration-warning", "20", "--script",
        "home@1 launch@500 quit@600",
      ]) { phone in
        #expect(
          phone.device.record.since(.seconds(1)).without("call") == """
            1.000 home
            1.000 state inactive
            1.000 task "Hanging" begun
            1.000 state background
            161.000 task "Hanging" expires
            161.000 | Hanging in the expiration handler
            166.000 state notRunning
            166.000 terminated 0x8badf00d: the expiration handler of task "Hanging" had not returned after 5.000 s
            167.000 | No longer hanging
            500.000 launch
            500.000 state inactive
            500.000 | Updated: Not yet updated
            500.000 state active
            """)
        expectReport(
          phone, "0x8badf00d", "the expiration handler of the background task \"Hanging\"", tasks: ["Hanging"]
        )
      }
    }

    @MainActor @Test func aFetchThatIsNeverCompletedEndsTheApplication() async throws {
      try await withPhone([
        "fetch", "--misbehave", "never-complete-fetch", "--background-modes", "fetch", "--script",
        "home@1 fetch@10 launch@100 quit@200",
      ]) { phone in
        #expect(
          phone.device.record.since(.seconds(10)).without("call") == """
            10.000 fetch
            10.000 state background
            10.000 | Fetching for ever
            40.000 fetch ended
            40.000 state notRunning
            40.000 terminated 0x2182bad4: fetch not completed after 30.000 s
            100.000 launch
            100.000 state inactive
            100.000 | Updated: Not yet updated
            100.000 state active
            """)
        expectReport(phone, "0x2182bad4", "fetch", tasks: [])
      }
    }

    @MainActor
    private func expectReport(
      _ phone: VirtualPhone, _ code: String, _ reason: String, tasks: [String],
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let text = phone.device.termination.map { "\($0)" } ?? ""
      expectReport(
        text.split(separator: "\n").map(String.init), code, reason, tasks: tasks,
        sourceLocation: sourceLocation)
    }

    /// Expects one report, and nothing else.
    private func expectReport(
      _ errors: [String], _ code: String, _ reason: String, tasks: [String],
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(errors.first == "Application terminated: \(code)", sourceLocation: sourceLocation)
      #expect(
        errors.contains { $0.hasPrefix("  Reason: ") && $0.contains(reason) }, "\(errors)",
        sourceLocation: sourceLocation)
      for task in tasks {
        #expect(
          errors.contains { $0.hasPrefix("    \"\(task)\", begun ") }, "\(errors)",
          sourceLocation: sourceLocation)
      }
      #expect(
        errors.dropFirst().allSatisfy { $0.hasPrefix("  ") }, "\(errors)", sourceLocation: sourceLocation)
    }
  }
}
