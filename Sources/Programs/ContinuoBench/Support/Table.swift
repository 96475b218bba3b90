/// A text table: the first column aligned left, figures aligned right.
struct Table {
  var title: String
  var header: [String]
  var rows: [[String]] = []
  var notes: [String] = []
  /// The failed measurements, shown above the notes without duplicates.
  var failures: [String] = []

  var text: String {
    let lines = [header] + rows
    let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    let aligned = lines.map { line in
      line.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - line[column].count)
        return column == 0 ? line[column] + space : space + line[column]
      }.joined(separator: "  ")
    }
    return ([title] + aligned.map { "  " + $0 } + (Set(failures).sorted() + notes).map { "  " + $0 }).joined(
      separator: "\n") + "\n"
  }
}
