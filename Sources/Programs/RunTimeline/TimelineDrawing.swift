internal import AppLifecycle
package import Clocks
internal import TextFormatting

/// A drawing of a run against time, as an SVG document: lanes below each other, with flags for commands, events and
/// terminations above them.
package struct TimelineDrawing {
  /// The width of the drawing, in SVG user units.
  static let width = 1000.0
  static let left = 112.0
  static let right = 968.0
  /// The maximum number of rows of flag labels. Labels that find no room are left out.
  static let labelRows = 4
  /// The maximum number of rows in the task lane. Tasks that find no room are left out.
  static let taskRows = 6

  /// The number of elements up to which a series is not thinned, so that changes at one moment (inactive,
  /// background) all stay.
  private static let sparse = 200
  /// The minimum distance between the elements of a thinned series, in SVG user units.
  private static let closest = 3.0
  /// The width in SVG user units below which a band has no outline, because nothing else would be visible.
  private static let narrow = 7.0

  let timeline: Timeline
  /// The recorded locations, for the map, as far as the series has kept them. The lane shows the thinned ones
  /// of `timeline`.
  let places: [ThinnedSeries<Timeline.Place>.Element]
  /// The application's states with their start times, as far as the series has kept them.
  let states: [ThinnedSeries<ApplicationState>.Element]
  let axis: TimeAxis
  /// The zero of the axis: the first sound, or the start of the recording without sound.
  private let zero: HostTime
  let end: HostTime
  private let titleLines: [String]
  var svg = SVGText()
  /// The labels of the bands, which come after the lanes and flags in the document, so that no line covers
  /// them.
  private var labels = SVGText()
  /// The lower edge of the drawing so far, in SVG user units.
  var bottom = 0.0
  /// Sentences about elements and labels that were left out.
  var remarks: [String] = []

  /// Returns the SVG document of a run that was recorded until `end`.
  package static func document(_ timeline: Timeline, end: HostTime, title: RunTitle) -> String {
    var drawing = TimelineDrawing(timeline, end: end, title: title)
    return drawing.draw(title)
  }

  private init(_ timeline: Timeline, end: HostTime, title: RunTitle) {
    titleLines = title.lines(columns: Int((Self.right - 22) / TimelineStyle.columnWidth))
    zero = timeline.firstSound ?? timeline.start
    self.end = max(end, timeline.start)
    axis = TimeAxis(from: timeline.start.seconds(since: zero), to: self.end.seconds(since: zero))
    let secondsPerPoint = (axis.end - axis.start) / (Self.right - Self.left)
    places = timeline.places.elements
    states = timeline.states.elements
    self.timeline = timeline.thinned(beyond: Self.sparse, to: Self.closest * secondsPerPoint)
  }

  /// Returns the time in seconds on the axis, at most the time of the run's end.
  func seconds(_ time: HostTime) -> Double { min(time, end).seconds(since: zero) }

  func x(_ seconds: Double) -> Double {
    Self.left + (seconds - axis.start) / (axis.end - axis.start) * (Self.right - Self.left)
  }

  /// Returns the horizontal position of a time, in SVG user units.
  func x(_ time: HostTime) -> Double { x(seconds(time)) }

  /// Returns an interval of time as text, such as `1.5 to 4 s`.
  func span(_ start: HostTime, _ end: HostTime) -> String {
    "\(SVGText.decimal(seconds(start))) to \(SVGText.decimal(seconds(end))) s"
  }

  /// Returns the intervals of a series. Each ends at the start of the next, the last one at the end of the
  /// run.
  func stretches<Value>(_ series: ThinnedSeries<Value>) -> [(value: Value, start: HostTime, end: HostTime)] {
    let elements = series.elements
    return elements.indices.map { index in
      let next = index + 1 < elements.count ? elements[index + 1].time : end
      return (elements[index].value, elements[index].time, max(next, elements[index].time))
    }
  }

  /// The upper edge of the flags' labels, below the title.
  var flagsTop: Double { 64 + Double(max(0, titleLines.count - 1)) * Self.titleLeading }

  private static let titleLeading = 17.0

  // MARK: Document

  private mutating func draw(_ title: RunTitle) -> String {
    // The background needs the drawing's height, so the lanes are drawn first and inserted after the
    // background.
    let flags = placeFlags()
    let top = flagsTop + 2 + Double((flags.compactMap { $0.place?.row }.max() ?? 0) + 1) * 15
    bottom = top
    drawStates()
    // A run that only records locations has neither sound nor items.
    if places.isEmpty || !timeline.sounds.elements.isEmpty || !timeline.items.elements.isEmpty {
      drawSound()
      drawItems()
    }
    if !places.isEmpty { drawPlaces() }
    if !timeline.interruptions.elements.isEmpty { drawInterruptions() }
    if !timeline.tasks.isEmpty { drawTasks() }
    let lanes = svg.text
    let lanesEnd = bottom
    svg = SVGText()
    drawFlags(flags, from: top, to: lanesEnd)
    let overlay = svg.text
    svg = SVGText()
    drawLegend(from: places.isEmpty ? lanesEnd + 40 : drawTrack(from: lanesEnd + 36) + 16)
    drawRemarks()
    let footer = svg.text
    let names = labels.text
    let height = bottom + 14

    svg = SVGText()
    svg.open(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 \(Int(Self.width)) \(SVGText.decimal(height))",
        "width": .number(Self.width), "height": .number(height), "class": "continuo", "role": "img",
        "aria-labelledby": "continuo-title continuo-description",
      ])
    let heading = "The application and its sound, against time"
    svg.element("title", ["id": "continuo-title"], content: "\(heading): \(title.command)")
    svg.element("desc", ["id": "continuo-description"], content: description)
    svg.markup(TimelineStyle.definitions)
    svg.element("rect", ["width": .number(Self.width), "height": .number(height), "fill": "#ffffff"])
    svg.label(heading, x: 22, y: 30, "heading")
    for (index, line) in titleLines.enumerated() {
      svg.label(line, x: 22, y: 49 + Double(index) * Self.titleLeading, "quiet")
    }
    drawAxis(top: top, bottom: lanesEnd)
    let document = svg.text + lanes + overlay + names + footer
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(document)</svg>\n"
  }

  private mutating func drawAxis(top: Double, bottom: Double) {
    for tick in axis.ticks {
      let x = x(tick)
      svg.line(x: x, from: top, to: bottom + 5, "grid")
      svg.label(axis.label(tick), x: x, y: bottom + 20, "tick")
    }
    let line = "M\(SVGText.decimal(Self.left)) \(SVGText.decimal(bottom))H\(SVGText.decimal(Self.right))"
    svg.path(line, "axis")
    svg.label(axis.unit, x: Self.left - 34, y: bottom + 20, "lane")
  }

  // MARK: Lanes

  /// Starts a lane with its name and its background. Returns the lane's upper edge.
  mutating func lane(_ name: String, height: Double) -> Double {
    let top = bottom + 5
    svg.label(name, x: Self.left - 12, y: top + height / 2 + 4, "lane")
    svg.rectangle(x: Self.left, y: top, width: Self.right - Self.left, height: height, "bed")
    bottom = top + height + 5
    return top
  }

  /// Draws a band, with the first of `names` that fits as a whole, if any.
  private mutating func band(
    _ names: String..., from start: HostTime, to end: HostTime, top: Double, height: Double, style: String,
    labelStyle: String = "on", tooltip: String
  ) {
    let (left, right) = (x(start), x(end))
    svg.rectangle(
      x: left, y: top, width: max(right - left, 1), height: height,
      right - left < Self.narrow ? style : "\(style) edge", tooltip: tooltip)
    let columns = Int(max(0, right - left - 8) / TimelineStyle.columnWidth)
    guard let label = names.first(where: { TerminalText.width($0) <= columns }), !label.isEmpty else {
      return
    }
    write(label, x: left + 5, y: top + height / 2, style: labelStyle)
  }

  /// Writes a label that is vertically centred at `y`.
  mutating func write(_ label: String, x: Double, y: Double, style: String = "on") {
    labels.label(label, x: x, y: y + 4, style)
  }

  private mutating func drawStates() {
    let top = lane("application", height: 32)
    // From right to left, so that the minimum width of a short band covers the start of its successor, not the
    // reverse. Transitional inactive states, less than 1 user unit wide, are only in the description.
    for (state, start, end) in stretches(timeline.states).reversed() {
      if state == .inactive, x(end) - x(start) < 1 { continue }
      let name = TimelineStyle.name(state)
      band(
        name, from: start, to: end, top: top, height: 32, style: "state-\(state.rawValue)",
        labelStyle: TimelineStyle.label(on: state), tooltip: "\(name), \(span(start, end))")
    }
    note(timeline.states.omitted, "changes of the application's state")
  }

  private mutating func drawSound() {
    let top = lane("sound", height: 26)
    for (sound, start, end) in stretches(timeline.sounds).reversed() where sound != .silent {
      // Translates the origin to the band's upper edge, where the pattern starts.
      let isAudible = sound == .audible
      svg.open("g", ["transform": "translate(0 \(SVGText.decimal(top)))"])
      band(
        "", from: start, to: end, top: 0, height: 26, style: isAudible ? "sound" : "waiting",
        tooltip: "\(isAudible ? "sound" : "waiting"), \(span(start, end))")
      svg.close("g")
    }
    note(timeline.sounds.omitted, "changes between sound and silence")
  }

  private mutating func drawItems() {
    let top = lane("items", height: 24)
    for (item, start, end) in stretches(timeline.items).reversed() {
      guard let item else { continue }
      band(
        "\(item.index + 1)  \(item.name)", "\(item.index + 1)", from: start, to: end, top: top, height: 24,
        style: item.index.isMultiple(of: 2) ? "item-even" : "item-odd",
        tooltip: "\(item.index + 1) \(item.name), \(span(start, end))")
    }
    for jump in timeline.jumps.elements {
      // A triangle that points at the jump from below.
      let (x, tip, base) = (x(jump.time), SVGText.decimal(top + 15), SVGText.decimal(top + 24))
      let triangle =
        "M\(SVGText.decimal(x)) \(tip)L\(SVGText.decimal(x + 4)) \(base)H\(SVGText.decimal(x - 4))Z"
      svg.path(triangle, "jump", tooltip: "jump at \(SVGText.decimal(seconds(jump.time))) s")
    }
    note(timeline.items.omitted, "items")
    note(timeline.jumps.omitted, "jumps")
  }

  private mutating func drawInterruptions() {
    let top = lane("interruption", height: 18)
    for (isInterrupted, start, end) in stretches(timeline.interruptions).reversed() where isInterrupted {
      band(
        "", from: start, to: end, top: top, height: 18, style: "interruption",
        tooltip: "interruption, \(span(start, end))")
    }
    note(timeline.interruptions.omitted, "interruptions")
  }

  /// Adds a remark on elements that were left out, unless `count` is 0.
  mutating func note(_ count: Int, _ what: String) {
    if count > 0 { remarks.append("\(count) \(what) too close to others to be drawn.") }
  }
}
