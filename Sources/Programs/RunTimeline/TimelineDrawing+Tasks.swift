internal import TextFormatting

/// The lane of the background tasks. Tasks that ran at the same time are in different rows.
extension TimelineDrawing {
  private typealias Label = (text: String, x: Double, width: Double)

  private static let rowHeight = 22.0

  mutating func drawTasks() {
    // The right edge of each row's last task, including its label.
    var rowEnds: [Double] = []
    var placed: [(task: Timeline.Task, row: Int, label: Label)] = []
    for task in timeline.tasks {
      let label = label(of: task)
      let start = min(x(task.begin), label.x) - 8
      let reach = max(x(task.end ?? end), label.x + label.width) + 8
      let row = rowEnds.firstIndex { $0 <= start } ?? rowEnds.count
      guard row < Self.taskRows else { continue }
      if row == rowEnds.count { rowEnds.append(reach) } else { rowEnds[row] = reach }
      placed.append((task, row, label))
    }
    let top = lane("tasks", height: Double(max(1, rowEnds.count)) * Self.rowHeight)
    for (task, row, label) in placed { draw(task, label, top: top + Double(row) * Self.rowHeight + 2) }
    note(timeline.tasks.count - placed.count + timeline.omittedTasks, "background tasks")
  }

  /// Returns the label of a task and its position: in its bar, else after it, else before it. A task whose
  /// name fits nowhere has an empty label.
  private func label(of task: Timeline.Task) -> Label {
    let (left, right) = (x(task.begin), x(task.end ?? end))
    let width = Double(TerminalText.width(task.name)) * TimelineStyle.columnWidth
    if width <= right - left - 12 { return (task.name, left + 5, width) }
    if width <= Self.right - right - 8 { return (task.name, right + 8, width) }
    if width <= left - Self.left - 8 { return (task.name, left - 5 - width, width) }
    return ("", left, 0)
  }

  private mutating func draw(_ task: Timeline.Task, _ label: Label, top: Double) {
    let height = Self.rowHeight - 4
    let (left, right) = (x(task.begin), x(task.end ?? end))
    let fate =
      switch task.outcome {
      case .open: "open"
      case .ended: "ended"
      case .killed: "open at the termination"
      }
    svg.element(
      "rect",
      [
        "x": .number(left), "y": .number(top), "width": .number(max(right - left, 1)),
        "height": .number(height), "class": "task", "rx": 2,
      ], tooltip: "task \(task.name), \(span(task.begin, task.end ?? end)), \(fate)")
    if let expiry = task.expiry {
      svg.path(
        "M\(SVGText.decimal(x(expiry))) \(SVGText.decimal(top + height / 2 - 8))l7 8l-7 8l-7 -8Z", "expiry",
        tooltip: "expiration of \(task.name) at \(SVGText.decimal(seconds(expiry))) s")
    }
    switch task.outcome {
    case .ended: svg.rectangle(x: right - 3, y: top - 2, width: 3, height: height + 4, "task-end")
    case .killed:
      let start = "M\(SVGText.decimal(right - 6)) \(SVGText.decimal(top + height / 2 - 6))"
      svg.path(start + "l12 12m0 -12l-12 12", "killed")
    case .open: break
    }
    if !label.text.isEmpty { write(label.text, x: label.x, y: top + height / 2) }
  }
}
