import Clocks
import Downloading
import Transfer

/// The transfer of a task in progress. Thread-safe.
enum TaskRun {
  case download(FileDownload)
  case upload(UploadRun)

  /// Starts a download to the file at `path`. `onEvent` is called on the download's worker.
  static func download(
    _ record: TaskRecord, _ request: TransferRequest, to path: String, transport: any HTTPTransport,
    clock: any HostClock, onEvent: @escaping @Sendable (DownloadEvent) -> Void
  ) -> TaskRun {
    var settings = RequestSettings(userAgent: request.fields["User-Agent"] ?? "")
    settings.credentials = request.credentials
    settings.authentication = request.authentication
    settings.limit = request.limit
    settings.sendsCookies = record.sendsCookies == true
    for field in request.fields.all { settings.fields.set(field.name, field.value) }
    var policy = DownloadPolicy()
    policy.times.giveUp = .infinity
    policy.times.stall = max(record.timeout, 1)
    policy.progressInterval = UploadRun.progressInterval
    policy.replacesFile = true
    return .download(
      FileDownload(
        request.url, to: DownloadPlace(path), settings: settings, policy: policy, transport: transport,
        clock: clock, seed: UInt64(truncatingIfNeeded: record.task), onEvent: onEvent))
  }

  func setHeld(_ isHeld: Bool) {
    switch self {
    case .download(let download): download.setSuspended(isHeld)
    case .upload(let upload): upload.handle(.hold(isHeld))
    }
  }

  /// Stops the transfer. A download reports `stopped`.
  func stop() {
    switch self {
    case .download(let download): download.stop()
    case .upload(let upload): upload.handle(.cancel)
    }
  }

  /// Ends the transfer without an event, so that a later process resumes a download or repeats an upload. A
  /// download blocks on the disk.
  func end() {
    switch self {
    case .download(let download): download.end()
    case .upload(let upload): upload.handle(.cancel)
    }
  }
}
