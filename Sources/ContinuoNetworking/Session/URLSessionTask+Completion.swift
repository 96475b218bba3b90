import Foundation
import FoundationNetworking
import Synchronization

extension URLSessionTask {
  /// Brings `progress` up to date. The answer to a body counts as one byte more than has come of it, so that nothing is
  /// finished with the last byte that is sent.
  func showProgress() {
    let (done, total) = own.withLock { own in
      let sends = own.expectedToSend > 0
      let answer = sends ? max(own.expectedToReceive, own.received + 1) : own.expectedToReceive
      // A server may announce more than can be counted.
      let (both, isTooMuch) = own.expectedToSend.addingReportingOverflow(answer)
      return (own.sent + own.received, answer > 0 && !isTooMuch ? both : -1)
    }
    progress.totalUnitCount = total
    progress.completedUnitCount = done
  }

  /// Tells the application that it is done. On the delegate queue.
  func complete(_ error: URLError?, data: Data, file: URL?, _ delegate: (any URLSessionTaskDelegate)?) {
    let response = own.withLock { own in
      own.state = .completed
      own.error = error
      own.work = nil
      own.delegate = nil
      return own.response
    }
    progress.cancellationHandler = nil
    if error == nil {
      // Whatever was announced; 0 of 0 would not be finished.
      progress.totalUnitCount = max(1, progress.completedUnitCount)
      progress.completedUnitCount = progress.totalUnitCount
    }
    switch receiver {
    case .data(let handler): return handler(error == nil ? data : nil, response, error)
    case .file(let isRemoved, let handler):
      handler(error == nil ? file : nil, response, error)
      if error == nil, isRemoved, let file { try? FileManager.default.removeItem(at: file) }
      return
    case .delegate: break
    }
    if error == nil, let file, let task = self as? URLSessionDownloadTask {
      (delegate as? any URLSessionDownloadDelegate)?.urlSession(
        session, downloadTask: task, didFinishDownloadingTo: file)
      try? FileManager.default.removeItem(at: file)
    }
    delegate?.urlSession(session, task: self, didCompleteWithError: error)
  }
}
