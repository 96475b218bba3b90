internal import AppLifecycle
internal import Glibc

/// The location lane and the map of the device's track.
extension TimelineDrawing {
  private static let mapHeight = 200.0

  /// Draws the location lane, with strokes for the updates that are not too close to others.
  mutating func drawPlaces() {
    let top = lane("location", height: 20)
    let strokes = timeline.places.elements.map {
      "M\(SVGText.decimal(x($0.time))) \(SVGText.decimal(top + 3))v14"
    }
    svg.path(strokes.joined(), "place")
    note(timeline.places.omitted, "location updates")
  }

  /// The track, split where its style changes: `front`, `behind` for the background, or `gap` if the
  /// application received no updates in between.
  var trackParts: [(style: String, places: [Timeline.Place])] {
    var parts: [(style: String, places: [Timeline.Place])] = []
    for (element, next) in zip(places, places.dropFirst()) {
      // A gap: the application was suspended or did not run, so it received no updates in between.
      let isGap = states.contains {
        $0.time > element.time && $0.time <= next.time && ($0.value == .suspended || $0.value == .notRunning)
      }
      let state = states.last { $0.time <= next.time }?.value ?? .active
      let style = isGap ? "gap" : state == .active || state == .inactive ? "front" : "behind"
      if parts.last?.style != style { parts.append((style, [element.value])) }
      parts[parts.count - 1].places.append(next.value)
    }
    return parts
  }

  /// Draws the track as a map, with north up. Returns the map's lower edge; `top` without a location.
  mutating func drawTrack(from top: Double) -> Double {
    guard let first = places.first?.value else { return top }
    let width = Self.right - Self.left
    // Coordinates in degrees of latitude from the first location. `remainder` takes the short way around in
    // longitude.
    let shrink = max(0.01, cos(first.latitude * .pi / 180))
    func plane(_ place: Timeline.Place) -> (x: Double, y: Double) {
      (remainder(place.longitude - first.longitude, 360) * shrink, first.latitude - place.latitude)
    }
    let all = places.map { plane($0.value) }
    let (left, right) = (all.map(\.x).min() ?? 0, all.map(\.x).max() ?? 0)
    let (upper, lower) = (all.map(\.y).min() ?? 0, all.map(\.y).max() ?? 0)
    // At least 1e-4 degrees (11 m), so that a stationary device does not cause a division by zero.
    let size = max(right - left, lower - upper, 1e-4)
    let margin = 14.0
    let scale = min(
      (width - 2 * margin) / max(right - left, size / 100),
      (Self.mapHeight - 2 * margin) / max(lower - upper, size / 100))
    func point(_ place: Timeline.Place) -> String {
      let (x, y) = plane(place)
      let across = Self.left + width / 2 + (x - (left + right) / 2) * scale
      let down = top + Self.mapHeight / 2 + (y - (upper + lower) / 2) * scale
      return "\(SVGText.decimal(across)) \(SVGText.decimal(down))"
    }
    svg.label("way", x: Self.left - 12, y: top + Self.mapHeight / 2, "lane")
    svg.rectangle(x: Self.left, y: top, width: width, height: Self.mapHeight, "bed")
    for part in trackParts {
      svg.path("M" + part.places.map(point).joined(separator: "L"), "track track-\(part.style)")
    }
    if let last = places.last?.value {
      for (place, radius, name) in [(first, 4.5, "first place"), (last, 3, "last place")] {
        let parts = point(place).split(separator: " ")
        let center: (SVGText.Value, SVGText.Value) = (.text(String(parts[0])), .text(String(parts[1])))
        svg.element(
          "circle", ["cx": center.0, "cy": center.1, "r": .number(radius), "class": "end"], tooltip: name)
      }
    }
    drawScale(pointsPerDegree: scale, at: top + Self.mapHeight - 10)
    return top + Self.mapHeight
  }

  /// Draws a scale bar whose length is a round number of metres.
  private mutating func drawScale(pointsPerDegree: Double, at y: Double) {
    let metersPerPoint = 111_195 / pointsPerDegree
    let lengths = (0..<8).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
    let length = lengths.last { $0 / metersPerPoint <= 160 } ?? 1
    let points = length / metersPerPoint
    guard points.isFinite, points <= 200 else { return }
    let x = Self.right - 12 - points
    svg.path("M\(SVGText.decimal(x)) \(SVGText.decimal(y - 4))v4h\(SVGText.decimal(points))v-4", "axis")
    let text = length >= 1000 ? "\(SVGText.decimal(length / 1000)) km" : "\(SVGText.decimal(length)) m"
    svg.element(
      "text", ["x": .number(x - 6), "y": .number(y + 2), "text-anchor": "end", "class": "quiet"],
      content: text)
  }
}
