internal import TextFormatting

/// The lane of the background tasks. Tasks that ran at the same time are in different rows.
extension TimelineDrawing {
  /// A task with its row and the position of its label.
  private struct PlacedTask {
    var task: Timeline.Task
    var row: Int
    var label: String
    var labelX: Double
  }

  private static let rowHeight = 22.0

  mutating func drawTasks() {
    // The right edge of each row's last task, including its label.
    var rowEnds: [Double] = []
    var placed: [PlacedTask] = []
    for task in timeline.tasks {
      let label = place(of: task)
      let start = min(x(task.begin), label.x) - 8
      let reach = max(x(task.end ?? end), label.x + label.width) + 8
      if let row = rowEnds.firstIndex(where: { $0 <= start }) {
        rowEnds[row] = reach
        placed.append(PlacedTask(task: task, row: row, label: label.text, labelX: label.x))
      } else if rowEnds.count < Self.taskRows {
        placed.append(PlacedTask(task: task, row: rowEnds.count, label: label.text, labelX: label.x))
        rowEnds.append(reach)
      }
    }
    let top = lane("tasks", height: Double(max(1, rowEnds.count)) * Self.rowHeight)
    for place in placed { draw(place, top: top + Double(place.row) * Self.rowHeight + 2) }
    note(timeline.tasks.count - placed.count + timeline.omittedTasks, "background tasks")
  }

  /// Returns the label of a task and its position: in its bar, else after it, else before it. A label that
  /// fits nowhere is truncated.
  private func place(of task: Timeline.Task) -> (text: String, x: Double, width: Double) {
    let (left, right) = (x(task.begin), x(task.end ?? end))
    func fitting(_ room: Double) -> (text: String, width: Double) {
      let text = TerminalText.truncated(task.name, columns: Int(max(0, room) / TimelineStyle.columnWidth))
      return (text, Double(TerminalText.width(text)) * TimelineStyle.columnWidth)
    }
    let inside = fitting(right - left - 12)
    let behind = fitting(Self.right - right - 8)
    if inside.text == task.name { return (inside.text, left + 5, inside.width) }
    if behind.text == task.name { return (behind.text, right + 8, behind.width) }
    let before = fitting(left - Self.left - 8)
    if before.text == task.name { return (before.text, left - 5 - before.width, before.width) }
    return inside.width >= behind.width
      ? (inside.text, left + 5, inside.width) : (behind.text, right + 8, behind.width)
  }

  private mutating func draw(_ place: PlacedTask, top: Double) {
    let task = place.task
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
      svg.element(
        "path",
        [
          "d": "M\(Self.text(x(expiry))) \(Self.text(top + height / 2 - 8))l7 8l-7 8l-7 -8Z",
          "class": "expiry",
        ], tooltip: "expiration of \(task.name) at \(Self.text(seconds(expiry))) s")
    }
    switch task.outcome {
    case .ended:
      svg.element(
        "rect",
        [
          "x": .number(right - 3), "y": .number(top - 2), "width": 3, "height": .number(height + 4),
          "class": "task-end",
        ])
    case .killed:
      svg.element(
        "path",
        [
          "d": "M\(Self.text(right - 6)) \(Self.text(top + height / 2 - 6))l12 12m0 -12l-12 12",
          "class": "killed",
        ])
    case .open: break
    }
    if !place.label.isEmpty { write(place.label, x: place.labelX, y: top + height / 2) }
  }
}
