import Foundation
import TestSupport
import Testing
import XMLReading

@testable import ContinuoLocation

/// Ways, from a GPX file or not.
@Suite("Tracks", .timeLimit(.minutes(10)))
struct TrackTests {
  private func gpx(_ content: String) throws -> Track {
    try GPXReader.track(in: Array("<gpx version=\"1.1\">\(content)</gpx>".utf8))
  }

  @Test("Way points with times: between them the device moves evenly")
  func wayPoints() throws {
    let track = try gpx(
      """
      <metadata><time>2020-01-01T00:00:00Z</time></metadata>
      <wpt lat="10" lon="20"><ele>100</ele><time>2026-05-01T08:00:00Z</time></wpt>
      <wpt lat="10.001" lon="20"><ele>110</ele><time>2026-05-01T10:00:10+02:00</time><name>Home</name></wpt>
      <wpt lat="10.001" lon="20.002"><ele>110</ele><time>2026-05-01T08:00:30.5Z</time></wpt>
      """)
    #expect(track.duration == 30.5 && track.startTime == 1_777_622_400)
    let first = track.place(at: 5, time: 7)
    #expect(abs(first.latitude - 10.0005) < 1e-12 && first.longitude == 20 && first.altitude == 105)
    #expect(abs(first.speed - 11.0613) < 1e-3 && first.course == 0 && first.time == 7)
    #expect(first.horizontalAccuracy == 5 && first.verticalAccuracy == 5 && first.isSimulated)
    let second = track.place(at: 20.25, time: 0)
    #expect(abs(second.longitude - 20.001) < 1e-12 && abs(second.course - 90) < 1e-9)
    for late in [30.5, 31, 1e9] {
      let end = track.place(at: late, time: 0)
      #expect(end.longitude == 20.002 && end.speed == 0 && end.course == -1)
    }
    #expect(track.place(at: -5, time: 0).latitude == 10)
  }

  @Test("Without way points the track's, without these the route's; prefixes and UTF-16 do not matter")
  func otherPoints() throws {
    let both = "<trk><trkseg><trkpt lat='3' lon='3'/></trkseg></trk><rte><rtept lat='4' lon='4'/></rte>"
    #expect(try gpx(both + "<wpt lat='1' lon='1'/>").place(at: 0, time: 0).latitude == 1)
    #expect(try gpx(both).place(at: 0, time: 0).latitude == 3)
    #expect(try gpx("<rte><rtept lat='4' lon='4'/></rte>").place(at: 0, time: 0).latitude == 4)
    let prefixed = "<g:gpx xmlns:g='x'><g:wpt lat='5' lon='6'><g:ele>7</g:ele></g:wpt></g:gpx>"
    #expect(try GPXReader.track(in: Array(prefixed.utf8)).place(at: 0, time: 0).altitude == 7)
    let wide = try #require("<gpx><wpt lat='8' lon='9'/></gpx>".data(using: .utf16))
    #expect(try GPXReader.track(in: Array(wide)).place(at: 0, time: 0).latitude == 8)
  }

  @Test("Without times at 3 m/s; over the 180th meridian the short way; a point twice is a jump or a rest")
  func special() throws {
    let slow = try gpx("<wpt lat='0' lon='0'/><wpt lat='0' lon='0.001'/>")
    #expect(abs(slow.duration - 111.3195 / 3) < 1e-3 && slow.startTime == nil)
    #expect(abs(slow.place(at: 10, time: 0).speed - 3) < 1e-6)
    let over = try gpx(
      "<wpt lat='0' lon='179.9'><time>2026-01-01T00:00:00Z</time></wpt><wpt lat='0' lon='-179.9'><time>2026-01-01T00:00:10Z</time></wpt>"
    )
    #expect(abs(over.place(at: 5, time: 0).longitude.magnitude - 180) < 1e-9)
    #expect(abs(over.place(at: 7.5, time: 0).longitude - -179.95) < 1e-9)
    #expect(abs(over.place(at: 1, time: 0).course - 90) < 1e-9)
    let jump = try gpx(
      "<wpt lat='0' lon='0'><time>2026-01-01T00:00:00Z</time></wpt><wpt lat='5' lon='5'><time>2026-01-01T00:00:00Z</time></wpt>"
    )
    #expect(jump.duration == 0 && jump.place(at: 0, time: 0).latitude == 5)
    let home = CLLocationCoordinate2D(latitude: 1, longitude: 1)
    let still = try LocationTrack(through: [home, home, home], in: .seconds(10))
    #expect(still.track.place(at: 5, time: 0).speed == 0)
  }

  @Test(
    "What is no way is refused, with its line",
    arguments: [
      ("", "no points"), ("<wpt lat='1'/>", "line 2: <wpt> needs lat and lon"),
      ("<wpt lat='91' lon='0'/>", "line 2: there is no place at latitude 91.0"),
      ("<wpt lat='nan' lon='0'/>", "needs lat and lon"), ("<wpt lat='0' lon='inf'/>", "needs lat and lon"),
      ("<wpt lat='0' lon='180.1'/>", "there is no place"),
      ("<wpt lat='0' lon='0'><time>yesterday</time></wpt>", "\"yesterday\" is no time"),
      (
        "<wpt lat='0' lon='0'><time>2026-01-01T00:00:01Z</time></wpt><wpt lat='0' lon='0'><time>2026-01-01T00:00:00Z</time></wpt>",
        "point 2 comes before"
      ),
      (
        "<wpt lat='0' lon='0'><time>2026-01-01T00:00:01Z</time></wpt><wpt lat='0' lon='0'/>",
        "some points have times"
      ),
      (
        "<wpt lat='0' lon='0'><time>0001-01-01T00:00:01Z</time></wpt><wpt lat='0' lon='0'><time>9999-01-01T00:00:00Z</time></wpt>",
        "longer than a year"
      ),
      ("<wpt lat='0' lon='0'>", "line 3: mismatched tag"), ("&nbsp;", "undefined entity"),
      (String(repeating: "<a>", count: 100), "too deep"),
    ])
  func refused(content: String, reason: String) {
    let error = #expect(throws: LocationTrackError.self) {
      try GPXReader.track(in: Array("<gpx>\n\(content)\n</gpx>".utf8))
    }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test("An element with more text than a way needs is refused, however it comes")
  func longText() throws {
    let text = String(repeating: "a", count: XMLReader.textLimit)
    #expect(try gpx("<wpt lat='0' lon='0'><name>\(text)</name></wpt>").duration == 0)
    let error = #expect(throws: LocationTrackError.self) {
      try GPXReader.track(in: Array("<gpx><wpt lat='0' lon='0'><name>a\(text)</name></wpt></gpx>".utf8))
    }
    #expect(error?.reason.contains("bytes of text in one element") == true, "\(error?.reason ?? "")")
  }

  @Test(
    "Another document, and one with a document type, is refused before anything in it counts",
    arguments: [
      ("<html/>", "the root is <html>"), ("", "no element found"), ("run", "syntax error"),
      (
        "<!DOCTYPE gpx SYSTEM 'file:///etc/passwd'><gpx/>",
        "line 1: document type declarations are not supported"
      ),
      (
        "<!DOCTYPE gpx [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]><gpx>&b;</gpx>",
        "document type declarations are not supported"
      ),
    ])
  func otherDocuments(content: String, reason: String) {
    let error = #expect(throws: LocationTrackError.self) { try GPXReader.track(in: Array(content.utf8)) }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test("Files: missing, not regular, and what is too large to be a way")
  func files() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = try folder.write("run.gpx", Array("<gpx><wpt lat='1' lon='2'/></gpx>".utf8))
    #expect(try LocationTrack(gpx: URL(fileURLWithPath: path)).duration == .zero)
    for (name, reason) in [("none.gpx", "no such file"), ("", "not a regular file")] {
      let error = #expect(throws: LocationTrackError.self) {
        try LocationTrack(gpx: URL(fileURLWithPath: "\(folder.path)/\(name)"))
      }
      #expect(error?.reason.contains(reason) == true && error?.reason.contains(folder.path) == true)
    }
    let large = "\(folder.path)/large.gpx"
    _ = FileManager.default.createFile(atPath: large, contents: nil)
    try FileHandle(forWritingTo: URL(fileURLWithPath: large)).truncate(
      atOffset: UInt64(LocationTrack.fileLimit) + 1)
    let error = #expect(throws: LocationTrackError.self) {
      try LocationTrack(gpx: URL(fileURLWithPath: large))
    }
    #expect(error?.reason.contains("larger than 64 MiB") == true)
  }

  @Test("Damaged files: an error or a way whose places are all on Earth")
  func fuzz() {
    var random = RandomSource(seed: 11)
    let seed = Array(
      """
      <?xml version="1.0" encoding="UTF-8"?><gpx version="1.1" creator="a"><metadata/><wpt lat="52.5" lon="13.4"><ele>34</ele>\
      <time>2026-05-01T08:00:00Z</time></wpt><wpt lat="-52.6" lon="179.5"><ele>-3e4</ele><time>2026-05-01T09:00:30.25+01:00</time>\
      </wpt><trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>
      """.utf8)
    let pieces = [
      "nan", "inf", "1e999", "-", "<", ">", "&", "<wpt lat='", "9", "\0", "\u{FF}", "<!DOCTYPE a>", "Z", "T",
    ]
    var count = 0
    for _ in 0..<Rounds.count(20_000) {
      var bytes = seed
      for _ in 0...(random.next() % 3) {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next() % 20)))
        case 2: bytes.insert(contentsOf: pieces[Int(random.next() % UInt64(pieces.count))].utf8, at: place)
        default: bytes.replaceSubrange(place..<place, with: bytes[place..<min(bytes.count, place + 40)])
        }
        if bytes.isEmpty { bytes = [0] }
      }
      guard let track = try? GPXReader.track(in: bytes) else { continue }
      count += 1
      for moment in [0, track.duration / 3, track.duration] {
        let place = track.place(at: moment, time: 0)
        if !Place.isValid(latitude: place.latitude, longitude: place.longitude) || !place.speed.isFinite
          || !(place.course == -1 || (0..<360).contains(place.course))
        {
          Issue.record("\(place) of \(String(decoding: bytes, as: UTF8.self))")
        }
      }
    }
    #expect(count > Rounds.count(400))
  }

  @Test(
    "Moments",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600),
      (" 2026-05-01T08:00:00 \n", 1_777_622_400),
      ("2026-05-01t08:00:00.25z", 1_777_622_400.25), ("2026-05-01T08:00:00-0130", 1_777_627_800),
      ("2016-12-31T23:59:60Z", 1_483_228_800), ("2026-05-01T24:00:00Z", 1_777_680_000),
      ("2025-02-29T00:00:00Z", nil), ("2026-13-01T00:00:00Z", nil), ("2026-05-01", nil),
      ("2026-05-01T08:00", nil),
      ("2026-05-01T08:00:00X", nil), ("2026-05-01T08:00:00.Z", nil), ("2026-05-01T24:00:01Z", nil), ("", nil),
      ("２０２６-05-01T08:00:00Z", nil),
    ] as [(String, Double?)])
  func moments(text: String, seconds: Double?) {
    #expect(InternetTime.seconds(text) == seconds)
  }

  @Test("The option names a file or a gpsd")
  func option() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = try folder.write("gpsd.gpx", Array("<gpx><wpt lat='1' lon='2'/></gpx>".utf8))
    for text in [
      "gpsd", "gpsd:", "gpsd:host", "gpsd:host:99", "gpsd:[::1]", "gpsd:[::1]:99", "gpsd::99", "freeway",
      path,
    ] {
      _ = try LocationSource(option: text)
    }
    for text in [
      "gpsd:host:", "gpsd:host:0", "gpsd:host:65536", "gpsd:::1", "gpsd:[::1", "gpsd:[::1]x:5", "gpsd.gpx",
    ] {
      #expect(throws: LocationTrackError.self, "\(text)") { _ = try LocationSource(option: text) }
    }
  }
}
