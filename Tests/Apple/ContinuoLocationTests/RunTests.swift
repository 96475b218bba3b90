import AppLifecycle
import ContinuoLocation
import ContinuoTesting
import Foundation
import PulseTestSupport
import TestSupport
import Testing

/// A run of half an hour over home, lock and foreground.
@MainActor
@Suite("A run of 30 minutes", .blocksThread, .timeLimit(.minutes(10)))
struct RunTests {
  /// What a person does, in seconds of the way.
  private enum Press { case home, lock, unlock, foreground }
  private static let presses: [(Int, Press)] = [
    (300, .home), (600, .foreground), (900, .lock), (1200, .unlock),
  ]

  /// A round through a park, a point each half minute.
  private static func run() throws -> LocationTrack {
    let points = (0...60).map { index in
      let angle = Double(index) / 60 * 2 * .pi
      let seconds = index * 30
      return """
        <wpt lat="\(52.5145 + 0.004 * sin(angle))" lon="\(13.3501 + 0.012 * cos(angle))"><ele>\(34 + 3 * sin(3 * angle))</ele>\
        <time>2026-05-01T08:\(String(format: "%02d:%02d", seconds / 60, seconds % 60))Z</time></wpt>
        """
    }
    return try LocationTrack(gpx: Data("<gpx version=\"1.1\">\(points.joined())</gpx>".utf8))
  }

  /// A place without its time.
  private struct Mark: Hashable, Sendable {
    let latitude, longitude, altitude, speed, course: Double
    init(_ location: CLLocation) {
      latitude = location.coordinate.latitude
      longitude = location.coordinate.longitude
      altitude = location.altitude
      speed = location.speed
      course = location.course
    }
  }

  /// How much faster than virtual time's seconds the real ones go by.
  private static let speed = 120.0

  /// The places in virtual time.
  private func virtual(_ modes: Set<BackgroundMode>) async throws -> [Mark] {
    try await withTestDevice(modes: modes) { device in
      await device.launch()
      device.location.authorization = .authorizedAlways
      let walker = Walker(on: device)
      walker.manager.allowsBackgroundLocationUpdates = modes.contains(.location)
      await device.travel(along: try Self.run())
      walker.manager.startUpdatingLocation()
      for (seconds, press) in Self.presses {
        // Between two places.
        await device.advance(to: .milliseconds(seconds * 1000 + 500))
        switch press {
        case .home: await device.pressHomeButton()
        case .lock: await device.lock()
        case .unlock: await device.unlock()
        case .foreground: await device.foreground()
        }
      }
      await device.advance(to: .seconds(1801))
      return walker.locations.map(Mark.init)
    }
  }

  /// The places in real time, many times as fast, those that came while the application was suspended, and how often it
  /// was resumed on the way.
  private func real(_ modes: Set<BackgroundMode>, until end: Mark?) async throws -> (
    places: [Mark], late: Int, resumptions: Int
  ) {
    let device = Device(modes: BackgroundModes(modes))
    device.location.authorization = .authorizedAlways
    await device.launch()
    let last = Observed<Mark?>(nil)
    let walker = Device.withCurrent(device) { Walker() }
    var (late, resumptions) = (0, 0)
    walker.onLocation = { location in
      if device.state == .suspended { late += 1 }
      last.update { $0 = Mark(location) }
    }
    walker.manager.allowsBackgroundLocationUpdates = modes.contains(.location)
    device.location.setSource(.travel(along: try Self.run(), speed: Self.speed))
    walker.manager.startUpdatingLocation()
    // The way begins when its thread does.
    _ = try await last.wait(for: "the first place") { $0 != nil }
    for (_, press) in Self.presses {
      // A second after the press before, whenever that was: two minutes of the way. By the clock, a machine that has stood
      // still would find several presses due at once.
      try await Task.sleep(for: .seconds(1))
      let before = last.value
      switch press {
      case .home: await device.pressHomeButton()
      case .lock: await device.lock()
      case .unlock: await device.unlock()
      case .foreground: await device.foreground()
      }
      // A machine that has stood still for long may be at the end of the way.
      if press == .foreground || press == .unlock, before != end {
        resumptions += 1
        _ = try await last.wait(for: "a place on resumption") { $0 != before }
      }
    }
    _ = try await last.wait(for: "the end of the run") { $0 == end }
    return (walker.locations.map(Mark.init), late, resumptions)
  }

  @Test("With the mode: the same places in virtual and in real time, all of them")
  func tracked() async throws {
    let expected = try await virtual([.location])
    #expect(expected.count == 1801)
    let (places, late, _) = try await real([.location], until: expected.last)
    #expect(places == expected)
    #expect(late == 0)
  }

  @Test("Without the mode: none while suspended, the newest on resumption, in virtual and in real time")
  func untracked() async throws {
    let all = try await virtual([.location])
    let expected = try await virtual([])
    #expect(expected == Array(all[...300]) + Array(all[600...900]) + Array(all[1200...]))
    let (places, late, resumptions) = try await real([], until: all.last)
    #expect(late == 0)
    // Which second it is when a button is pressed, and what was due just before and has not come yet, is up to the machine; all
    // else is the same.
    let seconds = places.compactMap { all.firstIndex(of: $0) }
    #expect(seconds.count == places.count)
    let gaps = zip(seconds, seconds.dropFirst()).filter { $1 != $0 + 1 }
    #expect(gaps.count == resumptions, "\(gaps)")
  }
}
