import Glibc
import HostTime

/// Shows the progress of a long read of folders and playlists on a terminal: one line of standard error,
/// which is cleared at the end.
final class ReadingProgress {
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

  /// Clears the progress line.
  func finish() {
    due = .distantFuture
    if isShown { StandardOutput.write("\r\u{1B}[K", to: STDERR_FILENO) }
  }

  /// Updates the line with the number of files found so far.
  func note(_ count: Int) {
    let now = clock.now
    guard now >= due else { return }
    due = now.advanced(bySeconds: Self.interval)
    isShown = true
    StandardOutput.write("\rcontinuo: \(count) files found so far ", to: STDERR_FILENO)
  }
}
