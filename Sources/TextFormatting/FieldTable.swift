/// Names and values below each other, for a person.
package struct FieldTable {
  private var rows: [(name: String, value: String)] = []

  package init() {}

  /// Adds a row, unless there is nothing to say.
  package mutating func add(_ name: String, _ value: String?) {
    guard let value, !value.isEmpty else { return }
    rows.append((name, TerminalText.sanitized(value)))
  }

  /// The rows, the values in a column, each with its line feed.
  package var text: String {
    let width = rows.map(\.name.count).max() ?? 0
    return rows.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + value + "\n"
    }.joined()
  }
}
