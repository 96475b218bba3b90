import Downloading
import Foundation
import FoundationNetworking
import Glibc
import Synchronization
import TransferService

extension TaskLoad {
  /// Delivers local or cached content, and ends the task, after a delegate that receives responses has allowed the
  /// response. For a download, called on the files' worker.
  func deliver(_ content: LocalContent, as response: URLResponse) throws {
    guard task is URLSessionDownloadTask else {
      guard content.count <= Self.longestData else { throw tooLong }
      let isAsked = deliver(response, try content.read()) { [weak self] in self?.finish(nil) }
      return isAsked ? () : finish(nil)
    }
    task.own.withLock { own in
      own.response = response
      own.expectedToReceive = content.count
    }
    try copy(content)
  }

  /// Delivers a response and its body at once. Calls `proceed` after a delegate has allowed the response.
  /// Returns false, and stores the body as the task's data, if no delegate receives responses.
  func deliver(
    _ response: URLResponse, _ data: Data, then proceed: @escaping @Sendable () -> Void
  ) -> Bool {
    task.own.withLock { own in
      own.response = response
      own.expectedToReceive = Int64(data.count)
      own.received = Int64(data.count)
    }
    task.showProgress()
    let (core, task) = (core, task)
    let isAsked = ask(about: response) {
      if let task = task as? URLSessionDataTask, !data.isEmpty {
        core.post {
          (task.taskDelegate as? any URLSessionDataDelegate)?.urlSession(
            task.session, dataTask: task, didReceive: data)
        }
      }
      proceed()
    }
    if !isAsked { state.withLock { $0.data = data } }
    return isAsked
  }

  private func copy(_ content: LocalContent) throws {
    let path = Self.temporaryPath
    try content.copy(to: path)
    let file = try OpenFile(path, O_RDWR)
    let isOver = state.withLock { state in
      state.file = file
      return state.isOver
    }
    // If the load has ended in the meantime, no other code removes the file.
    if isOver { unlink(path) }
    task.own.withLock { $0.received = content.count }
    task.showProgress()
    finish(nil)
  }
}
