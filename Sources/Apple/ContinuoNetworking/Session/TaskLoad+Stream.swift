import Foundation
import FoundationNetworking
import Synchronization
import TransferService

extension TaskLoad {
  /// Asks the delegate for the body stream of an upload, which is then read and sent. Fails the task without a delegate
  /// or a stream.
  func askForStream() {
    guard let delegate = task.taskDelegate else { return fail() }
    let task = task
    let answer: @Sendable (InputStream?) -> Void = { [weak self] stream in
      guard let self else { return }
      guard let stream else { return fail() }
      task.own.withLock { $0.current?.httpBodyStream = stream }
      core.networking.files.add { [self] in prepare() }
    }
    core.post {
      delegate.urlSession(task.session, task: task, needNewBodyStream: once(answer))
    }
  }

  private func fail() {
    finish(.of(.requestBodyStreamExhausted, url, "the delegate provides no body stream"))
  }
}
