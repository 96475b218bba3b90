import Clocks
import Continuo
import Downloading
import Glibc
import MusicFiles
import Synchronization
import TextFormatting
import Transfer

final class GetRun: Sendable {
  /// The time limit for a stopped download to record its progress, in seconds. Less than the time limit of a
  /// clean-up.
  static let stopLimit = 2.0

  private struct State {
    /// The download in progress; nil before it exists and after its end.
    var download: FileDownload?
    var hasEnded = false
    var progress = GetProgress(name: "")
    var isDrawn = false
    var isEnding = false
    var failure: DownloadFailure?
  }

  private let settings: NetworkSettings
  private let policy: DownloadPolicy
  private let clock: any HostClock
  private let transport: any HTTPTransport
  private let drawsLine: Bool
  private let state = Mutex(State())
  private let ended = Semaphore()

  init(_ settings: NetworkSettings, replacesFiles: Bool, clock: any HostClock) {
    self.settings = settings
    self.clock = clock
    var policy = DownloadPolicy()
    policy.times = settings.times
    policy.replacesFile = replacesFiles
    self.policy = policy
    transport = settings.makeTransport(clock)
    drawsLine = isatty(STDOUT_FILENO) == 1 && TerminalLook.current.movesCursor
  }

  /// Downloads a target. Returns nil on success, and after `stop`. Blocks until the download is complete, has
  /// failed or is stopped.
  func fetch(_ target: GetTarget) -> DownloadFailure? {
    var requests = settings.requests
    requests.credentials = target.credentials
    let mayBegin = state.withLock { state in
      guard !state.isEnding else { return false }
      state.progress = GetProgress(name: target.path)
      state.failure = nil
      state.hasEnded = false
      return true
    }
    guard mayBegin else { return nil }
    let download = FileDownload(
      target.url, to: DownloadPlace(RawArguments.bytes(of: target.path).bytes), settings: requests,
      policy: policy, transport: transport,
      clock: clock, seed: .random(in: 0 ... .max)
    ) { [weak self] event in self?.take(event, of: target) }
    let isEnding = state.withLock { state in
      // It may have ended before this thread goes on.
      if !state.hasEnded { state.download = download }
      return state.isEnding
    }
    // `stop` was called before the download existed.
    if isEnding { download.stop() }
    // The wait has no limit, because the process ends after `stop` anyway.
    ended.wait()
    return state.withLock { $0.failure }
  }

  /// Stops the download in progress, which the same command can resume. Returns whether it has ended within
  /// `limit` seconds. Any thread; blocks until then.
  @discardableResult func stop(limit: Double = stopLimit) -> Bool {
    let download = state.withLock { state in
      state.isEnding = true
      return state.download
    }
    guard let download else { return true }
    download.stop()
    return ended.wait(until: clock.now.advanced(bySeconds: limit))
  }

  // MARK: Events

  private func take(_ event: DownloadEvent, of target: GetTarget) {
    switch event {
    case .requested, .response: break
    case .resumed(let offset): tell("\(target.path): resuming at \(ByteCountText.text(offset))")
    case .progress(let count, let total): draw(count, total)
    case .retry(let delay, let failure):
      complain(
        "\(target.path): \(failure)\(delay >= 1 ? "; retry in \(Int(delay.rounded())) s" : "; retrying")")
    case .changed: complain("\(target.path): the file has changed on the server; starting again")
    case .finished(let count):
      tell("\(target.path): \(ByteCountText.text(count))")
      end(nil)
    case .failed(let failure, let record):
      let kept =
        record.length > 0 ? "; \(ByteCountText.text(record.length)) kept; run the same command to resume" : ""
      let name = if case .transfer = failure { "\(target.path): " } else { "" }
      complain("\(name)\(failure)\(kept)")
      end(failure)
    case .stopped(let record):
      if record.length > 0 {
        complain("\(target.path): \(ByteCountText.text(record.length)) kept; run the same command to resume")
      }
      end(nil)
    }
  }

  private func end(_ failure: DownloadFailure?) {
    let (last, isEnding) = state.withLock { state in
      state.failure = failure
      state.hasEnded = true
      return (state.download.take(), state.isEnding)
    }
    // Both `fetch` and `stop` wait.
    for _ in 0..<(isEnding ? 2 : 1) { ended.post() }
    // Releases the download without the lock, which `stop` needs.
    withExtendedLifetime(last) {}
  }

  private func draw(_ count: Int64, _ total: Int64?) {
    let line = state.withLock { state in
      state.progress.note(count, total: total, at: clock.now)
      state.isDrawn = drawsLine
      return state.progress.line(columns: Terminal.columns - 1)
    }
    if drawsLine { StandardOutput.lines.write(Array("\(RenderedLine.clearing)\(line)".utf8)) }
  }

  private func tell(_ text: String) {
    StandardOutput.lines.write(Array("\(clearing())\(TerminalText.sanitized(text))\n".utf8))
  }

  private func complain(_ text: String) {
    let (clearing, text) = (clearing(), TerminalText.sanitized(text))
    guard !clearing.isEmpty else { return StandardOutput.complain(text) }
    // Only one writer keeps the order of the line and the message on a terminal.
    guard isatty(STDERR_FILENO) == 0 else {
      return StandardOutput.lines.write(Array("\(clearing)continuo: \(text)\n".utf8))
    }
    StandardOutput.lines.write(Array(clearing.utf8))
    StandardOutput.complain(text)
  }

  /// Returns the sequence that clears the progress line; empty if none is drawn.
  private func clearing() -> String {
    let isDrawn = state.withLock { state in
      defer { state.isDrawn = false }
      return state.isDrawn
    }
    return isDrawn ? RenderedLine.clearing : ""
  }
}
