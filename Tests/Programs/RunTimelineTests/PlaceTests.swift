import AppLifecycle
import Clocks
import Testing

@testable import RunTimeline

/// The lane of location updates, and the map.
@Suite struct PlaceTests {
  private func place(_ latitude: Double, _ longitude: Double) -> Timeline.Entry {
    .place(latitude: latitude, longitude: longitude)
  }

  @Test func updatesHaveALaneAndTheWayAMap() throws {
    let drawing = try ReadDrawing(
      TimelineDrawing.document(
        timeline([
          (0, .state(.active)), (0, place(52, 13)), (1, place(52.001, 13)), (2, place(52.002, 13.001)),
          (2.5, .state(.inactive)), (2.5, .state(.background)), (3, place(52.003, 13.002)),
          (3.5, .state(.suspended)), (8, .state(.inactive)), (8, .state(.active)), (8, place(52.008, 13.007)),
        ]), end: .init(nanoseconds: 110_000_000_000), title: RunTitle(command: "a run")))
    #expect(drawing.elements.contains { $0.text == "location" && $0.hasClass("lane") })
    // A run without sound has no lane for it.
    #expect(!drawing.elements.contains { $0.text == "sound" })
    let parts = drawing.elements.filter { $0.hasClass("track") && ($0.attributes["d"] ?? "").contains("L") }
    #expect(
      parts.map { $0.attributes["class"] } == ["track track-front", "track track-behind", "track track-gap"])
    #expect(drawing.elements.filter { $0.name == "circle" && $0.hasClass("end") }.count == 2)
    #expect(drawing.elements.contains { $0.text == "500 m" })
    #expect(drawing.svg.contains("first of 5 location updates"))
  }

  @Test(
    arguments: [
      [(52, 13)], [(52, 13), (52, 13)], [(90, 0), (-90, 180)], [(0, 179.9), (0, -179.9)],
      [(.nan, 1), (1, .infinity)],
      [(0, 0), (0, 1e-9)],
    ] as [[(Double, Double)]])
  func anyPlacesStayInside(places: [(Double, Double)]) throws {
    let entries = places.enumerated().map { (Double($0), place($1.0, $1.1)) }
    let drawing = try ReadDrawing(
      TimelineDrawing.document(
        timeline(entries), end: .init(nanoseconds: 110_000_000_000), title: RunTitle(command: "")))
    let height = try #require(drawing.elements.first).number("height")
    for element in drawing.elements where element.name == "circle" && element.hasClass("end") {
      #expect((0...1000).contains(element.number("cx")) && (0...height).contains(element.number("cy")))
    }
    #expect(!drawing.svg.contains("nan") && !drawing.svg.contains("inf"))
  }

  @Test func aLongRunStaysSmall() throws {
    let entries = (0..<100_000).map { (Double($0), place(Double($0 % 1000) / 1e4, Double($0) / 1e4)) }
    let svg = TimelineDrawing.document(
      timeline(entries), end: .init(nanoseconds: 200_000_000_000_000), title: RunTitle(command: ""))
    #expect(svg.utf8.count < 100_000)
    #expect(svg.contains("first of 100000 location updates"))
  }
}
