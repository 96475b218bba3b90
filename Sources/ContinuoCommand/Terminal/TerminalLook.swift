import Glibc

/// What may be drawn on a terminal, by what its user's environment says of it.
struct TerminalLook: Hashable, Sendable {
  /// The cursor can be moved and lines cleared; without that there are only lines, one after the other.
  var movesCursor = true
  /// Colours and the like are there, and wanted.
  var hasColors = true
  /// Line drawing characters beyond ASCII are shown.
  var drawsLines = true
}

extension TerminalLook {
  /// Reads TERM, NO_COLOR and the locale's variables.
  init(environment: (String) -> String?) {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let term = value("TERM") ?? "dumb"
    movesCursor = term != "dumb" && term != "unknown"
    // DEC's terminals had none, and terminfo's entries for others without end like this.
    hasColors =
      movesCursor && value("NO_COLOR") == nil && !term.hasPrefix("vt") && !term.hasSuffix("-m")
      && !term.hasSuffix("-mono")
    let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
    // The Linux console's fonts have few of them.
    drawsLines = term != "linux" && (locale.contains("utf-8") || locale.contains("utf8"))
  }

  /// Of this process's terminal.
  static let current = TerminalLook { name in getenv(name).map { String(cString: $0) } }
}
