import TextFormatting

/// Lines directly above the status line, such as the list of keys, that can be removed again.
struct TerminalPanel {
  private var lines: [String] = []

  /// The sequence that clears the status line and the panel, with the cursor in the status line.
  var clearing: String {
    lines.isEmpty ? RenderedLine.clearing : "\u{1B}[\(lines.count)A\(RenderedLine.clearing)"
  }

  /// The panel's lines, each with a line feed.
  var text: String { lines.map { $0 + "\n" }.joined() }

  /// Shows the lines or, if a panel is shown, removes it. Lines are cut before the last of `columns`, because
  /// the number of rows of a wrapped line is unknown.
  mutating func toggle(_ lines: [String], columns: Int) {
    self.lines = self.lines.isEmpty ? lines.map { TerminalText.truncated($0, columns: columns - 1) } : []
  }

  /// Leaves the lines on the screen as ordinary text, after another program may have moved them.
  mutating func release() { lines = [] }
}
