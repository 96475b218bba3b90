import Foundation
import FoundationNetworking
import Synchronization
import TransferService

extension URLSessionDelegate {
  /// The delegate itself; nil if it is not a `URLSessionTaskDelegate`, or if its type is known to lack the method for
  /// delayed requests.
  var judgeOfDelays: (any URLSessionTaskDelegate)? {
    OptionalMethod.delayedRequests.isMissing(in: self) ? nil : self as? any URLSessionTaskDelegate
  }
}

extension SessionCore {
  func becameDue(_ record: TaskRecord) {
    guard let task = task(for: record) else { return }
    // Uses the worker of the tasks' ends, so that earlier ends are reported first.
    networking.ends.add { [self] in
      post { [self] in askAboutDelay(of: task) }
    }
  }

  /// Asks the first delegate that has the method for delayed requests; without one, starts the task.
  private func askAboutDelay(of task: URLSessionTask) {
    guard let work = task.own.withLock({ $0.work }) as? BackgroundWork else { return }
    guard let request = task.originalRequest,
      let judge = Challenges.delegates(of: task).lazy.compactMap(\.judgeOfDelays).first
    else {
      transfers?.perform(.startUnasked(session: work.key.session))
      return work.begin(with: nil)
    }
    judge.urlSession(
      task.session, task: task, willBeginDelayedRequest: request,
      completionHandler: once { [self] disposition, request in
        switch disposition {
        case _ where judge.judgeOfDelays == nil: askAboutDelay(of: task)
        case .continueLoading: work.begin(with: nil)
        case .useNewRequest: work.begin(with: request)
        case .cancel: task.cancel()
        }
      })
  }
}
