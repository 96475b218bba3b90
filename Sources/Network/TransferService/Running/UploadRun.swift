import Clocks
import Downloading
import Foundation
import Synchronization
import Transfer

/// An upload of a background session, retried after temporary failures. Thread-safe. Commands of the machine
/// are carried out in order, by one thread at a time, without a lock.
final class UploadRun: Exchange.Client {
  enum Event {
    case sent(Int64)
    case answer(ResponseHead, WebURL)
    case ended(Data, TransferFailure?)
    /// The upload has ended because the file is missing or has changed.
    case badFile(UploadMachine.File)
  }

  /// The maximum number of response bytes to keep, more than a server needs to answer an upload. A longer response
  /// is a failure.
  private static let longestAnswer = 1 << 20

  /// The minimum interval between the events `sent` of an attempt, in seconds, except for the last one. Also the
  /// interval of a download's progress.
  static let progressInterval = 0.1

  private struct State {
    var machine = UploadMachine()
    var commands = StepQueue<UploadMachine.Command>()
    var exchange: Exchange?
    var attempt = 0
    /// The time of the last event `sent` of the attempt.
    var reported: HostTime?
    var body = Data()
    /// The number of response bytes, including those that are not kept.
    var answerCount = 0
    var cookies = ChainCookies()
    var failure: TransferFailure?
    var retry: Alarms.ID?
  }

  private let request: TransferRequest
  private let path: String
  /// Whether cookies of redirects are sent with the requests that follow.
  private let sendsCookies: Bool
  private let transport: any HTTPTransport
  private let alarms: Alarms
  private let timeout: Double
  /// Compares the size of the file with its size when first found. Calls `done` on any thread.
  private let examine: @Sendable (_ done: @escaping @Sendable (UploadMachine.File) -> Void) -> Void
  private let onEvent: @Sendable (Event) -> Void
  private let state = Mutex(State())

  /// Creates an upload of the file at `path` that has not started. An attempt fails after `timeout` seconds
  /// without a byte. `onEvent` is called with each event, without a lock, and must not block.
  init(
    _ request: TransferRequest, file path: String, sendsCookies: Bool, transport: any HTTPTransport,
    alarms: Alarms, timeout: Double,
    examine: @escaping @Sendable (@escaping @Sendable (UploadMachine.File) -> Void) -> Void,
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    self.request = request
    self.path = path
    self.sendsCookies = sendsCookies
    self.transport = transport
    self.alarms = alarms
    self.timeout = timeout
    self.examine = examine
    self.onEvent = onEvent
  }

  func handle(_ event: UploadMachine.Event) {
    let isOurs = state.withLock { state in
      state.commands.append(contentsOf: state.machine.handle(event))
      return state.commands.begin()
    }
    while isOurs, let command = state.withLock({ $0.commands.next() }) { carryOut(command) }
  }

  private func carryOut(_ command: UploadMachine.Command) {
    switch command {
    case .examine(let attempt):
      examine { [weak self] file in self?.handle(.examined(file, attempt: attempt)) }
    case .connect(let count, let attempt):
      var request = request
      request.body = .file(path: path, count: count)
      let exchange = Exchange(request, transport: transport, alarms: alarms, timeout: timeout, client: self)
      let old = state.withLock { state in
        defer {
          state.exchange = exchange
          state.attempt = attempt
          state.reported = nil
          state.body = Data()
          state.answerCount = 0
          state.cookies = ChainCookies()
        }
        return state.exchange
      }
      withExtendedLifetime(old) {}
      exchange.start()
    case .hold(let isHeld): state.withLock { $0.exchange }?.setHeld(isHeld)
    case .wait(let seconds, let attempt):
      let alarm = alarms.set(at: alarms.clock.now.advanced(bySeconds: seconds)) { [weak self] in
        self?.handle(.time(attempt: attempt))
      }
      let ended = state.withLock { state in
        state.retry = alarm
        return state.exchange.take()
      }
      withExtendedLifetime(ended) {}
    case .stopWaiting: alarms.cancel(state.withLock { $0.retry.take() })
    case .close: state.withLock { $0.exchange.take() }?.cancel()
    case .report:
      // Release the exchange, because it retains its client.
      let (body, failure, ended) = state.withLock { ($0.body, $0.failure, $0.exchange.take()) }
      onEvent(.ended(body, failure))
      withExtendedLifetime(ended) {}
    case .reportFile(let file): onEvent(.badFile(file))
    }
  }

  func exchange(_ exchange: Exchange, redirectedBy head: ResponseHead, to next: TransferRequest) {
    guard attempt(of: exchange) != nil else { return }
    let url = exchange.request.url
    onEvent(.answer(head, url))
    var next = next
    if sendsCookies {
      state.withLock { state in
        state.cookies.take(head, from: url)
        state.cookies.apply(to: &next)
      }
    }
    exchange.follow(next)
  }

  func exchange(_ exchange: Exchange, challengedBy head: ResponseHead, failures: Int) {
    exchange.proceed()
  }

  func exchange(_ exchange: Exchange, answered head: ResponseHead) -> TransferDemand {
    guard attempt(of: exchange) != nil else { return .pause }
    onEvent(.answer(head, exchange.request.url))
    return .more
  }

  func exchange(_ exchange: Exchange, brought bytes: [UInt8]) -> TransferDemand {
    state.withLock { state in
      guard state.exchange === exchange else { return }
      state.answerCount += bytes.count
      state.body.append(contentsOf: bytes.prefix(max(0, Self.longestAnswer - state.body.count)))
    }
    return .more
  }

  func exchange(_ exchange: Exchange, sent count: Int64) {
    let (now, isLast) = (alarms.clock.now, count == exchange.request.body?.count)
    let isDue = state.withLock { state in
      guard state.exchange === exchange,
        isLast || state.reported.map({ now.seconds(since: $0) >= Self.progressInterval }) ?? true
      else { return false }
      state.reported = now
      return true
    }
    if isDue { onEvent(.sent(count)) }
  }

  func exchange(_ exchange: Exchange, endedWith failure: TransferFailure?) {
    guard let attempt = attempt(of: exchange) else { return }
    let failure = state.withLock { state in
      let isTooLong = state.answerCount > Self.longestAnswer
      state.failure =
        failure
        ?? (isTooLong ? TransferFailure(.badAnswer, "the answer to the upload has more than 1 MiB") : nil)
      return state.failure
    }
    handle(.ended(mayPass: failure?.mayPass ?? false, attempt: attempt))
  }

  /// Returns the attempt number of an exchange; nil if the attempt is obsolete or cancelled.
  private func attempt(of exchange: Exchange) -> Int? {
    state.withLock { $0.exchange === exchange ? $0.attempt : nil }
  }
}

/// The transfer of a task in progress. Thread-safe.
protocol TaskRun: AnyObject, Sendable {
  func setSuspended(_ isSuspended: Bool)
  /// Stops the transfer. A download reports `stopped`.
  func stop()
  /// Ends the transfer without an event, so that a later process resumes a download or repeats an upload. A
  /// download blocks on the disk.
  func end()
}

extension FileDownload: TaskRun {}

extension UploadRun: TaskRun {
  func setSuspended(_ isSuspended: Bool) { handle(.hold(isSuspended)) }
  func stop() { handle(.cancel) }
  func end() { stop() }
}
