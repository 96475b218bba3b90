import Downloading
import Foundation
import Synchronization
import Transfer

extension BackgroundTransfers {
  // MARK: Transfers

  func start(_ key: TransferKey) {
    let (record, run, credentials) = state.withLock { state in
      (state.records[key], state.runs[key], state.credentials[key])
    }
    switch run {
    case .download(let download)?: return download.setSuspended(false)
    case .upload(let upload)?: return upload.setHeld(false)
    case nil: break
    }
    guard let record, record.outcome == nil, let request = record.request else { return }
    do {
      var asked = try TransferRequest(request)
      if let credentials { asked.credentials = credentials }
      let made: Run
      switch record.kind {
      case .download: made = .download(makeDownload(record, asked))
      case .upload(let path, _):
        let upload = UploadRun(
          asked, file: path, transport: transport, alarms: alarms, timeout: record.timeout,
          examine: { [weak self] in self?.examine(key, $0) },
          onEvent: { [weak self] in self?.take($0, of: key) })
        made = .upload(upload)
        upload.start()
      }
      let isOver = state.withLock { state in
        guard state.records[key]?.outcome == nil, !state.challenges.contains(key) else { return true }
        state.runs[key] = made
        return false
      }
      if isOver { stop(made) }
    } catch {
      let code = (error as? URLError)?.code ?? .unknown
      finish(key, TaskRecord.Outcome(code: code.rawValue, message: "the request cannot be sent"))
    }
  }

  private func makeDownload(_ record: TaskRecord, _ request: TransferRequest) -> FileDownload {
    var settings = RequestSettings(userAgent: request.fields["User-Agent"] ?? "")
    settings.credentials = request.credentials
    for field in request.fields.all { settings.fields.set(field.name, field.value) }
    var policy = DownloadPolicy()
    policy.times.giveUp = .infinity
    policy.times.stall = max(record.timeout, 1)
    policy.progressInterval = 0.1
    policy.replacesFile = true
    let key = record.key
    return FileDownload(
      request.url, to: DownloadPlace(file(of: record)), settings: settings, policy: policy,
      transport: transport, clock: alarms.clock, seed: UInt64(truncatingIfNeeded: key.task)
    ) { [weak self] in self?.take($0, of: key) }
  }

  func stop(_ run: Run?) {
    switch run {
    case .download(let download)?: download.stop()
    case .upload(let upload)?: upload.cancel()
    case nil: break
    }
  }

  /// Compares the file of an upload with its state at the first call for the task. Calls `done` on a worker.
  func examine(_ key: TransferKey, _ done: @escaping @Sendable (UploadMachine.File) -> Void) {
    files.add { [weak self] in
      guard let self, let record = state.withLock({ $0.records[key] }),
        case .upload(let path, let known) = record.kind
      else { return }
      guard let count = TransferBody.size(of: path) else { return done(.missing) }
      if known < 0 {
        state.withLock { $0.records[key]?.kind = .upload(path: path, count: count) }
        save(key)
        if let (record, client) = running(key) { client?.progressed(record) }
      }
      done(known < 0 || known == count ? .same(count: count) : .changed)
    }
  }
}
