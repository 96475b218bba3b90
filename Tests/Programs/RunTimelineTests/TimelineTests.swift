import AppLifecycle
import Clocks
import Foundation
import FoundationXML
import Testing

@testable import RunTimeline

/// A recording made of `(seconds, entry)`, drawn at `end`.
func timeline(_ entries: [(Double, Timeline.Entry)], start: Double = 100) -> Timeline {
  var timeline = Timeline(start: HostTime(nanoseconds: Int64(start * 1e9)))
  for (time, entry) in entries {
    timeline.record(entry, at: HostTime(nanoseconds: Int64(((start + time) * 1e9).rounded())))
  }
  return timeline
}

/// What a strict reader of XML finds in a drawing.
final class ReadDrawing: NSObject, XMLParserDelegate {
  struct Element {
    var name: String
    var attributes: [String: String]
    var text = ""
    var number: (String) -> Double { { [attributes] in Double(attributes[$0] ?? "") ?? .nan } }
    func hasClass(_ name: String) -> Bool {
      attributes["class"]?.split(separator: " ").contains(Substring(name)) ?? false
    }
  }

  private(set) var elements: [Element] = []
  private var stack: [Int] = []
  let svg: String

  init(_ svg: String) throws {
    self.svg = svg
    super.init()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = self
    guard parser.parse() else {
      throw Malformed(description: "line \(parser.lineNumber): \(String(describing: parser.parserError))")
    }
  }

  struct Malformed: Error, CustomStringConvertible { var description: String }

  convenience init(
    _ timeline: Timeline, end: Double, start: Double = 100, caption: String = "a run", details: String = ""
  ) throws {
    let end = HostTime(nanoseconds: Int64(((start + end) * 1e9).rounded()))
    try self.init(
      TimelineDrawing.document(timeline, end: end, title: RunTitle(command: caption, details: details)))
  }

  func parser(
    _: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    stack.append(elements.count)
    elements.append(Element(name: name, attributes: attributes))
  }

  func parser(_: XMLParser, foundCharacters text: String) {
    if let last = stack.last { elements[last].text += text }
  }

  func parser(_: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
    stack.removeLast()
  }

  /// The elements of a class.
  func of(_ style: String) -> [Element] { elements.filter { $0.hasClass(style) } }
  /// All that can be read on it, but for what pops up.
  var labels: [String] { elements.filter { $0.name == "text" }.map(\.text) }
  /// All that pops up.
  var tooltips: [String] { elements.filter { $0.name == "title" }.map(\.text) }
}

@Suite struct TimelineTests {
  /// A run in which everything happens.
  static let everything: [(Double, Timeline.Entry)] = [
    (0, .state(.inactive)), (0, .state(.active)), (0.02, .item(index: 0, name: "Nina – First Song.mp3")),
    (0.02, .sound(.waiting)), (0.4, .sound(.audible)),
    (1.9, .taskBegan(identifier: 1, name: "upload")), (3.4, .pressed("home")), (3.4, .state(.inactive)),
    (3.4, .state(.background)), (4.2, .item(index: 1, name: "Evening.mp3")), (5, .pressed("seek 0:42")),
    (5, .jumped), (5.5, .taskBegan(identifier: 2, name: "index of the whole library, a long name")),
    (6.0, .taskEnded(identifier: 2)), (8.4, .taskEnded(identifier: 1)), (8.4, .state(.suspended)),
    (10.4, .pressed("foreground")), (10.4, .state(.inactive)), (10.4, .state(.active)),
    (12, .pressed("interrupt begin")), (12, .state(.inactive)), (12, .interruptionBegan),
    (12, .sound(.silent)), (14, .pressed("interrupt end")), (14, .interruptionEnded),
    (14, .state(.active)), (14.01, .sound(.audible)),
    (15, .taskBegan(identifier: 3, name: "never ended")), (15.2, .pressed("home")), (15.2, .state(.inactive)),
    (15.2, .state(.background)), (16.2, .taskExpired(identifier: 3)),
    (18.2, .terminated("0x2182bad2: background task still open")), (18.2, .state(.notRunning)),
    (20, .pressed("launch")), (20, .state(.inactive)), (20, .state(.active)),
    (20.05, .item(index: 1, name: "Evening.mp3")), (20.1, .sound(.audible)), (22.4, .noItem),
    (22.4, .sound(.silent)),
  ]

  /// The whole command and its circumstances, on as many lines as they need.
  @Test func theTitleIsWhole() throws {
    let run = RunTitle(
      program: "continuo", arguments: ["play", "--at", "3:seek 1:02", "it's", ""], version: "1.2.3",
      secondsSince1970: 1_777_622_400.25, notes: "3 items")
    #expect(run.command == #"continuo play --at '3:seek 1:02' 'it'\''s' ''"#)
    #expect(run.details == "Continuo 1.2.3; 2026-05-01T08:00:00.250Z; 3 items")
    let command = (0..<60).map { "--at \($0):home" }.joined(separator: " ")
    let drawing = try ReadDrawing(
      timeline(Self.everything), end: 22.5, caption: command, details: run.details)
    // Remarks, at the end, begin at the lanes.
    let title = drawing.of("quiet").filter { $0.number("x") == 22 }
    let lines = title.map(\.text)
    #expect(lines.dropLast().joined(separator: " ") == command && lines.last == run.details)
    #expect(lines.count > 3 && !lines.contains { $0.contains("\u{2026}") })
    // The labels of the flags begin below it.
    let end = title.map { $0.number("y") }.max() ?? 0
    #expect(drawing.of("haloed").allSatisfy { $0.number("y") > end + 8 })
    expectInside(drawing)
  }

  /// What has no room for its name has none, or a shorter one.
  @Test func noLabelIsCutOff() throws {
    let long = "a name of a file that takes more room than there is beside all the others"
    var entries: [(Double, Timeline.Entry)] = [(0, .state(.active)), (0, .sound(.audible))]
    for index in 0..<20 {
      let time = Double(index)
      entries.append((time, .item(index: index, name: long)))
      entries.append((time + 0.2, .state(.inactive)))
      entries.append((time + 0.9, .state(.active)))
      entries.append((time, .taskBegan(identifier: index, name: long + long)))
      entries.append((time + 0.5, .taskEnded(identifier: index)))
    }
    entries.append((20, .terminated("0x2182bad2: \(long) still open")))
    let drawing = try ReadDrawing(timeline(entries), end: 20.5)
    #expect(!drawing.labels.contains { $0.contains("\u{2026}") })
    #expect(drawing.labels.contains("7") && drawing.labels.contains("0x2182bad2"))
  }

  /// A name that is known late is the current file's, from its beginning on; without one it is nobody's.
  @Test func aNameThatComesLateIsTheCurrentFiles() {
    let entries: [(Double, Timeline.Entry)] = [
      (0, .itemNamed("nobody's")), (1, .item(index: 0, name: "a.mp3")), (1.02, .itemNamed("A")),
      (2, .item(index: 1, name: "b.mp3")), (3, .noItem), (3.01, .itemNamed("late")),
    ]
    let items = timeline(entries).items.elements
    #expect(items.map { $0.value?.name } == ["A", "b.mp3", nil])
    #expect(items.map { $0.value?.index } == [0, 1, nil])
    let start = timeline([]).start
    #expect(items.map { Int(($0.time.seconds(since: start) * 1000).rounded()) } == [1000, 2000, 3000])
  }

  @Test func drawsEverythingWhereItIs() throws {
    let drawing = try ReadDrawing(timeline(Self.everything), end: 22.5, caption: "a <b> & \"c\" 🎵")
    #expect(drawing.labels.contains("a <b> & \"c\" 🎵"))
    // 0 is the first sound: 0.4 s after the beginning.
    #expect(
      drawing.tooltips.filter { $0.hasPrefix("active") }.sorted() == [
        "active, -0.4 to 3 s", "active, 10 to 11.6 s", "active, 13.6 to 14.8 s", "active, 19.6 to 22.1 s",
      ])
    #expect(drawing.tooltips.contains("background, 3 to 8 s"))
    #expect(drawing.tooltips.contains("suspended, 8 to 10 s"))
    #expect(drawing.tooltips.contains("not running, 17.8 to 19.6 s"))
    // No sound while suspended, interrupted or not running; the player itself said nothing of the first and the last.
    #expect(
      drawing.tooltips.filter { $0.hasPrefix("sound") }.sorted() == [
        "sound, 0 to 8 s", "sound, 10 to 11.6 s", "sound, 13.61 to 17.8 s", "sound, 19.7 to 22 s",
      ])
    #expect(drawing.tooltips.contains("1 Nina – First Song.mp3, -0.38 to 3.8 s"))
    #expect(drawing.tooltips.contains("2 Evening.mp3, 3.8 to 17.8 s"))
    #expect(drawing.tooltips.contains("task upload, 1.5 to 8 s, ended"))
    #expect(drawing.tooltips.contains("task never ended, 14.6 to 17.8 s, open at the termination"))
    #expect(drawing.tooltips.contains("expiration of never ended at 15.8 s"))
    #expect(drawing.tooltips.contains("interruption, 11.6 to 13.6 s"))
    #expect(drawing.tooltips.contains("jump at 4.6 s"))
    #expect(drawing.tooltips.contains("0x2182bad2: background task still open, at 17.8 s"))
    for label in [
      "home", "seek 0:42", "foreground", "launch", "upload", "application", "sound", "items", "tasks",
    ] {
      #expect(drawing.labels.contains(label))
    }
    #expect(
      drawing.of("tick").map(\.text) == (0...11).map { "\($0 * 2)" })

    // The bands lie where the axis says: background from 3 to 8 between the ticks of 2 and 8.
    let ticks = Dictionary(
      uniqueKeysWithValues: drawing.of("tick").compactMap { tick in
        Double(tick.text).map { ($0, tick.number("x")) }
      })
    let background = try #require(drawing.of("state-background").max { $0.number("x") > $1.number("x") })
    let second = (try #require(ticks[8]) - #require(ticks[2])) / 6
    #expect(abs(background.number("x") - (ticks[2] ?? 0) - second) < 0.02)
    #expect(abs(background.number("width") - 5 * second) < 0.02)
  }

  @Test func saysEverythingInWords() throws {
    let drawing = try ReadDrawing(timeline(Self.everything), end: 22.5)
    let words = try #require(drawing.elements.first { $0.name == "desc" }).text
    #expect(words.hasPrefix("-0.4 s: application inactive; -0.4 s: application active; "))
    #expect(words.contains("3 s: pressed: home; 3 s: application inactive; 3 s: application background; "))
    #expect(words.contains("17.8 s: terminated: 0x2182bad2: background task still open"))
    let root = try #require(drawing.elements.first)
    #expect(root.attributes["role"] == "img")
    #expect(root.attributes["viewBox"]?.hasPrefix("0 0 1000 ") == true)
    for identifier in (root.attributes["aria-labelledby"] ?? "").split(separator: " ") {
      #expect(drawing.elements.contains { $0.attributes["id"] == String(identifier) && !$0.text.isEmpty })
    }
    // Nothing is fetched, nothing runs.
    #expect(
      !drawing.elements.contains { ["script", "image", "use", "a", "foreignObject"].contains($0.name) })
    #expect(!drawing.svg.contains("@import") && !drawing.svg.contains("@font-face"))
  }

  @Test func theLegendHasWhatOccursAndNothingElse() throws {
    let drawing = try ReadDrawing(timeline([(0, .state(.active)), (0.1, .sound(.audible))]), end: 3)
    #expect(drawing.labels.suffix(2) == ["active", "sound"])
    for word in ["suspended", "background task", "interruption", "tasks", "pressed", "terminated"] {
      #expect(!drawing.labels.contains(word))
    }
  }

  @Test func theSameRunGivesTheSameDrawing() {
    let texts = (0..<2).map { _ in
      TimelineDrawing.document(
        timeline(Self.everything), end: HostTime(nanoseconds: 122_500_000_000), title: RunTitle(command: "x"))
    }
    #expect(texts[0] == texts[1])
  }

  @Test(arguments: [0, 1e-9, 0.5, 36_000, 1e7])
  func lengths(seconds: Double) throws {
    let drawing = try ReadDrawing(
      timeline([(0, .state(.active)), (0, .item(index: 0, name: "x")), (0, .sound(.audible))]),
      end: seconds)
    #expect((2...16).contains(drawing.of("tick").count))
    expectInside(drawing)
    #expect(
      try ReadDrawing(Timeline(start: HostTime(nanoseconds: 0)), end: seconds, start: 0).of("bed").count == 3)
  }

  /// Every place is a number inside the drawing.
  func expectInside(_ drawing: ReadDrawing, sourceLocation: SourceLocation = #_sourceLocation) {
    let height = drawing.elements.first?.number("height") ?? 0
    for element in drawing.elements {
      for (key, limit) in [("x", 1000), ("x1", 1000), ("x2", 1000), ("y", height), ("y2", height)] {
        guard element.attributes[key] != nil else { continue }
        #expect((0...limit).contains(element.number(key)), "\(element)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test func tenThousandItemsAndTenHours() throws {
    var entries: [(Double, Timeline.Entry)] = [(0, .state(.active)), (0, .sound(.audible))]
    for index in 0..<10_000 {
      let time = Double(index) * 3.6
      entries.append((time, .item(index: index, name: "Track \(index) <&>\"'")))
      entries.append((time + 1, .taskBegan(identifier: index, name: "task \(index)")))
      entries.append((time + 1, .pressed("home")))
      entries.append((time + 1, .state(.inactive)))
      entries.append((time + 1, .state(.background)))
      entries.append((time + 2, .jumped))
      entries.append((time + 2, .taskEnded(identifier: index)))
      entries.append((time + 3, .state(.active)))
    }
    let timeline = timeline(entries)
    #expect(timeline.items.elements.count <= ThinnedSeries<Int>.limit)
    #expect(timeline.tasks.count <= Timeline.taskLimit)
    let drawing = try ReadDrawing(timeline, end: 36_000)
    print("10 h, 10,000 items: \(drawing.svg.utf8.count) bytes")
    #expect(drawing.svg.utf8.count < 1_000_000)
    expectInside(drawing)
    // It says what it leaves out.
    #expect(drawing.labels.contains { $0.hasSuffix(" items too close to others to be drawn.") })
    #expect(drawing.labels.contains { $0.hasSuffix("background tasks too close to others to be drawn.") })
    #expect(drawing.labels.contains { $0.hasSuffix("strokes without a label, for want of room.") })
    #expect(timeline.items.omitted + timeline.items.elements.count == 10_000)
    #expect(timeline.presses.omitted + timeline.presses.elements.count == 10_000)
  }

  @Test func namesOfAnyKind() throws {
    let names = [
      "<script>alert(1)</script>", "a & b \"c\" 'd'", "🎵👩‍👩‍👧‍👦 🇩🇪 emoji",
      String(decoding: [0x66, 0xFF, 0xC3] as [UInt8], as: UTF8.self),
      "null\u{0} bell\u{7} \u{FFFF}\u{FFFE} \u{85}\u{2028}",
      "e" + String(repeating: "\u{301}", count: 100_000),
      String(repeating: "very long ", count: 10_000), "\u{202E}reversed", "]]>", "", "日本語の曲名",
    ]
    var entries: [(Double, Timeline.Entry)] = []
    for (index, name) in names.enumerated() {
      let time = Double(index) * 100
      entries.append((time, .item(index: index, name: name)))
      entries.append((time, .taskBegan(identifier: index, name: name)))
      entries.append((time, .pressed(name)))
      entries.append((time + 99, .taskEnded(identifier: index)))
      entries.append((time + 99, .terminated(name)))
    }
    let drawing = try ReadDrawing(timeline(entries), end: 1100, caption: names.joined())
    #expect(drawing.tooltips.contains { $0.contains("<script>alert(1)</script>") })
    #expect(drawing.tooltips.contains { $0.contains("👩‍👩‍👧‍👦") })
    #expect(drawing.tooltips.contains { $0.contains("日本語の曲名") })
    #expect(!drawing.elements.contains { $0.name == "script" })
    #expect(!drawing.svg.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
    expectInside(drawing)
  }

  @Test("No line runs through a label, and one stroke is one stroke") func linesPassLabels() throws {
    var entries: [(Double, Timeline.Entry)] = [(0, .state(.active))]
    for index in 0..<14 { entries.append((Double(index) * 0.4, .pressed("press number \(index)"))) }
    entries.append((2.1, .terminated("a reason that takes a good deal of room")))
    let drawing = try ReadDrawing(timeline(entries), end: 20, caption: "lines")
    let lines = drawing.of("press") + drawing.of("termination")
    let labels = drawing.of("haloed")
    #expect(lines.count >= 15 && labels.count >= 3)
    for label in labels {
      let width = Double(label.text.count) * TimelineStyle.columnWidth
      let start = label.number("x") - (label.attributes["text-anchor"] == "end" ? width : 0)
      for line in lines where line.number("y1") < label.number("y") - 4 {
        let x = line.number("x1")
        #expect(x <= start || x >= start + width, "\(label.text) \(x)")
      }
    }
    let strokes = drawing.labels.filter { $0.contains("without a label") }
    #expect(!strokes.contains { $0.hasPrefix("1 strokes") })
  }

  @Test func identifiersOfTasksMayComeAgain() {
    let timeline = timeline([
      (0, .state(.active)), (1, .taskBegan(identifier: 1, name: "first")), (2, .state(.notRunning)),
      (3, .state(.active)), (4, .taskBegan(identifier: 1, name: "second")), (5, .taskEnded(identifier: 1)),
      (6, .taskEnded(identifier: 1)), (6, .taskEnded(identifier: 9)), (6, .taskExpired(identifier: 1)),
    ])
    #expect(timeline.tasks.map(\.name) == ["first", "second"])
    #expect(timeline.tasks.map(\.outcome) == [.killed, .ended])
    #expect(timeline.tasks.map { $0.end?.seconds } == [102, 105])
    #expect(timeline.tasks.allSatisfy { $0.expiry == nil })
  }

  @Test func openTasksAreCountedWhenThereAreTooMany() {
    var timeline = Timeline(start: HostTime(nanoseconds: 0))
    for identifier in 0..<1000 {
      timeline.record(
        .taskBegan(identifier: identifier, name: "x"), at: HostTime(nanoseconds: Int64(identifier)))
    }
    #expect(timeline.tasks.count == Timeline.taskLimit)
    #expect(timeline.omittedTasks == 1000 - Timeline.taskLimit)
  }
}

@Suite struct ThinnedSeriesTests {
  @Test(arguments: [1, 800, 801, 5000, 100_000]) func staysSmallAndKeepsTheEnds(count: Int) {
    var states = ThinnedSeries<Int>(survivor: .last)
    var events = ThinnedSeries<Int>(survivor: .first)
    for value in 0..<count {
      states.append(value, at: HostTime(nanoseconds: Int64(value) * 1_000_000))
      events.append(value, at: HostTime(nanoseconds: Int64(value) * 1_000_000))
    }
    for series in [states, events] {
      #expect(series.elements.count <= ThinnedSeries<Int>.limit)
      #expect(series.elements.count + series.omitted == count)
      #expect(series.elements.first?.time.nanoseconds == 0)
      #expect(zip(series.elements, series.elements.dropFirst()).allSatisfy { $0.time < $1.time })
    }
    #expect(states.elements.last?.value == count - 1)
    #expect(events.elements.first?.value == 0)
  }

  @Test func manyAtOneMomentBecomeOne() {
    var series = ThinnedSeries<Int>(survivor: .last)
    for value in 0..<10_000 { series.append(value, at: HostTime(nanoseconds: 5)) }
    #expect(series.elements.count <= ThinnedSeries<Int>.limit)
    #expect(series.elements.last?.value == 9999)
  }

  @Test func timeNeverRunsBackwards() {
    var series = ThinnedSeries<Int>(survivor: .first)
    series.append(1, at: HostTime(nanoseconds: 10))
    series.append(2, at: HostTime(nanoseconds: 7))
    #expect(series.elements.map(\.time.nanoseconds) == [10, 10])
  }
}

@Suite struct TimeAxisTests {
  @Test(
    arguments: [
      (0.0, 0.0, 0.1, "seconds"), (0, 12, 1, "seconds"), (-0.3, 22, 2, "seconds"), (0, 119, 10, "seconds"),
      (0, 120, 10, "min:s"), (0, 3599, 300, "min:s"), (0, 36_000, 3600, "h:min:s"),
      (0, 86_400 * 100, 604_800, "h:min:s"),
    ] as [(Double, Double, Double, String)])
  func choosesSteps(start: Double, end: Double, step: Double, unit: String) {
    let axis = TimeAxis(from: start, to: end)
    #expect(axis.step == step)
    #expect(axis.unit == unit)
    #expect((2...16).contains(axis.ticks.count))
    #expect(axis.ticks.allSatisfy { (axis.start...axis.end).contains($0) })
  }

  @Test func labels() {
    #expect(TimeAxis(from: -1, to: 1).label(-0.2) == "−0.2")
    #expect(TimeAxis(from: 0, to: 10).label(3) == "3")
    #expect(TimeAxis(from: -10, to: 600).label(65) == "1:05")
    #expect(TimeAxis(from: -10, to: 600).label(-10) == "−0:10")
    #expect(TimeAxis(from: 0, to: 36_000).label(3661) == "1:01:01")
  }

  @Test(
    arguments: [
      (0.0, "0"), (1, "1"), (-1.5, "-1.5"), (0.005, "0.01"), (12.30, "12.3"), (100.999, "101"), (-0.001, "0"),
      (.nan, "0"), (.infinity, "0"), (1e300, "0"),
    ] as [(Double, String)])
  func decimals(value: Double, text: String) { #expect(SVGText.decimal(value) == text) }
}
