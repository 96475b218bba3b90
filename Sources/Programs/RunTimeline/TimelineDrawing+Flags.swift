internal import TextFormatting

/// Flags for events at a moment: a line down through all lanes, with a label at its upper end.
extension TimelineDrawing {
  /// The line of an event, with its label.
  struct Flag {
    var x: Double
    var time: Double
    var label: String
    var isTermination: Bool
    /// The position of the label; nil if no room was found.
    var place: (row: Int, isLeft: Bool)?
  }

  /// Returns the flags, with each label in the first row that has room, right of its line or else left of it.
  /// Terminations come first, since they must be readable.
  func placeFlags() -> [Flag] {
    var flags: [Flag] = []
    for (series, isTermination) in [(timeline.terminations, true), (timeline.presses, false)] {
      for element in series.elements {
        let more = element.others > 0 ? " (+\(element.others))" : ""
        let label =
          (TerminalText.width(element.value) <= 46 ? element.value : Self.short(element.value)) + more
        flags.append(
          Flag(x: x(element.time), time: seconds(element.time), label: label, isTermination: isTermination))
      }
    }
    var placed: [(row: Int, range: ClosedRange<Double>, x: Double)] = []
    for (index, flag) in flags.enumerated() {
      // Bold letters, of terminations, are wider.
      let column = TimelineStyle.columnWidth * (flag.isTermination ? 1.12 : 1)
      let width = Double(TerminalText.width(flag.label)) * column + 10
      let toTheRight = flag.x - 4...flag.x + width
      let toTheLeft = flag.x - width...flag.x + 4
      search: for row in 0..<Self.labelRows {
        for (range, isLeft) in [(toTheRight, false), (toTheLeft, true)] {
          guard range.lowerBound >= Self.left - 8, range.upperBound <= Self.right + 26,
            // Labels must not overlap, nor lie across a line: lines go down from the row of their label.
            !placed.contains(where: { other in
              other.row == row && other.range.overlaps(range) || other.row < row && range.contains(other.x)
                || other.row > row && other.range.contains(flag.x)
            })
          else { continue }
          placed.append((row, range, flag.x))
          flags[index].place = (row, isLeft)
          break search
        }
      }
    }
    return flags
  }

  /// Returns the part of a label before its first colon, such as a termination's code. If that is wider than 46
  /// columns, returns the beginning of the label.
  private static func short(_ label: String) -> String {
    let head = label.prefix { $0 != ":" }
    if TerminalText.width(head) <= 46 { return String(head) }
    return TerminalText.truncated(label, columns: 46)
  }

  /// Draws the flags over the lanes, which extend from `lanesTop` to `lanesEnd`. A flag without a label is a short
  /// stroke at the upper edge of the lanes, unless it is a termination.
  mutating func drawFlags(_ flags: [Flag], from lanesTop: Double, to lanesEnd: Double) {
    let base = flagsTop
    // Draws all lines before the labels, so that no line crosses a label. Terminations cover other lines.
    for flag in flags.reversed() {
      let top = flag.place.map { base + Double($0.row) * 15 } ?? lanesTop - 2
      let end = flag.place == nil && !flag.isTermination ? lanesTop + 5 : lanesEnd
      svg.line(
        x: flag.x, from: top, to: end, flag.isTermination ? "termination" : "press",
        tooltip: "\(flag.label), at \(SVGText.decimal(flag.time)) s")
    }
    for flag in flags {
      guard let place = flag.place else { continue }
      svg.element(
        "text",
        [
          "x": .number(flag.x + (place.isLeft ? -5 : 5)), "y": .number(base + Double(place.row) * 15 + 10),
          "text-anchor": place.isLeft ? "end" : "start",
          "class": flag.isTermination ? "haloed reason" : "haloed",
        ], content: flag.label)
    }
    let unnamed = flags.count { $0.place == nil }
    if unnamed > 0 {
      remarks.append("\(unnamed) \(unnamed == 1 ? "stroke" : "strokes") without a label, for want of room.")
    }
  }
}
