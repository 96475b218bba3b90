import Foundation
import PulseTestSupport
import TestSupport
import Testing

extension BackgrounderTests {
  @Suite struct FetchTests {
    @Test(arguments: [true, false])
    func aSuspendedApplicationIsWokenForAFetch(fromPropertyList: Bool) async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      var modes = ["--background-modes", "fetch"]
      if fromPropertyList {
        let path = "\(folder.path)/Info.plist"
        let list = ["UIBackgroundModes": ["fetch"]]
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
          .write(to: URL(fileURLWithPath: path))
        modes = ["--info-plist", path]
      }
      let run = try Run(["fetch"] + modes + ["--script", "home@0.3 fetch@0.8 foreground@1.3 tap@1.6 quit@2"])
      let transcript = try await run.ended()
      #expect(
        transcript.system.filter { $0 != "> call didEnterBackground" }
          == (Transcript.launch + Transcript.home + [
            "> state background", "> state suspended", "> fetch", "> state background", "> call performFetch",
            "> fetch ended: newData", "> state suspended",
          ] + Transcript.foreground + ["> state active", "> tap", "> quit"]).filter {
            $0 != "> call didEnterBackground"
          })
      let application = transcript.application
      #expect(application.count == 3)
      #expect(application.first == "Updated: Not yet updated")
      for line in application.dropFirst() { #expect(line.isTime, "\(line)") }
      #expect(try transcript.application(after: "> state suspended", before: "> fetch").isEmpty)
      #expect(try transcript.application(after: "> fetch", before: "> fetch ended: newData").count == 1)
      #expect(transcript.errors.isEmpty)
    }

    @Test func anApplicationThatDoesNotRunIsLaunchedForAFetch() async throws {
      let run = try Run([
        "fetch", "--background-modes", "fetch", "--script", "terminate@0.3 fetch@0.6 foreground@1.1 quit@1.4",
      ])
      let transcript = try await run.ended()
      #expect(transcript.application.count == 3)
      #expect(transcript.application.prefix(2) == ["Updated: Not yet updated", "Updated: Not yet updated"])
      #expect(transcript.application.last?.isTime == true)
      #expect(transcript.system.suffix(3) == ["> call didBecomeActive", "> state active", "> quit"])
    }

    @Test func withoutTheModeThereIsNone() async throws {
      let transcript = try await Run(["fetch", "--script", "home@0.3 fetch@0.6 quit@1"]).ended()
      #expect(
        transcript.system == Transcript.launch + Transcript.home + [
          "> state background", "> state suspended", "> fetch",
          "> refused: a background fetch needs the background mode fetch", "> quit",
        ])
      #expect(transcript.application == ["Updated: Not yet updated"])
    }
  }
}

extension String {
  /// Whether this is the fetch screen's label with a time.
  fileprivate var isTime: Bool {
    wholeMatch(of: /Updated: \d+\/\d+\/\d\d, \d+:\d\d:\d\d.[AP]M (UTC|GMT)/) != nil
  }
}
