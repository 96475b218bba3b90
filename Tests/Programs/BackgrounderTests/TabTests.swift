import ContinuoTesting
import PulseTestSupport
import TestSupport
import Testing

@testable import Backgrounder

extension BackgrounderTests {
  /// The tutorial's single application.
  @Suite struct TabTests {
    /// Each tab does in the background what its screen does alone, and the delegate finds the screen to update among them.
    @MainActor @Test func fourTabsShareOneApplication() async throws {
      try await withPhone(
        [
          "tabs", "--background-modes", "audio,location,fetch", "--location", "freeway", "--script",
          "tap@0 tab2@1.005 tap@1.005 tab3@2 tap@2 home@3.005 fetch@5 foreground@7 tab4@8 tab1@9 tap@9 quit@10",
        ],
        songs: { [$0.song("a", duration: .seconds(60)).url] }
      ) { phone in
        let record = phone.device.record
        #expect(phone.device.heard.silences.isEmpty)
        #expect(phone.device.heard.passages.map(\.frames) == [0..<396_900])
        let behind = record.since(.milliseconds(3006)).only("| Background: ", "| App is").entries
          .prefix { $0.moment < .seconds(7) }
        #expect(behind.count { $0.text.hasPrefix("| Background: ") } == 399)
        #expect(behind.count { $0.text.hasPrefix("| App is backgrounded. New location") } == 3)
        #expect(behind.count { $0.text.hasPrefix("| App is backgrounded. Next number") } == 7)
        #expect(record.contains("fetch ended: newData"))
        // The label exists once its tab was selected, and is up to date then.
        #expect(record.only("| Updated: ").entries.map(\.moment) == [.seconds(8)])
        #expect(!phone.lines.contains("Updated: Not yet updated"))
      }
    }

    /// The program: a tab is set up when it is selected, and gets the taps from then on.
    @Test func tabsOfTheProgram() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let song = try await PulseTestSupport.Song(duration: 3, seed: 1).write(into: folder.path)
      let run = try Run(["tabs", "--script", "-", song])
      run.type("tab4")
      try await run.printed("Updated: Not yet updated")
      run.type("tap")
      try await run.line(number: 2) { $0.hasPrefix("Updated: ") }
      run.type("tab3 tap")
      try await run.line { $0.hasPrefix("Result: Position 2 = 1") }
      let transcript = try await run.quit()
      #expect(
        transcript.system == Transcript.launch + [
          "> tab4", "> tap", "> tab3", "> tap", "> task 1 \"Fibonacci\" begun", "> quit",
        ])
      #expect(transcript.application.count { $0.hasPrefix("Updated: ") } == 2)
      #expect(!transcript.application.contains { $0.hasPrefix("Time: ") })
    }

    @MainActor @Test func aScreenOfItsOwnHasNoOtherTab() async throws {
      try await withPhone(["whatever", "--script", "tab2@1 tap@1 quit@2"]) { phone in
        #expect(phone.lines == ["Result: Position 2 = 1", "Result: Position 3 = 2"])
      }
    }
  }
}
