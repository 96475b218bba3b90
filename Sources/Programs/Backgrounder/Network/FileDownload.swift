import Dispatch
import Foundation
import HostTime
import Transfer

/// The download of one file, which resumes by Range after a lost connection. Runs on the main thread, and
/// therefore stops while the application is suspended.
@MainActor
final class FileDownload {
  /// The result of a download.
  enum Outcome {
    /// The file is complete and has its final name.
    case finished
    /// The download failed, for this reason.
    case failed(String)
  }

  private let service: WebService
  private let url: WebURL
  private let file: PartFile
  private let clock = SystemClock.shared
  private let print: @Sendable (String) -> Void
  private let onEnd: (Outcome) -> Void
  private var machine: TransferMachine
  private var transfer: WebTransfer?
  private var attempt = 0
  private var isClosed = false
  private var isOver = false
  private var timer: DispatchWorkItem?

  /// Begins the download of a path into a file. `onEnd` is called once, not before this returns.
  init(
    _ path: String, of service: WebService, to target: URL, print: @escaping @Sendable (String) -> Void,
    onEnd: @escaping (Outcome) -> Void
  ) throws {
    self.service = service
    self.print = print
    self.onEnd = onEnd
    url = try service.url(path)
    file = try PartFile(of: target)
    machine = Self.machine(url, service)
    DispatchQueue.main.async { [weak self] in self?.begin() }
  }

  isolated deinit {
    timer?.cancel()
    transfer?.cancel()
  }

  private static func machine(_ url: WebURL, _ service: WebService) -> TransferMachine {
    TransferMachine(
      url: url, settings: service.settings, seed: UInt64.random(in: 0...UInt64.max),
      now: SystemClock.shared.now)
  }

  private func begin() {
    // The download reads ahead without limit: the whole file is wanted, and no player reads it.
    handle(.readAhead(ReadAhead(enough: .max / 2, tooFew: .max / 2)))
  }

  /// Closes the connection without notifying the server. `goOn` opens another.
  func close() {
    guard !isOver, !isClosed else { return }
    isClosed = true
    timer?.cancel()
    transfer?.cancel()
    transfer = nil
  }

  /// Resumes after the last stored byte, once `close` was called.
  func goOn() {
    guard isClosed, !isOver else { return }
    isClosed = false
    handle(.event(.failure(TransferFailure(.lost, "the connection was closed")), attempt: attempt))
  }

  private func handle(_ input: TransferInput) {
    guard !isOver, !isClosed else { return }
    for command in machine.handle(input, at: clock.now, store: file) where !isOver { carryOut(command) }
    setTimer()
  }

  private func carryOut(_ command: TransferCommand) {
    switch command {
    case .start(let request, let attempt):
      self.attempt = attempt
      transfer = WebTransfer(request, to: service) { [weak self] event in
        self?.handle(.event(event, attempt: attempt))
      }
    case .cancel: transfer?.cancel()
    case .setPaused(let isPaused, _): transfer?.setPaused(isPaused)
    case .store(let bytes, let offset):
      do { try file.store(bytes, at: offset) } catch { end(.failed(error.localizedDescription)) }
    case .forget: break
    case .note(let note): take(note)
    }
  }

  private func take(_ note: TransferNote) {
    switch note {
    case .request(let first?, _) where first > 0: print("Going on at byte \(file.count)")
    case .retry(_, let failure): print("Download interrupted: \(failure.message)")
    case .complete:
      do {
        try file.finish()
        end(.finished)
      } catch {
        end(.failed(error.localizedDescription))
      }
    case .changed:
      print("The file has changed: from the beginning")
      do { try file.clear() } catch { return end(.failed(error.localizedDescription)) }
      transfer?.cancel()
      machine = Self.machine(url, service)
      DispatchQueue.main.async { [weak self] in self?.begin() }
    case .failed(let failure): end(.failed(failure.message))
    case .live: end(.failed("\(url.host) sends a stream without end"))
    // Other notes are of no use to a person, or concern playback.
    default: break
    }
  }

  private func end(_ outcome: Outcome) {
    guard !isOver else { return }
    isOver = true
    timer?.cancel()
    transfer?.cancel()
    transfer = nil
    DispatchQueue.main.async { [onEnd] in MainActor.assumeIsolated { onEnd(outcome) } }
  }

  private func setTimer() {
    timer?.cancel()
    timer = nil
    guard let wake = machine.wake, !isOver else { return }
    let timer = DispatchWorkItem { [weak self] in MainActor.assumeIsolated { self?.handle(.time) } }
    self.timer = timer
    DispatchQueue.main.asyncAfter(
      deadline: .now() + max(0, wake.seconds(since: clock.now)), execute: timer)
  }
}
