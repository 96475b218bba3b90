import Foundation
import FoundationNetworking
import Synchronization

extension URLSessionTask {
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
