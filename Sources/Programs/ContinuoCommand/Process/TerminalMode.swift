import Glibc
import Synchronization

/// The input mode of the controlling terminal: the shell's mode, or this process's mode with single keys and
/// without echo. Any thread; never blocks.
enum TerminalMode {
  private struct State {
    var isWanted = false
    /// The shell's settings; nil while the terminal is not taken.
    var original: termios?
  }
  private static let state = Mutex(State())
  private static let oneByOne = tcflag_t(ICANON | ECHO)

  /// Whether this process may use the terminal: its process group is in the foreground, or standard input is not
  /// its controlling terminal.
  static var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group == getpgrp() || group < 0
  }

  /// Takes the terminal now and at each later `takeIfWanted`, if this process is in the foreground. Ignores
  /// SIGTTOU and SIGTTIN, so that the process does not stop if it touches the terminal while leaving the
  /// foreground.
  static func want() {
    signal(SIGTTOU, SIG_IGN)
    signal(SIGTTIN, SIG_IGN)
    state.withLock { $0.isWanted = true }
    takeIfWanted()
  }

  /// Takes the terminal if `want` was called and this process is in the foreground. If a shell has changed the
  /// mode since the last call, `giveBack` restores the shell's new settings.
  static func takeIfWanted() {
    state.withLock { state in
      var settings = termios()
      guard state.isWanted, isInForeground, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
      if state.original == nil || settings.c_lflag & oneByOne != 0 { state.original = settings }
      settings.c_lflag &= ~oneByOne
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
  }

  /// Restores the terminal's settings, unless another job has the terminal with its own settings.
  static func giveBack() {
    state.withLock { state in
      guard var settings = state.original.take(), isInForeground else { return }
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
  }
}
