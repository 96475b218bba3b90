import Glibc
import HostTime

/// Tells a person at a terminal how far a long reading of folders and playlists is, on one line of standard error that
/// is gone in the end.
final class ReadingProgress {
  /// Seconds until the line comes, and between two counts.
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

  /// Takes the line away.
  func finish() {
    due = .distantFuture
    if isShown { StandardOutput.write("\r\u{1B}[K", to: STDERR_FILENO) }
  }

  /// So many files were found.
  func note(_ count: Int) {
    let now = clock.now
    guard now >= due else { return }
    due = now.advanced(bySeconds: Self.interval)
    isShown = true
    StandardOutput.write("\rcontinuo: \(count) files found so far ", to: STDERR_FILENO)
  }
}
