import TextFormatting

/// The line that a terminal shows while the player plays.
struct StatusLine: Hashable, Sendable {
  /// Which song of how many is playing, as `2/4`.
  var place: String
  /// What is playing, from tags or the file's name; may hold anything.
  var name: SongName
  /// What the player is doing, in a word.
  var status: String
  /// The elapsed time, as `ElapsedTime` writes it.
  var elapsed: String
  /// The length, as `ElapsedTime` writes it; nil if it is not known.
  var duration: String?
  /// How far it is, 0…1; nil if that is not known.
  var progress: Double?

  /// Columns between two parts.
  private static let gap = 2
  /// The narrowest and the widest bar worth showing, in columns.
  private static let barColumns = 10...40
  /// Columns of a name that are worth more than its place in the queue.
  private static let nameColumns = 12

  /// The line for a terminal of that width, one column short of it at most: many terminals wrap as soon as the last
  /// column is written. The time is shown as long as anything is, then the status, the name, its place, and the bar.
  func rendered(columns: Int, look: TerminalLook) -> RenderedLine {
    let columns = max(0, columns - 1)
    var line = RenderedLine(hasColors: look.hasColors)
    let length = duration.map { " / \($0)" } ?? ""
    guard elapsed.count + length.count <= columns else {
      line.fields = [
        .init(column: 0, pieces: [.init(text: TerminalText.truncated(elapsed, columns: columns))])
      ]
      return line
    }
    var free = columns - elapsed.count - length.count
    // From right to left.
    if !length.isEmpty {
      line.fields.append(
        .init(column: free + elapsed.count, pieces: [.init(text: length, style: .faint)]))
    }
    line.fields.append(.init(column: free, pieces: [.init(text: elapsed)]))
    if !status.isEmpty, free >= status.count + Self.gap {
      free -= status.count + Self.gap
      line.fields.append(.init(column: free, pieces: [.init(text: status)]))
    }
    free = max(0, free - Self.gap)
    let wanted = TerminalText.width(place) + Self.gap + name.width
    // The bar gets what a whole name leaves, but at least a third of the room if that makes a bar.
    let left = min(max(free - wanted - Self.gap, free / 3), Self.barColumns.upperBound)
    if left >= Self.barColumns.lowerBound {
      free -= left
      line.fields.append(
        .init(column: free, pieces: ProgressBar.pieces(progress, columns: left, look: look)))
      free -= Self.gap
    }
    if !place.isEmpty, free >= TerminalText.width(place) + Self.gap + min(name.width, Self.nameColumns) {
      line.head.append(.init(text: place + String(repeating: " ", count: Self.gap), style: .faint))
      free -= TerminalText.width(place) + Self.gap
    }
    line.head += name.pieces(columns: free)
    line.fields.reverse()
    // Close together, at the left.
    let unused = free - name.pieces(columns: free).reduce(0) { $0 + TerminalText.width($1.text) }
    let shift = line.head.isEmpty ? (line.fields.first?.column ?? 0) : unused
    for index in line.fields.indices { line.fields[index].column -= shift }
    return line
  }
}

extension SongName {
  /// In columns of a terminal.
  fileprivate var width: Int { TerminalText.width(TerminalText.sanitized(description)) }

  /// The name in so many columns at most. Where that is too narrow the artist is shortened, then left out, and then the
  /// title is shortened.
  fileprivate func pieces(columns: Int) -> [RenderedLine.Piece] {
    let title = TerminalText.sanitized(title)
    let room = columns - TerminalText.width(title) - Self.separator.count
    guard let artist, room >= min(4, TerminalText.width(artist)) else {
      let title = TerminalText.truncated(title, columns: columns)
      return title.isEmpty ? [] : [.init(text: title, style: .strong)]
    }
    let short = TerminalText.truncated(TerminalText.sanitized(artist), columns: room)
    return [.init(text: short + Self.separator), .init(text: title, style: .strong)]
  }
}

/// A bar that fills from the left.
enum ProgressBar {
  /// A bar that is `columns` wide: `━━━━╸─────`, with half a column as its smallest step, or `[####----]` in ASCII. All
  /// full means all is played, nothing else does. What is not known, NaN included, is shown as nothing; empty for less
  /// than three columns.
  static func pieces(_ progress: Double?, columns: Int, look: TerminalLook) -> [RenderedLine.Piece] {
    guard columns > 2 else { return [] }
    // NaN would pass for 1 in `min`.
    let part = progress.map { $0.isNaN ? 0 : max(0, min(1, $0)) } ?? 0
    let cells = look.drawsLines ? columns : columns - 2
    func row(_ character: String, _ count: Int) -> String { String(repeating: character, count: count) }
    guard look.drawsLines else {
      let full = Int(part * Double(cells))
      return [.init(text: "[" + row("#", full) + row("-", cells - full) + "]")]
    }
    let halves = Int(part * Double(2 * cells))
    return [
      .init(text: row("━", halves / 2) + row("╸", halves % 2), style: .accent),
      .init(text: row("─", cells - (halves + 1) / 2), style: .faint),
    ]
  }
}
