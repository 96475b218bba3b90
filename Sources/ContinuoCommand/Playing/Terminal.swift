import Dispatch
import Glibc

/// The terminal a person sits at: keys come in one by one, one line is drawn over and over.
@MainActor
final class Terminal {
  private let keys: any DispatchSourceRead
  private var parser = TerminalKeys()
  private var drawn = ""

  /// Whether standard input and output are a terminal.
  static var isPresent: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Takes the terminal over: no echo, no waiting for the end of a line. `CleanUp` gives it back.
  init?(onKey: @escaping @MainActor (TerminalKey) -> Void) {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    let original = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return nil }
    CleanUp.add {
      var original = original
      tcsetattr(STDIN_FILENO, TCSANOW, &original)
    }
    keys = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    keys.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.readKeys(onKey) }
    }
    keys.resume()
  }

  private func readKeys(_ onKey: @MainActor (TerminalKey) -> Void) {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else {
      // The terminal is gone; the signal that comes with that ends the player.
      keys.cancel()
      return
    }
    for key in parser.take(bytes[..<count]) { onKey(key) }
    guard parser.isWaiting else { return }
    DispatchQueue.main.asyncAfter(deadline: .now() + TerminalKeys.timeout) { [weak self] in
      MainActor.assumeIsolated { self?.parser.timeOut() }
    }
  }

  /// Draws the status line over the last one.
  func draw(_ line: StatusLine) {
    let text = line.rendered(columns: columns)
    guard text != drawn else { return }
    drawn = text
    write("\r\u{1B}[K" + text)
  }

  /// Writes a line above the status line.
  func say(_ text: String) {
    write("\r\u{1B}[K\(text)\n\(drawn)")
  }

  /// Leaves the last status line as it is and goes below it.
  func finish() {
    if !drawn.isEmpty { write("\n") }
    drawn = ""
  }

  private var columns: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private func write(_ text: String) { StandardOutput.write(text) }
}
