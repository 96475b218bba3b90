import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension BackgrounderTests {
  /// The watchdog, for real.
  @Suite struct MisbehaviourTests {
    @Test func aBlockedMainThreadIsNotWaitedFor() async throws {
      let transcript = try await Run([
        "session", "--misbehave", "block-background", "--call-limit", "1", "--script",
        "home@0.3 launch@2.5 quit@3.5",
      ]).ended(status: 1)
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> task 1 \"End of session\" begun", "> state notRunning", "> terminated: 0x8badf00d",
        ] + Transcript.launch + ["> quit"])
      // What the first life had on its main queue is never run.
      #expect(
        transcript.application == [
          "Session begun", "Application entered background state.", "Blocking the main thread",
          "No longer blocking the main thread", "Session begun",
        ])
      #expect(
        try transcript.application(after: "> terminated: 0x8badf00d", before: "> launch")
          == ["No longer blocking the main thread"])
      expectReport(
        transcript, "0x8badf00d", "didEnterBackground had not returned after 1.", tasks: ["End of session"])
    }

    /// What was drawn until then is there, whatever becomes of the program afterwards; and a signal switches the phone off.
    @Test func theDrawingSurvives() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let path = folder.file("run.svg")
      let run = try Run([
        "session", "--misbehave", "block-background", "--call-limit", "1", "--timeline", path, "--press",
        "home@0.3",
      ])
      _ = try await run.log.wait(for: "the report", limit: 30) {
        $0.errors.contains { $0.hasPrefix("  Open") }
      }
      #expect(try String(contentsOfFile: path, encoding: .utf8).contains("didEnterBackground too slow"))
      kill(run.child.identifier, SIGKILL)
      let other = folder.file("other.svg")
      let interrupted = try Run(["fetch", "--timeline", other, "--press", "home@0.3"])
      try await interrupted.line { $0.hasSuffix("state suspended") }
      kill(interrupted.child.identifier, SIGINT)
      _ = try await interrupted.ended()
      // As it is told, not as it is drawn: a state of a few milliseconds has no room for its name.
      #expect(try String(contentsOfFile: other, encoding: .utf8).contains("application suspended"))
    }

    /// A launch that comes while the main thread still hangs takes place when it is free.
    @Test func aLaunchWaitsForTheMainThread() async throws {
      let transcript = try await Run([
        "session", "--misbehave", "block-background", "--call-limit", "1", "--script",
        "home@0.3 launch@0.9 quit@4",
      ]).ended(status: 1)
      #expect(
        transcript.application == [
          "Session begun", "Application entered background state.", "Blocking the main thread",
          "No longer blocking the main thread", "Session begun",
        ])
      #expect(transcript.system.suffix(3) == ["> call didBecomeActive", "> state active", "> quit"])
    }

    @Test func aTaskThatNeverEndsIsNamed() async throws {
      let transcript = try await Run([
        "fetch", "--misbehave", "never-end-task", "--background-time", "1.5", "--expiration-warning", "1",
        "--script", "home@0.3 launch@3 quit@3.5",
      ]).ended(status: 1)
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> task 1 \"Endless\" begun", "> state background", "> task 1 \"Endless\" expires",
          "> task 1 \"Endless\" has expired", "> state notRunning", "> terminated: 0x2182bad2",
        ] + Transcript.launch + ["> quit"])
      #expect(
        transcript.application == [
          "Updated: Not yet updated", "Out of time, but not ending", "Updated: Not yet updated",
        ])
      expectReport(transcript, "0x2182bad2", "\"Endless\"", tasks: ["Endless"])
    }

    @Test func anExpirationHandlerThatHangsIsNotWaitedFor() async throws {
      let transcript = try await Run([
        "fetch", "--misbehave", "hang-expiration", "--background-time", "2.5", "--expiration-warning", "2",
        "--call-limit", "1", "--script", "home@0.3 launch@3.5 quit@4",
      ]).ended(status: 1)
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> task 1 \"Hanging\" begun", "> state background", "> task 1 \"Hanging\" expires",
          "> state notRunning",
          "> terminated: 0x8badf00d",
        ] + Transcript.launch + ["> quit"])
      #expect(
        transcript.application == [
          "Updated: Not yet updated", "Hanging in the expiration handler", "No longer hanging",
          "Updated: Not yet updated",
        ])
      expectReport(
        transcript, "0x8badf00d", "the expiration handler of the background task \"Hanging\"",
        tasks: ["Hanging"])
    }

    @Test func aFetchThatIsNeverCompletedEndsTheApplication() async throws {
      let transcript = try await Run([
        "fetch", "--misbehave", "never-complete-fetch", "--background-modes", "fetch", "--fetch-limit", "0.8",
        "--script", "home@0.3 fetch@0.6 launch@2.5 quit@3",
      ]).ended(status: 1)
      #expect(transcript.system.contains("> terminated: 0x2182bad4"))
      #expect(transcript.system.suffix(Transcript.launch.count + 1) == (Transcript.launch + ["> quit"])[...])
      #expect(
        transcript.application == [
          "Updated: Not yet updated", "Fetching for ever", "Updated: Not yet updated",
        ])
      expectReport(transcript, "0x2182bad4", "fetch", tasks: [])
    }

    /// Expects one report on standard error, and nothing else there.
    private func expectReport(
      _ transcript: Transcript, _ code: String, _ reason: String, tasks: [String],
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let errors = transcript.errors
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
