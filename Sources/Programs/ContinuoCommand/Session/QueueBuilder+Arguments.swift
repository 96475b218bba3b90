import Clocks
import Continuo
import Glibc
import MusicFiles
import TextFormatting
import Transfer

extension QueueBuilder {
  /// Builds the queue from a command's arguments. Reports problems and, on a terminal, the progress of a long
  /// read on standard error. Reading folders has no time limit, since the user can end the command.
  init(
    arguments: [String], keepsMissing: Bool = false, network: NetworkSettings = NetworkSettings(),
    listsUnplayable: Bool, clock: any HostClock
  ) {
    let progress = ReadingProgress(clock: clock)
    self.init(
      directory: .workingDirectory(), keepsMissing: keepsMissing,
      interruption: { count in
        progress.note(count)
        return nil
      }, readPlaylist: NetworkReader(network, clock: clock).readPlaylist)
    for argument in arguments { add(argument: RawArguments.bytes(of: argument)) }
    progress.finish()
    for complaint in complaints + unplayable.lines(areListed: listsUnplayable) {
      StandardOutput.complain(TerminalText.sanitized(complaint))
    }
  }
}

/// Shows the progress of a long read as one line of standard error on a terminal.
private final class ReadingProgress {
  /// The delay in seconds before the line appears, and between two updates.
  private static let interval = 1.0

  private let clock: any HostClock
  private var due: HostTime
  private var isShown = false

  init(clock: any HostClock) {
    self.clock = clock
    due =
      isatty(STDERR_FILENO) == 1 && TerminalLook.current.movesCursor
      ? clock.now.advanced(bySeconds: Self.interval) : .distantFuture
  }

  func finish() {
    if isShown { StandardOutput.write("\r\u{1B}[K", to: STDERR_FILENO) }
  }

  func note(_ count: Int) {
    let now = clock.now
    guard now >= due else { return }
    due = now.advanced(bySeconds: Self.interval)
    isShown = true
    StandardOutput.write("\rcontinuo: \(count) files found so far ", to: STDERR_FILENO)
  }
}
