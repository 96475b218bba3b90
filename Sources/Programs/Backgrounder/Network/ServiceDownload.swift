import Clocks
import Dispatch
import Downloading
import Foundation
import Transfer

extension FileDownload: WebService.Connection {}

/// The download of one file of a web service, which resumes by Range after a lost connection. Its events are
/// handled on the main thread, and therefore not while the application is suspended.
@MainActor final class ServiceDownload {
  private let service: WebService
  private let url: WebURL
  private let place: DownloadPlace
  private let print: @Sendable (String) -> Void
  private let onEnd: (String?) -> Void
  /// The download with its connection; nil once it has stopped, finished or failed.
  private var download: FileDownload?
  private var isClosed = false
  /// Whether to open another connection as soon as the closed one has stopped.
  private var reopens = false
  /// Whether a request was sent and the loss of its connection was not printed yet. A further request then
  /// means that the connection was lost.
  private var isUnderWay = false

  /// Begins the download of a path into a file. `onEnd` is called at most once, not before this initializer
  /// returns, with the reason of a failure, or nil if the file is complete and has its final name.
  init(
    _ path: String, of service: WebService, to target: URL, print: @escaping @Sendable (String) -> Void,
    onEnd: @escaping (String?) -> Void
  ) throws {
    self.service = service
    self.print = print
    self.onEnd = onEnd
    url = try service.url(path)
    place = DownloadPlace(target.path)
    begin()
  }

  isolated deinit { forget() }

  private func begin() {
    var policy = DownloadPolicy()
    policy.replacesFile = true
    let download = FileDownload(
      url, to: place, settings: service.settings, policy: policy, transport: service.transport,
      clock: SystemClock.shared, seed: UInt64.random(in: 0...UInt64.max)
    ) { [weak self] event in
      DispatchQueue.main.async { [weak self] in MainActor.assumeIsolated { self?.take(event) } }
    }
    service.begun(download)
    self.download = download
  }

  private func forget() {
    isUnderWay = false
    guard let ended = download.take() else { return }
    service.ended(ended)
  }

  /// Closes the connection and keeps the stored bytes. `goOn` opens another connection.
  func close() {
    isClosed = true
    reopens = false
    download?.stop()
  }

  /// Resumes after the last stored byte if `close` was called; otherwise has no effect.
  func goOn() {
    guard isClosed else { return }
    if download == nil { reopen() } else { reopens = true }
  }

  private func reopen() {
    isClosed = false
    reopens = false
    print("Download interrupted: the connection was closed")
    begin()
  }

  private func take(_ event: DownloadEvent) {
    switch event {
    case .requested(after: let count):
      if count > 0 {
        // The loss of a connection during a suspension is not an event of the download.
        if isUnderWay { print("Download interrupted: the connection was lost") }
        print("Going on at byte \(count)")
      }
      isUnderWay = true
    case .retry(_, let failure):
      isUnderWay = false
      print("Download interrupted: \(failure.message)")
    case .changed:
      isUnderWay = false
      print("The file has changed: from the beginning")
    case .finished: end(nil)
    case .failed(let failure, _): end(failure.description)
    case .stopped:
      forget()
      if reopens { reopen() }
    // Other events are of no use to a person.
    case .response, .resumed, .progress: break
    }
  }

  private func end(_ problem: String?) {
    forget()
    onEnd(problem)
  }
}
