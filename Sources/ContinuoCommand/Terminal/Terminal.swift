import Dispatch
import Glibc
import HostTime

/// The terminal a person sits at: keys come in one by one, one line is drawn over and over.
///
/// Only while this process is in the foreground. A job in the background leaves the terminal alone, and looks once a second
/// whether it has been brought to the front: a shell tells that to a job that was stopped, not to one that runs.
@MainActor
final class Terminal {
  private var keys: DescriptorSource?
  private let onKey: @MainActor (TerminalKey) -> Void
  private var parser = TerminalKeys()
  private let look: TerminalLook
  private var drawn: RenderedLine?
  private var isLooking = false

  private static let lookInterval = 1.0

  /// Whether standard input and output are a terminal.
  static var isPresent: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Takes the terminal over: no echo, no waiting for the end of a line. `CleanUp` gives it back.
  init(look: TerminalLook, onKey: @escaping @MainActor (TerminalKey) -> Void) {
    self.look = look
    self.onKey = onKey
    CleanUp.add(TerminalMode.giveBack)
    TerminalMode.want()
    update()
  }

  /// Whether the terminal is this process's now. Takes it, or leaves it, if that has changed.
  @discardableResult
  func update() -> Bool {
    guard TerminalMode.isInForeground else {
      keys?.cancel()
      keys = nil
      drawn = nil
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
      // The terminal is gone, and the signal that comes with that ends the player; or it became another job's just now.
      if update() { keys?.cancel() }
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
    guard update() else { return }
    let new = line.rendered(columns: Self.columns, look: look)
    guard new != drawn else { return }
    let change = drawn.map { new.change(from: $0) } ?? new.whole
    drawn = new
    StandardOutput.lines.draw(Array(new.whole.utf8), change: Array(change.utf8))
  }

  /// Writes a line above the status line.
  func tell(_ line: String) {
    guard update() else { return }
    write("\(RenderedLine.clearing)\(line)\n\(drawn?.whole ?? "")")
  }

  /// The same for a line of the command's own, which is not lost if another job has the terminal.
  func complain(_ text: String) {
    if update() { tell("continuo: \(text)") } else { StandardOutput.complain(text) }
  }

  /// Leaves the last status line as it is and goes below it.
  func finish() {
    if update(), drawn != nil { write("\n") }
    drawn = nil
  }

  /// The process goes on after a stop, or the terminal has got another size: nothing of what was drawn is to be relied on.
  func resume() {
    drawn = nil
    update()
  }

  /// How many characters fit into a line. Any thread.
  nonisolated static var columns: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private func write(_ text: String) { StandardOutput.lines.write(Array(text.utf8)) }
}
