import Downloading
import Foundation
import FoundationNetworking
import Glibc
import Synchronization
import TransferService

extension TaskLoad {
  /// Delivers the content of a `file:` or `data:` URL. Called on the files' worker.
  func deliver(_ content: LocalContent, of url: URL) throws {
    let response = content.response(for: url)
    task.own.withLock { own in
      own.response = response
      own.expectedToReceive = content.count
    }
    if task is URLSessionDownloadTask { return try copy(content) }
    guard content.count <= Self.longestData else { throw tooLong }
    let data = try content.read()
    count(content)
    guard case .delegate = task.receiver, let delegate = taskDelegate as? any URLSessionDataDelegate,
      let task = task as? URLSessionDataTask
    else {
      state.withLock { $0.data = data }
      return finish(nil)
    }
    core.post {
      delegate.urlSession(task.session, dataTask: task, didReceive: response) { [weak self] in
        guard let self else { return }
        guard $0 == .allow else { return finish(.cancelled(url)) }
        core.post { delegate.urlSession(task.session, dataTask: task, didReceive: data) }
        finish(nil)
      }
    }
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
    count(content)
    finish(nil)
  }

  private func count(_ content: LocalContent) {
    task.own.withLock { $0.received = content.count }
    task.showProgress()
  }
}
