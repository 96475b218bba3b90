import AppLifecycle
import ArgumentParser
import ContinuoTesting
import Foundation
import PulseTestSupport
import TestSupport
import Testing

@testable import Backgrounder

extension BackgrounderTests {
  /// The location screen on a phone that goes along a GPX file, twenty times as fast as it says.
  @Suite struct LocationTests {
    private let folder: TemporaryFolder
    private let track: String

    init() throws {
      folder = try TemporaryFolder()
      track = try folder.write(
        "run.gpx",
        Array(
          """
          <gpx version="1.1"><wpt lat="0" lon="0"><time>2026-05-01T08:00:00Z</time></wpt>\
          <wpt lat="0" lon="0.6"><time>2026-05-01T08:10:00Z</time></wpt></gpx>
          """.utf8))
    }

    private func arguments(_ more: [String]) -> [String] {
      ["location", "--location", track, "--location-speed", "20"] + more
    }

    /// Seconds of the way in lines with a place.
    private func seconds(_ lines: [String]) -> [Int] {
      lines.compactMap { line in
        line.firstMatch(of: /<[+]0[.]00000000,[+](\d[.]\d{8})> [+][\/]- 5[.]00m/).flatMap { Double($0.1) }.map
        {
          Int(($0 * 1000).rounded())
        }
      }
    }

    private func writeList(_ list: [String: Any]) throws -> String {
      try folder.write(
        "Info.plist",
        Array(try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)))
    }

    @MainActor @Test func theSwitchTurnsTheUpdatesOff() async throws {
      try await withPhone(arguments(["--script", "tap@0 tap@2.01 quit@4"])) { phone in
        #expect(seconds(phone.lines) == Array(0...40))
      }
    }

    @MainActor @Test func withTheModeNoPlaceIsLost() async throws {
      try await withPhone(
        arguments(["--background-modes", "location", "--script", "tap@0 home@1.01 foreground@2.01 quit@3.01"])
      ) { phone in
        // Twenty places a second after the first one.
        #expect(seconds(phone.lines) == Array(0...60))
        #expect(!phone.device.record.contains("state suspended"))
        let beginnings = phone.lines.map { $0.prefix { $0 != "<" } }
        let inFront = Array(repeating: "Location: "[...], count: 21)
        let behind = Array(repeating: "App is backgrounded. New location is "[...], count: 20)
        #expect(beginnings == inFront + behind + ["Map: 41 pins"] + inFront.dropLast())
      }
    }

    /// The map keeps the newest hundred places.
    @MainActor @Test func theMapHasAHundredPins() async throws {
      try await withPhone(
        arguments([
          "--background-modes", "location", "--script",
          "tap@0 home@4.01 foreground@4.51 home@9.01 foreground@10",
        ])
      ) { phone in
        #expect(seconds(phone.lines).count == 201)
        #expect(phone.lines.filter { $0.hasPrefix("Map: ") } == ["Map: 91 pins", "Map: 100 pins"])
        let screen = try #require(phone.screen as? LocationScreen)
        #expect(screen.pins.map { Int(($0.coordinate.longitude * 1000).rounded()) } == Array(101...200))
      }
    }

    /// "Freeway Drive": a route that comes with the program.
    @MainActor @Test func aRouteIsSupplied() async throws {
      try await withPhone([
        "location", "--background-modes", "location", "--location", "freeway", "--script",
        "tap@0 home@2.5 foreground@62.5",
      ]) { phone in
        let places = phone.lines.filter { $0.contains("<") }
        #expect(places.count == 63 && phone.lines.last == "Map: 63 pins")
        for line in places.dropFirst() { #expect(line.contains(" (speed 30.0"), "\(line)") }
        #expect(
          places.dropFirst(3).allSatisfy { $0.hasPrefix("App is backgrounded. New location is <+37.3") })
      }
    }

    /// The owner sees the text of the property list, once.
    @MainActor @Test func theDescriptionIsShownWhenPermissionIsAsked() async throws {
      let list = try writeList(["NSLocationAlwaysUsageDescription": "For the map."])
      try await withPhone(arguments(["--info-plist", list, "--script", "tap@1 tap@2 tap@3 quit@4"])) {
        phone in
        #expect(
          phone.device.record.only("! ").description == "1.000 ! permission asked: \"For the map.\"")
        #expect(!seconds(phone.lines).isEmpty)
      }
    }

    /// The program with a property list's mode and description, and a drawing.
    @Test func withTheModePlacesGoOnBehindTheHomeButton() async throws {
      let list = try writeList([
        "UIBackgroundModes": ["location"], "NSLocationAlwaysUsageDescription": "For the map.",
      ])
      let drawing = folder.file("run.svg")
      let run = try Run(arguments(["--info-plist", list, "--timeline", drawing, "--script", "-"]))
      run.type("tap")
      try await run.line(number: 5) { $0.hasPrefix("Location: <") }
      run.type("home")
      try await run.line(number: 5) { $0.hasPrefix("App is backgrounded. New location is <") }
      run.type("foreground")
      try await run.line { $0.wholeMatch(of: /Map: \d+ pins/) != nil }
      let transcript = try await run.quit()
      #expect(transcript.errors.isEmpty)
      #expect(!transcript.system.contains("> state suspended"))
      #expect(transcript.system.count { $0 == "> permission asked: \"For the map.\"" } == 1)
      // All from the present place on, which may come twice: the permission and the source's report both offer it.
      let all = seconds(transcript.application)
      let first = try #require(all.first)
      let others = Array(all.drop { $0 == first })
      #expect(others == Array((first + 1)..<(first + 1 + others.count)), "\(all)")
      #expect(
        try transcript.application(after: "> state active", before: "> home").allSatisfy {
          $0.hasPrefix("Location: <")
        })
      let svg = try String(contentsOfFile: drawing, encoding: .utf8)
      #expect(svg.contains(">location<") && svg.contains("track-behind"))
    }

    @MainActor @Test func withoutTheModeNothingComesWhileSuspendedAndThenTheNewest() async throws {
      try await withPhone(arguments(["--script", "tap@0 home@1.01 foreground@3.01 quit@4.01"])) { phone in
        #expect(seconds(phone.lines) == Array(0...20) + Array(60...80))
        #expect(
          phone.device.record.only("| Location", "| App").entries.map(\.moment)
            .filter { $0 > .milliseconds(1010) && $0 < .milliseconds(3010) }.isEmpty)
      }
    }

    /// "If you do not include this, location will silently fail." The program: the application hears nothing of it, who looks
    /// at the phone's log does.
    @Test func withoutADescriptionItSilentlyFails() async throws {
      let list = try writeList(["UIBackgroundModes": ["location", "fetsch"]])
      let run = try Run(arguments(["--info-plist", list, "--script", "-"]))
      run.type("tap")
      _ = try await run.log.wait(for: "a diagnostic") { $0.errors.count >= 2 }
      run.type("home")
      try await run.printed("state suspended")
      let transcript = try await run.quit()
      #expect(transcript.application.isEmpty)
      #expect(transcript.errors.count == 2)
      #expect(
        transcript.errors.first?.hasPrefix("Backgrounder: unknown background mode \"fetsch\" ignored") == true
      )
      #expect(transcript.errors.last?.contains("lacks NSLocationAlways") == true)
    }

    @MainActor @Test func whoDeniesItIsNotFollowed() async throws {
      try await withPhone(
        arguments([
          "--background-modes", "location", "--location-answer", "denied", "--script",
          "tap@0 home@100 quit@200",
        ])
      ) { phone in
        #expect(phone.lines == ["No location: The use of the location is not allowed."])
        #expect(phone.device.state == .suspended)
      }
    }

    /// A drawing does not replace a file that is not a regular one, such as /dev/null.
    @Test func aPipeIsNoDrawing() throws {
      let path = folder.file("pipe")
      #expect(mkfifo(path, 0o600) == 0)
      let command = try BackgrounderCommand.parse(["fetch", "--timeline", path])
      let error = #expect(throws: ValidationError.self) { try command.plan() }
      #expect(error?.message.contains("--timeline \(path): not a regular file") == true)
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @MainActor @Test func withoutASourceThereIsNoPlace() async throws {
      try await withPhone(["location", "--script", "tap@0 quit@100"]) { phone in
        #expect(phone.lines == ["No location: The location is not known at present."])
        #expect(phone.device.record.contains("! no location: no location source is set"))
      }
    }
  }
}
