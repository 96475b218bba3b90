/// A table of names and values in two columns, for display.
package struct FieldTable {
  private var rows: [(name: String, value: String)] = []

  package init() {}

  package mutating func add(_ name: String, _ value: String?) {
    guard let value, !value.isEmpty else { return }
    rows.append((name, TerminalText.sanitized(value)))
  }

  /// The rows, each with its line feed and with the values aligned in one column.
  package var text: String {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + value + "\n"
    }.joined()
  }
}
