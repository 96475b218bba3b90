import TextFormatting

/// The line that a terminal shows during playback.
struct StatusLine: Hashable, Sendable {
  /// The position in the queue, such as `2/4`.
  var place: String
  /// The name of the song, for example from tags or the file's name; may contain any character.
  var name: SongName
  var status: String
  /// The elapsed time in the format of `ElapsedTime`.
  var elapsed: String
  /// The duration in the format of `ElapsedTime`; nil if unknown.
  var duration: String?
  /// The elapsed time as a fraction of the duration, not clamped to 0…1; nil if unknown.
  var progress: Double?

  private static let gap = 2
  /// The minimum and maximum width of the bar, in columns.
  private static let barColumns = 10...40
  /// The columns of the name that have priority over the position in the queue.
  private static let nameColumns = 12

  /// Returns the line for a terminal with that many columns. The last column stays free, because many
  /// terminals wrap after a write to it. The time has priority, then the status. The name, the bar and the
  /// position in the queue share the rest.
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
    // Fields are added from right to left.
    if !length.isEmpty {
      line.fields.append(.init(column: free + elapsed.count, pieces: [.init(text: length, style: .faint)]))
    }
    line.fields.append(.init(column: free, pieces: [.init(text: elapsed)]))
    if !status.isEmpty, free >= status.count + Self.gap {
      free -= status.count + Self.gap
      line.fields.append(.init(column: free, pieces: [.init(text: status)]))
    }
    free = max(0, free - Self.gap)
    let wanted = TerminalText.width(place) + Self.gap + name.width
    // The bar gets the room beside the position and the whole name, or a third of all room if that is more.
    // `barColumns` limits its width; with less room there is no bar.
    let left = min(max(free - wanted - Self.gap, free / 3), Self.barColumns.upperBound)
    if left >= Self.barColumns.lowerBound {
      free -= left
      line.fields.append(.init(column: free, pieces: ProgressBar.pieces(progress, columns: left, look: look)))
      free -= Self.gap
    }
    if !place.isEmpty, free >= TerminalText.width(place) + Self.gap + min(name.width, Self.nameColumns) {
      line.head.append(.init(text: place + String(repeating: " ", count: Self.gap), style: .faint))
      free -= TerminalText.width(place) + Self.gap
    }
    line.head += name.pieces(columns: free)
    line.fields.reverse()
    // Moves the fields left, next to the name.
    let unused = free - name.pieces(columns: free).reduce(0) { $0 + TerminalText.width($1.text) }
    let shift = line.head.isEmpty ? (line.fields.first?.column ?? 0) : unused
    for index in line.fields.indices { line.fields[index].column -= shift }
    return line
  }
}

struct SongName: Hashable, Sendable, CustomStringConvertible {
  var artist: String?
  var title: String

  static let separator = " – "

  var description: String { artist.map { $0 + Self.separator + title } ?? title }
}

extension SongName {
  fileprivate var width: Int { TerminalText.width(TerminalText.sanitized(description)) }

  /// Returns the name in at most `columns` columns: the artist is shortened, then left out, then the title
  /// shortened.
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

enum ProgressBar {
  /// Returns a bar of `columns` columns: `━━━━╸─────` in steps of half a column, or `[####----]` in ASCII.
  /// The bar is full only if everything was played. Unknown progress and NaN give an empty bar; fewer than
  /// three columns give none.
  static func pieces(_ progress: Double?, columns: Int, look: TerminalLook) -> [RenderedLine.Piece] {
    guard columns > 2 else { return [] }
    // `min` would turn NaN into 1.
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
