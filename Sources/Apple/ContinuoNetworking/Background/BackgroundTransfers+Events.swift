import Downloading
import Foundation
import Synchronization
import Transfer

extension BackgroundTransfers {
  // MARK: What transfers say

  func take(_ event: DownloadEvent, of key: TransferKey) {
    switch event {
    case .response(let head, let url): state.withLock { $0.records[key]?.take(head, from: url) }
    case .resumed(let offset):
      guard let (record, client) = running(key) else { return }
      client?.resumed(record, at: offset)
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
      // A response arrived, whatever its status.
      case .status: finish(key, TaskRecord.Outcome())
      default:
        finish(key, TaskRecord.Outcome(code: failure.kind.urlErrorCode ?? -1, message: failure.message))
      }
    case .failed(.file(let failure), _):
      finish(
        key,
        TaskRecord.Outcome(code: URLError.Code.cannotWriteToFile.rawValue, message: failure.description))
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
      finish(
        key, TaskRecord.Outcome(code: code.rawValue, message: "the file that is to be uploaded \(what)"))
    }
  }

  /// The record of an unfinished task and its session's client; nil if the application does not run.
  func running(_ key: TransferKey) -> (TaskRecord, (any Client)?)? {
    state.withLock { state in
      guard let record = state.records[key], record.outcome == nil,
        state.machine.application == .front || state.machine.application == .background
      else { return nil }
      return (record, state.clients[key.session])
    }
  }

  /// Asks the application for credentials that a server requests.
  private func ask(_ key: TransferKey) {
    let run = state.withLock { state in
      state.challenges.insert(key)
      return state.runs.removeValue(forKey: key)
    }
    // Releasing the last reference ends a transfer, which must not happen under the lock.
    withExtendedLifetime(run) {}
    handle(.ended(key))
  }

  /// Completes a download that was stopped by a cancellation.
  private func stopped(_ key: TransferKey, _ download: DownloadRecord) {
    let (handler, record) = state.withLock { state in
      (state.cancelled.removeValue(forKey: key) ?? nil, state.records[key])
    }
    guard let record, record.outcome == nil else { return }
    let data = download.isResumable ? resumeData(of: record, download) : nil
    handler?(data)
    finish(
      key,
      TaskRecord.Outcome(
        code: URLError.Code.cancelled.rawValue, message: "cancelled", resumeData: data))
  }

  /// - Parameter isAsked: whether the machine already counts the task as ended because it asked for
  ///   credentials.
  func finish(_ key: TransferKey, _ outcome: TaskRecord.Outcome, isAsked: Bool = false) {
    let run = state.withLock { state -> Run? in
      guard state.records[key]?.outcome == nil else { return nil }
      state.records[key]?.outcome = outcome
      return state.runs.removeValue(forKey: key)
    }
    if outcome.code != nil { stop(run) }
    // Delivered only once recorded, so that the next process does not fetch again what this one has
    // delivered.
    save(key) { [weak self] in
      // The task is delivered again, this time with its end.
      if isAsked { self?.handle(.answered(key)) }
      self?.handle(.ended(key))
    }
  }
}
