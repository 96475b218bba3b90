import Foundation
import PulseTestSupport
import TestSupport
import Testing

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

    private func run(_ arguments: [String], status: Int32 = 0) async throws -> Transcript {
      try await Run(["location", "--location", track, "--location-speed", "20"] + arguments).ended(
        status: status)
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

    @Test func withTheModePlacesGoOnBehindTheHomeButton() async throws {
      let drawing = folder.file("run.svg")
      let transcript = try await run([
        "--background-modes", "location", "--timeline", drawing, "--script",
        "tap@0 home@1 foreground@2 quit@3",
      ])
      #expect(transcript.errors.isEmpty)
      #expect(!transcript.system.contains("> state suspended"))
      let all = seconds(transcript.application)
      #expect(all == Array(0..<all.count) && all.count > 55)
      let behind = try transcript.application(after: "> state background", before: "> foreground")
      #expect(behind.count >= 15)
      #expect(behind.allSatisfy { $0.hasPrefix("App is backgrounded. New location is <") })
      #expect(
        try transcript.application(after: "> state active", before: "> home").allSatisfy {
          $0.hasPrefix("Location: <")
        })
      #expect(transcript.application.contains { $0.wholeMatch(of: /Map: \d+ pins/) != nil })
      let svg = try String(contentsOfFile: drawing, encoding: .utf8)
      #expect(svg.contains(">location<") && svg.contains("track-behind"))
    }

    @Test func withoutTheModeNothingComesWhileSuspendedAndThenTheNewest() async throws {
      let transcript = try await run(["--script", "tap@0 home@1 foreground@3 quit@4"])
      #expect(transcript.errors.isEmpty)
      #expect(try transcript.application(after: "> state suspended", before: "> foreground").isEmpty)
      let all = seconds(transcript.application)
      let gaps = zip(all, all.dropFirst()).filter { $1 != $0 + 1 }
      #expect(gaps.count == 1)
      #expect(gaps.first.map { $0 >= 19 && $0 < 40 && $1 >= 60 && $1 < 80 } == true, "\(gaps)")
    }

    /// "If you do not include this, location will silently fail."
    @Test func withoutADescriptionItSilentlyFails() async throws {
      let list: [String: Any] = ["UIBackgroundModes": ["location"]]
      let path = folder.file("Info.plist")
      func write(_ list: [String: Any]) throws {
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
          .write(to: URL(fileURLWithPath: path))
      }
      try write(list)
      let script = ["--info-plist", path, "--script", "tap@0 home@0.5 foreground@1 quit@1.5"]
      let silent = try await run(script)
      #expect(silent.application.isEmpty && silent.system.contains("> state suspended"))
      // The application hears nothing of it; who looks at the phone's log does.
      #expect(silent.errors.count == 1 && silent.errors.first?.contains("lacks NSLocationAlways") == true)
      try write(list.merging(["NSLocationAlwaysUsageDescription": "For the map."]) { $1 })
      let transcript = try await run(script)
      #expect(transcript.errors.isEmpty && seconds(transcript.application).count > 25)
    }

    @Test func whoDeniesItIsNotFollowed() async throws {
      let transcript = try await run([
        "--background-modes", "location", "--location-answer", "denied", "--script", "tap@0 home@0.5 quit@1",
      ])
      #expect(seconds(transcript.application).isEmpty)
      #expect(transcript.application == ["No location: The use of the location is not allowed."])
      #expect(transcript.system.contains("> state suspended"))
    }

    @Test(
      arguments: [
        (["location", "--location", "/nowhere/run.gpx"], "/nowhere/run.gpx: no such file"),
        (["location", "--location", "gpsd:a:b"], "is not gpsd:HOST:PORT"),
        (["location", "--location-speed", "0"], "--location-speed takes a factor"),
        (["location", "--location-speed", "nan"], "--location-speed takes a factor"),
        (["fetch", "--location", "gpsd"], "only the location screen"),
        (["location", "--timeline", "/nowhere/run.svg"], "--timeline /nowhere/run.svg"),
        (["location", "--location-answer", "maybe"], "always, when-in-use, denied"),
      ] as [([String], String)])
    func nonsenseIsRefused(arguments: [String], message: String) async throws {
      let transcript = try await Run(arguments).ended(status: 64)
      #expect(transcript.errors.contains { $0.contains(message) }, "\(transcript.errors)")
    }

    /// What is no file, as /dev/null, is not replaced by the drawing.
    @Test func aPipeIsNoDrawing() async throws {
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let path = folder.file("pipe")
      #expect(mkfifo(path, 0o600) == 0)
      let transcript = try await Run(["fetch", "--timeline", path, "--press", "quit@0.2"]).ended(status: 64)
      #expect(transcript.errors.contains { $0.contains("--timeline \(path): not a regular file") })
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func withoutASourceThereIsNoPlace() async throws {
      let transcript = try await Run(["location", "--script", "tap@0 quit@0.5"]).ended()
      #expect(transcript.application == ["No location: The location is not known at present."])
    }
  }
}
