import PulseTestSupport
import Testing

extension BackgrounderTests {
  @Suite struct WhateverTests {
    private static let expires = ["expires", "ended", "has expired"]

    /// The whole story: numbers in front, numbers with the remaining time in the background, nothing after the
    /// expiration, numbers again in front, and a second time in the background with a task of its own.
    @Test func tasksExpireAndAreBegunAgain() async throws {
      let run = try Run([
        "whatever", "--background-time", "3.5", "--expiration-warning", "2", "--script",
        "tap@0 home@1.25 foreground@4 home@5.25 quit@8",
      ])
      let transcript = try await run.ended()
      #expect(transcript.errors.isEmpty)

      var expected = Transcript.launch + ["> tap", "> task 1 \"Fibonacci\" begun"]
      expected += Transcript.home + ["> state background"]
      expected += Self.expires.map { "> task 1 \"Fibonacci\" \($0)" } + ["> state suspended"]
      expected += Transcript.foreground + ["> task 2 \"Fibonacci\" begun", "> state active"]
      expected += Transcript.home + ["> state background"]
      expected += Self.expires.map { "> task 2 \"Fibonacci\" \($0)" } + ["> state suspended", "> quit"]
      #expect(transcript.system == expected)

      try expectNumbers(transcript.application)
      for (task, end) in [("1", "> foreground"), ("2", "> quit")] {
        let expiry = "> task \(task) \"Fibonacci\" expires"
        let before = try transcript.application(
          after: "> task \(task) \"Fibonacci\" begun", "> state background", before: expiry)
        #expect(before.contains { $0.hasPrefix("App is backgrounded. Next number = ") })
        #expect(!before.contains("Background task ended."))
        let after = try transcript.application(after: expiry, "> state suspended", before: end)
        #expect(after.isEmpty)
        #expect(
          try transcript.application(after: expiry, before: "> state suspended").contains(
            "Background task ended."))
      }
      let inFront = try transcript.application(after: "> foreground", "> state active", before: "> home")
      #expect(!inFront.isEmpty && inFront.allSatisfy { $0.hasPrefix("Result: ") })
    }

    /// A calculation that is stopped in time leaves no task behind.
    @Test func stoppingEndsTheTask() async throws {
      let run = try Run(["whatever", "--script", "tap@0 tap@0.8 home@1 foreground@1.3 quit@1.5"])
      let transcript = try await run.ended()
      #expect(
        transcript.system == Transcript.launch + [
          "> tap", "> task 1 \"Fibonacci\" begun", "> tap", "> task 1 \"Fibonacci\" ended",
        ] + Transcript.home + ["> state background", "> state suspended"]
          + Transcript.foreground + ["> state active", "> quit"])
      #expect(transcript.application.last == "Background task ended.")
      try expectNumbers(transcript.application)
    }

    /// Expects each number once, in order, right, and the remaining time to fall.
    private func expectNumbers(_ lines: [String]) throws {
      var position = 1
      var (previous, current) = (0, 1)
      var remaining = Double.infinity
      for line in lines {
        if line == "Background task ended." {
          remaining = .infinity
        } else if let value = line.value(after: "Background time remaining = ") {
          // On the way back to the front it is unlimited.
          if value == "unlimited" { continue }
          let seconds = try #require(value.hasSuffix(" seconds") ? Double(value.dropLast(8)) : nil, "\(line)")
          #expect((0...3.5).contains(seconds) && seconds < remaining)
          remaining = seconds
        } else {
          let text = line.value(after: "Result: ") ?? line.value(after: "App is backgrounded. Next number = ")
          position += 1
          (previous, current) = (current, previous + current)
          #expect(text == "Position \(position) = \(current)")
        }
      }
    }
  }
}

extension String {
  /// What follows after `prefix`; nil for a line that begins otherwise.
  fileprivate func value(after prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
