internal import AppLifecycle
internal import TextFormatting

/// The legend and the remarks below the lanes, and the description for screen readers.
extension TimelineDrawing {
  /// Draws the legend: the states, kinds of sound, symbols and track styles that the drawing contains. Items and
  /// interruptions have no entry.
  mutating func drawLegend(from top: Double) {
    var entries: [(style: String, name: String)] = []
    for state in [ApplicationState.active, .inactive, .background, .suspended, .notRunning]
    where isSeen(state) { entries.append(("state-\(state.rawValue) edge", TimelineStyle.name(state))) }
    for (sound, name) in [(Timeline.Sound.audible, "sound"), (.waiting, "waiting for sound")]
    where timeline.sounds.elements.contains(where: { $0.value == sound }) {
      entries.append(("\(sound == .audible ? "sound" : "waiting") edge", name))
    }
    if !timeline.jumps.elements.isEmpty { entries.append(("jump", "jump")) }
    if !places.isEmpty {
      entries.append(("place", "location update"))
      let styles = Set(trackParts.map(\.style))
      let names = [("front", "way in front"), ("behind", "in the background"), ("gap", "not told of")]
      for (style, name) in names where styles.contains(style) { entries.append(("track-\(style)", name)) }
    }
    if !timeline.tasks.isEmpty { entries.append(("task", "background task")) }
    if timeline.tasks.contains(where: { $0.outcome == .ended }) { entries.append(("task-end", "its end")) }
    if timeline.tasks.contains(where: { $0.expiry != nil }) { entries.append(("expiry", "its expiration")) }
    let isKilled = timeline.tasks.contains { $0.outcome == .killed }
    if isKilled { entries.append(("killed", "open at a termination")) }
    if !timeline.presses.elements.isEmpty { entries.append(("press", "pressed")) }
    if !timeline.terminations.elements.isEmpty { entries.append(("termination", "terminated")) }

    var (x, y) = (Self.left, top)
    for entry in entries {
      let width = Double(TerminalText.width(entry.name)) * TimelineStyle.columnWidth + 42
      if x + width > Self.right {
        x = Self.left
        y += 20
      }
      // Translates the origin to the swatch, because the lanes' patterns start at the origin.
      svg.open("g", ["transform": .text("translate(\(SVGText.decimal(x)) \(SVGText.decimal(y)))")])
      drawSwatch(entry.style)
      svg.element("text", ["x": 28, "y": 11], content: entry.name)
      svg.close("g")
      x += width
    }
    bottom = y + 14
  }

  /// Whether a state is at least 1 user unit wide somewhere. Transitional states are narrower.
  private func isSeen(_ state: ApplicationState) -> Bool {
    stretches(timeline.states).contains { $0.value == state && x($0.end) - x($0.start) >= 1 }
  }

  private mutating func drawSwatch(_ style: String) {
    switch style {
    case "jump": svg.path("M11 2l4 9h-8Z", style)
    case "expiry": svg.path("M11 0l6 7l-6 7l-6 -7Z", style)
    case "task-end": svg.path("M10 0h3v14h-3Z", style)
    case "sound edge":
      // Scales the pattern's full height of 26 user units to the swatch's 14.
      svg.element(
        "rect", ["width": 40, "height": 26, "transform": "scale(0.55 0.54)", "class": "sound edge"])
    case "killed": svg.path("M5 1l12 12m0 -12l-12 12", style)
    case "place": svg.path("M6 1v12M11 1v12M16 1v12", style)
    case "track-front", "track-behind", "track-gap": svg.path("M0 7h22", "track \(style)")
    case "press", "termination": svg.path("M11 -1v16", style)
    default: svg.element("rect", ["width": 22, "height": 14, "class": .text(style)])
    }
  }

  /// Draws the remarks, one sentence per line.
  mutating func drawRemarks() {
    for remark in remarks {
      bottom += 17
      svg.label(remark, x: Self.left, y: bottom, "quiet")
    }
  }

  /// The maximum number of events in the description: a listener would not remember more.
  private static let descriptionLimit = 60

  /// The run in words, for screen readers.
  var description: String {
    var events: [(time: Double, text: String)] = []
    func add<Value>(_ series: ThinnedSeries<Value>, _ text: (Value) -> String) {
      for element in series.elements { events.append((seconds(element.time), text(element.value))) }
    }
    add(timeline.presses) { "pressed: \($0)" }
    add(timeline.states) { "application \(TimelineStyle.name($0))" }
    add(timeline.sounds) { $0 == .audible ? "sound" : $0 == .waiting ? "waiting for sound" : "silence" }
    add(timeline.items) { $0.map { "item \($0.index + 1), \($0.name)" } ?? "end of the queue" }
    add(timeline.jumps) { _ in "jump" }
    add(timeline.interruptions) { $0 ? "interruption begins" : "interruption ends" }
    if let first = places.first, let last = places.last {
      let count = places.reduce(places.count) { $0 + $1.others }
      events.append((seconds(first.time), "first of \(count) location updates"))
      if places.count > 1 { events.append((seconds(last.time), "last location update")) }
    }
    add(timeline.terminations) { "terminated: \($0)" }
    for task in timeline.tasks {
      events.append((seconds(task.begin), "task \(task.name) begins"))
      if let expiry = task.expiry { events.append((seconds(expiry), "task \(task.name) expires")) }
      if let end = task.end, task.outcome == .ended {
        events.append((seconds(end), "task \(task.name) ends"))
      }
    }
    // Events at the same time keep the order above.
    let sorted = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    let told = sorted.prefix(Self.descriptionLimit).map {
      "\(SVGText.decimal($0.element.time)) s: \($0.element.text)"
    }
    let rest = events.count - told.count
    return told.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more." : ".")
  }
}
