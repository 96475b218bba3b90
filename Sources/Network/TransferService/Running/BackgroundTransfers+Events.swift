import Downloading
package import Foundation
import Synchronization
import Transfer

extension BackgroundTransfers {
  func take(_ event: DownloadEvent, of key: TransferKey) {
    switch event {
    case .response(let head, let url):
      state.withLock { $0.records[key]?.take(head, from: url) }
      // If the next process finds the file complete, it needs the recorded response.
      save(key)
    case .resumed(let offset): resumed(key, at: offset)
    case .progress(let count, let total):
      state.withLock { state in
        state.records[key]?.received = count
        state.records[key]?.expected = total ?? -1
      }
      guard let (record, client) = running(key) else { return }
      client?.progressed(record)
    case .requested, .retry, .changed: break
    case .finished(let count):
      state.withLock { state in
        state.records[key]?.received = count
        state.records[key]?.expected = count
      }
      finish(key, TaskRecord.Outcome())
    case .failed(.transfer(let failure), _):
      switch failure.kind {
      case .status(401): ask(key)
      // A response is not an error, whatever its status.
      case .status: finish(key, TaskRecord.Outcome())
      default:
        finish(key, TaskRecord.Outcome(code: failure.kind.urlErrorCode ?? -1, message: failure.message))
      }
    case .failed(.file(let failure), _): finish(key, .failed(.cannotWriteToFile, failure.description))
    case .stopped(let record): stopped(key, record)
    }
  }

  func take(_ event: UploadRun.Event, of key: TransferKey) {
    switch event {
    case .sent(let count):
      state.withLock { $0.records[key]?.sent = count }
      guard let (record, client) = running(key) else { return }
      client?.progressed(record)
    case .answer(let head, let url): state.withLock { $0.records[key]?.take(head, from: url) }
    case .ended(let body, let failure):
      state.withLock { $0.records[key]?.answer?.body = body }
      if state.withLock({ $0.records[key]?.answer?.status }) == 401, failure == nil { return ask(key) }
      finish(
        key,
        TaskRecord.Outcome(code: failure.map { $0.kind.urlErrorCode ?? -1 }, message: failure?.message ?? ""))
    case .badFile(let file):
      let code: URLError.Code = file == .missing ? .fileDoesNotExist : .requestBodyStreamExhausted
      let what = file == .missing ? "cannot be read" : "has changed its size since the task was made"
      finish(key, .failed(code, "the file that is to be uploaded \(what)"))
    }
  }

  /// Returns the record of a task and its session's client; nil if the task has ended, or if the application
  /// is suspended or has ended.
  func running(_ key: TransferKey) -> (record: TaskRecord, client: (any TransferClient)?)? {
    state.withLock { $0.running(key) }
  }

  /// Notifies the client that a download has resumed at `offset`. Without a client, records `offset` for the
  /// next one. Does nothing while the application is suspended or has ended.
  private func resumed(_ key: TransferKey, at offset: Int64) {
    let running = state.withLock { state in
      let running = state.running(key)
      if let running, running.client == nil { state.resumptions[key] = offset }
      return running
    }
    if let (record, client) = running { client?.resumed(record, at: offset) }
  }

  /// Asks the application for credentials that a server requests, unless it has cancelled the task.
  private func ask(_ key: TransferKey) {
    var run: (any TaskRun)?
    var isCancelled = false
    handle { state in
      guard let record = state.records[key], record.outcome == nil else { return nil }
      isCancelled = state.cancelled[key] != nil
      guard !isCancelled else { return nil }
      state.challenges.insert(key)
      if state.credentials[key] != nil { state.failures[key, default: 0] += 1 }
      run = state.runs.removeValue(forKey: key)
      return .asked(key)
    }
    // Releasing the last reference ends a transfer, which must not happen under the lock.
    withExtendedLifetime(run) {}
    if isCancelled { finish(key, .failed(.cancelled, "cancelled")) }
  }

  /// Stops a download and ends it with its resume data. Without a transfer, these describe the bytes of
  /// earlier resume data, of an earlier process, or from before a challenge.
  func stop(_ key: TransferKey) {
    let (record, run) = state.withLock { ($0.records[key], $0.runs[key]) }
    if let download = run as? FileDownload {
      download.setSuspended(false)
      return download.stop()
    }
    guard let record else { return }
    disk.add { [weak self, storage] in self?.stopped(key, storage.partRecord(of: record)) }
  }

  private func stopped(_ key: TransferKey, _ download: DownloadRecord?) {
    guard let record = state.withLock({ $0.records[key] }), record.outcome == nil else { return }
    let data = download.flatMap { $0.isResumable ? storage.resumeData(of: record, $0) : nil }
    finish(key, .failed(.cancelled, "cancelled", resumeData: data))
  }

  /// Ends a task with `outcome`, which is delivered to the application afterwards.
  func finish(_ key: TransferKey, _ outcome: TaskRecord.Outcome) {
    let (run, handler) = state.withLock { state -> ((any TaskRun)?, (@Sendable (Data?) -> Void)?) in
      guard state.records[key]?.outcome == nil else { return (nil, nil) }
      state.records[key]?.outcome = outcome
      return (state.runs.removeValue(forKey: key), state.cancelled.removeValue(forKey: key))
    }
    // A download may end, in any way, before it notices its cancellation.
    handler?(outcome.resumeData)
    if outcome.code != nil { run?.stop() }
    // The end of a transfer is delivered only once it is recorded, so that the next process does not repeat a
    // transfer that this one has delivered. The machine delivers a passed deadline itself, at once.
    save(key) { [weak self] in
      self?.handle { state in
        state.challenges.remove(key)
        return .ended(key)
      }
    }
  }

  /// Ends a task with the error `cancelled`; `handler` receives the resume data of a download, or nil if there is
  /// none.
  package func cancel(_ key: TransferKey, producing handler: (@Sendable (Data?) -> Void)?) {
    var isStopped = false
    handle { state in
      guard let handler, let record = state.records[key], record.outcome == nil, case .download = record.kind
      else { return nil }
      state.cancelled[key] = handler
      isStopped = true
      return .cancelled(key)
    }
    if isStopped { return }
    handler?(nil)
    finish(key, .failed(.cancelled, "cancelled"))
  }

  /// Ends a task that waits for credentials.
  func refuse(_ key: TransferKey, isCancelled: Bool) {
    guard state.withLock({ $0.challenges.contains(key) }) else { return }
    finish(
      key,
      TaskRecord.Outcome(code: isCancelled ? URLError.Code.cancelled.rawValue : nil, message: "cancelled"))
  }

  /// Continues a task with credentials. Has no effect unless the task waits for them.
  func answer(_ key: TransferKey, _ credentials: Credentials) {
    handle { state in
      guard let record = state.records[key], record.outcome == nil, state.challenges.remove(key) != nil
      else { return nil }
      state.credentials[key] = (credentials, record.answer?.head.challenge?.scheme ?? .basic)
      return .answered(key)
    }
  }

  /// Starts a task that waits for the application's answer about its delay, with the request of another record
  /// unless that is nil. Has no effect on other tasks.
  func begin(_ key: TransferKey, with request: TaskRecord?) {
    var replaced: TaskRecord?
    handle { state in
      guard var record = state.records[key], record.outcome == nil,
        state.machine.items[key]?.isDelayed == true
      else { return nil }
      if let request {
        // The bytes of resume data belong to the earlier URL.
        replaced = record.url == request.url ? nil : record
        record.takeRequest(of: request)
        state.records[key] = record
      }
      return replaced == nil ? .answered(key) : nil
    }
    guard let replaced else { return }
    disk.add { [weak self, storage] in
      storage.removePart(of: replaced)
      self?.handle(.answered(key))
    }
  }

  func heard(_ key: TransferKey) {
    let record = state.withLock { state -> TaskRecord? in
      state.credentials[key] = nil
      state.failures[key] = nil
      state.resumptions[key] = nil
      return state.records.removeValue(forKey: key)
    }
    handle(.removed(key))
    if let record { disk.add { [storage] in storage.remove(record) } }
  }

  /// Compares the size of an upload's file with its size when first found for the task. Calls `done` on a worker,
  /// unless the task no longer exists.
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

extension BackgroundTransfers.State {
  fileprivate func running(_ key: TransferKey) -> (
    record: TaskRecord, client: (any TransferClient)?
  )? {
    guard let record = records[key], record.outcome == nil,
      machine.application == .front || machine.application == .background
    else { return nil }
    return (record, clients[key.session])
  }
}
