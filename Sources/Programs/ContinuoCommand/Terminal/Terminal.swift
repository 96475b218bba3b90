import Clocks
import Dispatch
import Glibc

/// The controlling terminal: reads single keys, and redraws a status line. Used only while this process is in
/// the foreground. A background job checks once a second whether it is in the foreground again, which a shell
/// signals only to a stopped job.
@MainActor
final class Terminal {
  private var keys: DescriptorSource?
  private let onKey: @MainActor (TerminalKey) -> Void
  private var parser = TerminalKeys()
  private var parts = 0
  private let look: TerminalLook
  private var drawn: RenderedLine?
  private var panel = TerminalPanel()
  private var isLooking = false

  private static let lookInterval = 1.0

  /// Whether standard input and output are a terminal.
  static var isPresent: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Takes over the terminal, without echo and line buffering. `CleanUp` restores it.
  init(look: TerminalLook, onKey: @escaping @MainActor (TerminalKey) -> Void) {
    self.look = look
    self.onKey = onKey
    CleanUp.add(TerminalMode.giveBack)
    TerminalMode.want()
    update()
  }

  /// Takes or leaves the terminal as this process enters or leaves the foreground. Returns whether the
  /// process has the terminal.
  @discardableResult
  func update() -> Bool {
    guard TerminalMode.isInForeground else {
      keys?.cancel()
      keys = nil
      drawn = nil
      panel.release()
      lookAgain()
      return false
    }
    if keys == nil {
      TerminalMode.takeIfWanted()
      keys = DescriptorSource(descriptor: STDIN_FILENO, queue: .main) { [weak self] in
        MainActor.assumeIsolated { self?.readKeys() }
      }
    }
    return true
  }

  private func lookAgain() {
    guard !isLooking else { return }
    isLooking = true
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.lookInterval) { [weak self] in
      MainActor.assumeIsolated {
        self?.isLooking = false
        self?.update()
      }
    }
  }

  private func readKeys() {
    guard update() else { return }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else {
      // The terminal is gone, and the signal for that ends the player. Or another job has just taken the
      // terminal.
      if update() { keys?.cancel() }
      return
    }
    for key in parser.take(bytes[..<count]) { onKey(key) }
    // Only the last part's timer may end a sequence.
    parts += 1
    guard parser.isWaiting else { return }
    DispatchQueue.main.asyncAfter(deadline: .now() + TerminalKeys.timeout) { [weak self, part = parts] in
      MainActor.assumeIsolated { if self?.parts == part { self?.parser.timeOut() } }
    }
  }

  func draw(_ line: StatusLine) {
    guard update() else { return }
    let new = line.rendered(columns: Self.columns, look: look)
    guard new != drawn else { return }
    let change = drawn.map { new.change(from: $0) } ?? new.whole
    drawn = new
    StandardOutput.lines.draw(Array(new.whole.utf8), change: Array(change.utf8))
  }

  /// Writes a line above the panel and the status line, if this process has the terminal.
  func tell(_ line: String) {
    guard update() else { return }
    write("\(panel.clearing)\(line)\n\(panel.text)\(drawn?.whole ?? "")")
  }

  /// Shows lines directly above the status line, or removes those that are shown, if this process has the
  /// terminal.
  func toggle(_ lines: [String]) {
    guard update() else { return }
    let clearing = panel.clearing
    panel.toggle(lines, columns: Self.columns)
    write("\(clearing)\(panel.text)\(drawn?.whole ?? "")")
  }

  /// Writes a message above the status line, or to standard error if another job has the terminal.
  func complain(_ text: String) {
    if update() { tell("continuo: \(text)") } else { StandardOutput.complain(text) }
  }

  /// Moves the cursor below the last status line, which stays visible.
  func finish() {
    if update(), drawn != nil { write("\n") }
    drawn = nil
  }

  /// Discards the last drawing, after the process was stopped or the terminal has a new size.
  func resume() {
    drawn = nil
    panel.release()
    update()
  }

  /// The number of columns of the terminal; 80 if unknown. Any thread.
  nonisolated static var columns: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private func write(_ text: String) { StandardOutput.lines.write(Array(text.utf8)) }
}

/// The capabilities of a terminal, according to the user's environment.
struct TerminalLook: Hashable, Sendable {
  /// Whether the cursor can be moved and lines can be cleared. Otherwise lines are only appended.
  var movesCursor = true
  /// Whether colours and styles are available and wanted.
  var hasColors = true
  /// Whether line-drawing characters outside ASCII are available.
  var drawsLines = true
}

extension TerminalLook {
  init(environment: (String) -> String?) {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let term = value("TERM") ?? "dumb"
    movesCursor = term != "dumb" && term != "unknown"
    // Most of DEC's terminals had no colours. Other monochrome terminals have names in -m or -mono in
    // terminfo.
    hasColors =
      movesCursor && value("NO_COLOR") == nil && !term.hasPrefix("vt") && !term.hasSuffix("-m")
      && !term.hasSuffix("-mono")
    let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
    // The Linux console's fonts have few line-drawing characters.
    drawsLines = term != "linux" && (locale.contains("utf-8") || locale.contains("utf8"))
  }

  static let current = TerminalLook(environment: ProcessEnvironment.value)
}
