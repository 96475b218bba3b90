import Foundation
import NetworkTestSupport
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

    /// A feed of a real server: new, unchanged by its tag, unchanged without one, not there.
    @Test func aFeedIsFetchedAsFarAsItHasChanged() async throws {
      let server = try HostileServer { request in
        let body = Array("<rss/>".utf8)
        func feed(_ lines: [String]) -> [HostileServer.Step] {
          [.send(HostileFile.head("200 OK", ["Content-Length: \(body.count)"] + lines) + body)]
        }
        switch request.number {
        case 1: return feed(["ETag: \"1\""])
        case 2 where request.fields["if-none-match"] == "\"1\"":
          return [.send(HostileFile.head("304 Not Modified", ["ETag: \"1\""]))]
        case 3: return feed([])
        default: return HostileFile.plain("503 Service Unavailable")
        }
      }
      let transcript = try await Run([
        "fetch", "--background-modes", "fetch", "--service", server.url(""), "--script",
        "home@0.3 fetch@0.6 fetch@1.1 fetch@1.6 fetch@2.1 quit@2.6",
      ]).ended()
      #expect(server.requests.map(\.target) == ["/feed", "/feed", "/feed", "/feed"])
      #expect(
        transcript.system.filter { $0.hasPrefix("> fetch ended") } == [
          "> fetch ended: newData", "> fetch ended: noData", "> fetch ended: noData", "> fetch ended: failed",
        ])
      #expect(
        transcript.application.filter { $0.hasPrefix("Feed: ") } == [
          "Feed: 6 bytes", "Feed: nothing new", "Feed: nothing new", "Feed: the server answers with 503",
        ])
      #expect(!transcript.system.contains { $0.contains("terminated") })
      #expect(transcript.errors.isEmpty)
    }

    /// A server that does not answer costs a fetch and not the application.
    @Test func aFeedThatDoesNotComeFailsInTime() async throws {
      let server = try HostileServer { _ in [.hang] }
      let transcript = try await Run([
        "fetch", "--background-modes", "fetch", "--fetch-limit", "3", "--service", server.url(""), "--script",
        "home@0.3 fetch@0.6 quit@4",
      ]).ended()
      #expect(transcript.application.contains("Feed: no answer within 1 seconds"))
      #expect(transcript.system.contains("> fetch ended: failed"))
      #expect(
        transcript.system.suffix(2).last == "> quit"
          && !transcript.system.contains { $0.contains("terminated") })
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
