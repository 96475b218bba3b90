import PulseTestSupport
import Testing

extension BackgrounderTests {
  /// The screens that finish something in the background.
  @Suite struct TaskTests {
    @Test func anUploadIsFinishedInTheBackground() async throws {
      let transcript = try await Run(["upload", "--work", "1", "--script", "tap@0 home@0.35 quit@2"]).ended()
      #expect(
        transcript.system == Transcript.launch + ["> tap", "> task 1 \"Finish Network Tasks\" begun"]
          + Transcript.home
          + ["> state background", "> task 1 \"Finish Network Tasks\" ended", "> state suspended", "> quit"])
      #expect(transcript.application == (1...10).map { "Sent part \($0) of 10" } + ["Upload finished"])
      #expect(
        try transcript.application(after: "> state background", before: "> state suspended").last
          == "Upload finished")
      #expect(transcript.errors.isEmpty)
    }

    @Test func anUploadThatTakesTooLongIsStopped() async throws {
      let transcript = try await Run([
        "upload", "--work", "5", "--background-time", "2", "--expiration-warning", "0.75", "--script",
        "tap@0 home@0.75 quit@3.5",
      ]).ended()
      let task = "> task 1 \"Finish Network Tasks\""
      #expect(
        transcript.system == Transcript.launch + ["> tap", "\(task) begun"] + Transcript.home
          + [
            "> state background", "\(task) expires", "\(task) ended", "\(task) has expired",
            "> state suspended",
          ]
          + ["> quit"])
      let sent = transcript.application.filter { $0.hasPrefix("Sent") }.count
      #expect((1...8).contains(sent))
      #expect(
        transcript.application == (1...max(1, sent)).map { "Sent part \($0) of 10" } + [
          "Out of time", "Upload stopped before part \(sent + 1) of 10",
        ])
      #expect(transcript.errors.isEmpty)
    }

    @Test func downloadsGoOnByANotificationAlone() async throws {
      let transcript = try await Run(["download", "--work", "1.2", "--script", "tap@0 home@0.45 quit@2.5"])
        .ended()
      #expect(
        transcript.system == Transcript.launch + ["> tap"] + Transcript.home + [
          "> task 1 \"Download\" begun", "> state background", "> task 1 \"Download\" ended",
          "> state suspended",
          "> quit",
        ])
      #expect(transcript.application == Self.downloads + ["No more downloads"])
      #expect(try transcript.application(after: "> state suspended", before: "> quit").isEmpty)
    }

    /// What was not done in time stands still with the application, and goes on in front.
    @Test func downloadsStandStillWhenTheirTimeIsOver() async throws {
      let transcript = try await Run([
        "download", "--work", "2", "--background-time", "1.5", "--expiration-warning", "0.75", "--script",
        "tap@0 home@0.25 foreground@2.5 quit@5",
      ]).ended()
      let task = "> task 1 \"Download\""
      #expect(
        transcript.system == Transcript.launch + ["> tap"] + Transcript.home + [
          "\(task) begun", "> state background", "\(task) expires", "\(task) ended", "\(task) has expired",
          "> state suspended",
        ] + Transcript.foreground + ["> state active", "> quit"])
      #expect(try transcript.application(after: "> state suspended", before: "> foreground").isEmpty)
      let warning = try #require(transcript.application.first { $0.hasPrefix("Out of time, ") })
      #expect(transcript.application.filter { $0 != warning } == Self.downloads + ["No more downloads"])
      let left = transcript.application.drop { $0 != warning }.dropFirst().count {
        $0.hasPrefix("Downloaded")
      }
      #expect(warning == "Out of time, \(left) downloads left")
      #expect(left > 0)
    }

    /// With nothing to do in the background it asks for nothing.
    @Test func finishedDownloadsAskForNoTime() async throws {
      let transcript = try await Run(["download", "--work", "0.2", "--script", "tap@0 home@1 quit@1.3"])
        .ended()
      #expect(
        transcript.system == Transcript.launch + ["> tap"] + Transcript.home
          + ["> state background", "> state suspended", "> quit"])
      #expect(transcript.application == Self.downloads + ["No more downloads"])
    }

    @Test func theServiceHearsOfTheEndOfTheSession() async throws {
      let transcript = try await Run(["session", "--work", "0.5", "--script", "home@0.3 quit@1.5"]).ended()
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> task 1 \"End of session\" begun", "> state background", "> task 1 \"End of session\" ended",
          "> state suspended", "> quit",
        ])
      #expect(
        transcript.application == ["Session begun", "Application entered background state.", "Session ended"])
      #expect(transcript.errors.isEmpty)
    }

    /// With a second or less there is no point in calling it.
    @Test func theServiceIsNotCalledWithoutTime() async throws {
      let transcript = try await Run([
        "session", "--background-time", "0.9", "--expiration-warning", "0.1", "--script", "home@0.3 quit@1",
      ]).ended()
      #expect(transcript.application == ["Session begun", "Application entered background state."])
      #expect(transcript.system.contains("> task 1 \"End of session\" ended"))
      #expect(transcript.system.suffix(2) == ["> state suspended", "> quit"])
    }

    private static let downloads = ["one", "two", "three", "four"].map { "Downloaded \($0).mp3" }
  }
}
