import Foundation
import FoundationNetworking
import Synchronization

extension URLSessionTask {
  /// Updates `progress`. If a body is sent, the response counts as at least one byte more than was received:
  /// sending the last byte does not finish the progress.
  func showProgress() {
    let (done, total) = own.withLock { own in
      let sends = own.expectedToSend > 0
      let answer = sends ? max(own.expectedToReceive, own.received + 1) : own.expectedToReceive
      // A server may announce a length that overflows.
      let (both, isTooMuch) = own.expectedToSend.addingReportingOverflow(answer)
      return (own.sent + own.received, answer > 0 && !isTooMuch ? both : -1)
    }
    progress.totalUnitCount = total
    progress.completedUnitCount = done
  }

  /// Reports the completion to the application. To be called on the delegate queue.
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
      // Regardless of the announced length; at least 1, since 0 of 0 does not count as finished.
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
