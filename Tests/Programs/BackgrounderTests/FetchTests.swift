import AppLifecycle
import ArgumentParser
import ContinuoTesting
import Foundation
import NetworkTestSupport
import PulseTestSupport
import TestSupport
import Testing

@testable import Backgrounder

extension BackgrounderTests {
  @Suite struct FetchTests {
    @MainActor @Test func aSuspendedApplicationIsWokenForAFetch() async throws {
      let start = Date()
      try await withPhone([
        "fetch", "--background-modes", "fetch", "--script", "home@1 fetch@10 foreground@20 tap@30 quit@40",
      ]) { phone in
        let record = phone.device.record
        #expect(
          record.since(.seconds(1)).without("call", "|") == """
            1.000 home
            1.000 state inactive
            1.000 state background
            1.000 state suspended
            10.000 fetch
            10.000 state background
            10.000 fetch ended: newData
            10.000 state suspended
            20.000 foreground
            20.000 state inactive
            20.000 state active
            """)
        #expect(record.contains("call application(performFetchWithCompletionHandler:)"))
        #expect(record.only("|").entries.map(\.moment) == [.zero, .seconds(10), .seconds(30)])
        #expect(phone.lines.first == "Updated: Not yet updated")
        // The fetch's time, then the button's.
        let times = phone.lines.dropFirst().compactMap(\.updateTime)
        #expect(times.count == 2 && times.last == times.first?.addingTimeInterval(20), "\(phone.lines)")
        let range = start.addingTimeInterval(9)...Date(timeIntervalSinceNow: 30)
        #expect(times.allSatisfy(range.contains), "\(phone.lines)")
      }
    }

    /// The program with a property list's mode, switched off by a signal, with a drawing.
    @Test func aPropertyListHasTheMode() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let list = ["UIBackgroundModes": ["fetch"]]
      let path = try folder.write(
        "Info.plist",
        Array(try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)))
      let drawing = folder.file("run.svg")
      let run = try Run(["fetch", "--info-plist", path, "--timeline", drawing, "--script", "-"])
      run.type("home fetch")
      try await run.printed("state suspended", times: 2)
      kill(run.child.identifier, SIGINT)
      let transcript = try await run.ended(status: 128 + SIGINT)
      #expect(
        transcript.system.filter { $0 != "> call didEnterBackground" }
          == (Transcript.launch + Transcript.home + [
            "> state background", "> state suspended", "> fetch", "> state background", "> call performFetch",
            "> fetch ended: newData", "> state suspended",
          ]).filter { $0 != "> call didEnterBackground" })
      #expect(transcript.application.count == 2)
      #expect(transcript.application.first == "Updated: Not yet updated")
      #expect(transcript.application.last?.updateTime != nil)
      #expect(try transcript.application(after: "> fetch", before: "> fetch ended: newData").count == 1)
      #expect(transcript.errors.isEmpty)
      // As it is told, not as it is drawn: a state of a few milliseconds has no room for its name.
      #expect(try String(contentsOfFile: drawing, encoding: .utf8).contains("application suspended"))
    }

    @MainActor @Test func anApplicationThatDoesNotRunIsLaunchedForAFetch() async throws {
      try await withPhone([
        "fetch", "--background-modes", "fetch", "--script", "terminate@1 fetch@10 foreground@20 quit@30",
      ]) { phone in
        let record = phone.device.record
        #expect(
          record.since(.seconds(1)).only("state") == """
            1.000 state notRunning
            10.000 state inactive
            10.000 state background
            10.000 state suspended
            20.000 state inactive
            20.000 state active
            """)
        #expect(record.only("|").entries.map(\.moment) == [.zero, .seconds(10), .seconds(10)])
        #expect(phone.lines.prefix(2) == ["Updated: Not yet updated", "Updated: Not yet updated"])
        #expect(phone.lines.last?.updateTime != nil)
      }
    }

    /// As Xcode simulates a fetch of an application that runs.
    @MainActor @Test func aFetchInFrontSendsItToTheBackground() async throws {
      try await withPhone([
        "fetch", "--background-modes", "fetch", "--script", "fetch@1 foreground@2 quit@3",
      ]) { phone in
        #expect(
          phone.device.record.since(.seconds(1)).without("call", "|") == """
            1.000 fetch
            1.000 state inactive
            1.000 state background
            1.000 fetch ended: newData
            1.000 state suspended
            2.000 foreground
            2.000 state inactive
            2.000 state active
            """)
        #expect(phone.lines.count == 2 && phone.lines.last?.updateTime != nil)
      }
    }

    /// As Xcode's "Launch due to a background fetch event". The program: nobody has launched it before.
    @Test func anApplicationThatNeverRanIsLaunchedForAFetch() async throws {
      let run = try Run(["fetch", "--background-modes", "fetch", "--no-launch", "--script", "-"])
      run.type("tap fetch")
      try await run.printed("state suspended")
      run.type("foreground")
      try await run.printed("state active")
      let transcript = try await run.quit()
      #expect(
        transcript.system == [
          "> tap", "> the application is not active", "> fetch", "> state inactive",
          "> call didFinishLaunching", "> call didEnterBackground", "> state background",
          "> call performFetch", "> fetch ended: newData", "> state suspended",
        ] + Transcript.foreground + ["> state active", "> quit"])
      #expect(transcript.application.first == "Updated: Not yet updated")
      #expect(transcript.application.count == 2 && transcript.application.last?.updateTime != nil)
      #expect(transcript.errors.isEmpty)
    }

    /// A feed of a real server: new, unchanged by its tag, unchanged without one, not there.
    @MainActor @Test func aFeedIsFetchedAsFarAsItHasChanged() async throws {
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
      try await withPhone([
        "fetch", "--background-modes", "fetch", "--service", server.url(""), "--press", "home@1",
      ]) { phone in
        for number in 1...4 {
          await phone.perform(.fetch)
          try await phone.wait(for: "the end of fetch \(number)") {
            phone.device.record.only("fetch ended").entries.count == number
          }
        }
        #expect(server.requests.map(\.target) == ["/feed", "/feed", "/feed", "/feed"])
        #expect(
          phone.device.record.only("fetch ended").entries.map(\.text) == [
            "fetch ended: newData", "fetch ended: noData", "fetch ended: noData", "fetch ended: failed",
          ])
        #expect(
          phone.lines.filter { $0.hasPrefix("Feed: ") } == [
            "Feed: 6 bytes", "Feed: nothing new", "Feed: nothing new", "Feed: the server answers with 503",
          ])
        #expect(phone.device.state == .suspended && phone.device.termination == nil)
      }
    }

    /// A server that does not answer costs a fetch and not the application.
    @MainActor @Test func aFeedThatDoesNotComeFailsInTime() async throws {
      let server = try HostileServer { _ in [.hang] }
      try await withPhone([
        "fetch", "--background-modes", "fetch", "--fetch-limit", "3", "--service", server.url(""), "--script",
        "home@1 fetch@2",
      ]) { phone in
        try await phone.wait(for: "fetch ended: failed")
        #expect(phone.lines.contains("Feed: no answer within 1 seconds"))
        #expect(phone.device.state == .suspended && phone.device.termination == nil)
      }
    }

    /// The time for an answer is less than the system allows for the fetch.
    @Test(arguments: [("3", 1.0), ("1", 0), ("30", 24)])
    func anAnswerHasLessTimeThanAFetch(limit: String, seconds: Double) throws {
      #expect(
        try BackgrounderCommand.parse(["fetch", "--fetch-limit", limit]).plan().parts.fetchSeconds == seconds)
    }

    @MainActor @Test func withoutTheModeThereIsNone() async throws {
      try await withPhone(["fetch", "--script", "home@1 fetch@2 quit@3"]) { phone in
        #expect(
          phone.device.record.since(.seconds(1)).without("call") == """
            1.000 home
            1.000 state inactive
            1.000 state background
            1.000 state suspended
            2.000 fetch
            2.000 refused: a background fetch needs the background mode fetch
            """)
        #expect(phone.lines == ["Updated: Not yet updated"])
      }
    }
  }
}

extension String {
  /// The time in the fetch screen's label, in whole seconds; nil for another line.
  fileprivate var updateTime: Date? {
    guard let time = wholeMatch(of: /Updated: (\d+\/\d+\/\d\d, \d+:\d\d:\d\d.[AP]M .+)/) else { return nil }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateStyle = .short
    formatter.timeStyle = .long
    return formatter.date(from: String(time.1))
  }
}
