import Glibc

/// The capabilities of a terminal, according to the user's environment.
struct TerminalLook: Hashable, Sendable {
  /// Whether the cursor can be moved and lines can be cleared. Otherwise lines are only appended.
  var movesCursor = true
  /// Whether colours and styles are available and wanted.
  var hasColors = true
  /// Whether line-drawing characters beyond ASCII are displayed.
  var drawsLines = true
}

extension TerminalLook {
  /// Reads `TERM`, `NO_COLOR` and the locale's variables.
  init(environment: (String) -> String?) {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let term = value("TERM") ?? "dumb"
    movesCursor = term != "dumb" && term != "unknown"
    // DEC's terminals had no colours. The names of other monochrome terminals in terminfo end like this.
    hasColors =
      movesCursor && value("NO_COLOR") == nil && !term.hasPrefix("vt") && !term.hasSuffix("-m")
      && !term.hasSuffix("-mono")
    let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
    // The Linux console's fonts have few line-drawing characters.
    drawsLines = term != "linux" && (locale.contains("utf-8") || locale.contains("utf8"))
  }

  /// The capabilities of this process's terminal.
  static let current = TerminalLook { name in getenv(name).map { String(cString: $0) } }
}
