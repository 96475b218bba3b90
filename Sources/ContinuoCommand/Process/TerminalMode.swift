import Glibc
import Synchronization

/// How the terminal treats keys: as the shell has it, or for this process one by one and without an echo. A process has
/// one controlling terminal. Any thread; nothing here blocks.
enum TerminalMode {
  private struct State {
    var isWanted = false
    /// As the shell had it; nil while the terminal is not taken.
    var original: termios?
  }
  private static let state = Mutex(State())
  private static let oneByOne = tcflag_t(ICANON | ECHO)

  /// Whether this process may use the terminal: it is the shell's job in the foreground, or no shell has to do with that
  /// terminal at all.
  static var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group == getpgrp() || group < 0
  }

  /// From now on the terminal is taken whenever this process is in the foreground. It is never stopped for touching the
  /// terminal in the moment in which it leaves the foreground.
  static func want() {
    signal(SIGTTOU, SIG_IGN)
    signal(SIGTTIN, SIG_IGN)
    state.withLock { $0.isWanted = true }
    takeIfWanted()
  }

  /// Takes the terminal if it is wanted and this process is in the foreground. What a shell has set meanwhile is taken
  /// for what it wants back.
  static func takeIfWanted() {
    state.withLock { state in
      var settings = termios()
      guard state.isWanted, isInForeground, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
      if state.original == nil || settings.c_lflag & oneByOne != 0 { state.original = settings }
      settings.c_lflag &= ~oneByOne
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
  }

  /// Makes the terminal what it was, unless it is another job's by now, whose settings are not this process's business.
  static func giveBack() {
    state.withLock { state in
      guard var settings = state.original.take(), isInForeground else { return }
      tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
  }
}
