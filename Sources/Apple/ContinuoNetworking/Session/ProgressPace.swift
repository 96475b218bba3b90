import Clocks
import Foundation
import FoundationNetworking
import Synchronization
import TransferService

/// Limits progress reports, except for the last one, to one per 0.1 s. No report is sent while the previous
/// one is pending.
struct ProgressPace {
  /// The interval between reports in seconds.
  private static let interval = 0.1

  /// The byte count of the last delivered report; before the first one, the initial offset.
  private var told: Int64
  private var last: HostTime?
  private var isTelling = false

  init(from told: Int64 = 0) { self.told = told }

  /// Returns whether to send a report at `now`; the report is then pending until `take`. The last report does
  /// not wait for the interval.
  mutating func isDue(at now: HostTime, isLast: Bool) -> Bool {
    guard !isTelling, isLast || last.map({ now.seconds(since: $0) >= Self.interval }) ?? true else {
      return false
    }
    isTelling = true
    last = now
    return true
  }

  /// Records the delivery of a report of `total` bytes. Returns the number of new bytes.
  mutating func take(_ total: Int64) -> Int64 {
    defer { told = total }
    isTelling = false
    return total - told
  }
}

extension URLSessionTask {
  /// Reports newly sent bytes to the delegate, unless a report is pending. With `isLimited`, skips a report within 0.1 s
  /// of the previous one, unless all bytes were sent.
  func reportSent(isLimited: Bool = true) {
    let isLast = !isLimited || countOfBytesSent == countOfBytesExpectedToSend
    report(\.sent, \.sentPace, isLast: isLast) { [self] news, total in
      taskDelegate?.urlSession(
        session, task: self, didSendBodyData: news, totalBytesSent: total,
        totalBytesExpectedToSend: countOfBytesExpectedToSend)
    }
  }

  /// Reports newly written bytes of a download to the delegate, unless a report is pending. With `isLimited`, skips a
  /// report within 0.1 s of the previous one. Has no effect on a task with a completion handler.
  func reportWritten(isLimited: Bool = true) {
    guard let task = self as? URLSessionDownloadTask, case .delegate = receiver else { return }
    report(\.received, \.writtenPace, isLast: !isLimited) { news, total in
      (task.taskDelegate as? any URLSessionDownloadDelegate)?.urlSession(
        task.session, downloadTask: task, didWriteData: news, totalBytesWritten: total,
        totalBytesExpectedToWrite: task.countOfBytesExpectedToReceive)
    }
  }

  /// Reports to the delegate that the download resumes at `offset`, and counts written bytes from there on.
  func reportResumed(at offset: Int64, of expected: Int64) {
    session.core.post { [self] in
      own.withLock { $0.writtenPace = ProgressPace(from: offset) }
      guard let task = self as? URLSessionDownloadTask else { return }
      (taskDelegate as? any URLSessionDownloadDelegate)?.urlSession(
        session, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: expected)
    }
  }

  /// A pending report reads the count on delivery, so that it includes the bytes that arrive meanwhile.
  private func report(
    _ count: any KeyPath<Own, Int64> & Sendable, _ pace: any WritableKeyPath<Own, ProgressPace> & Sendable,
    isLast: Bool, _ call: @escaping @Sendable (_ news: Int64, _ total: Int64) -> Void
  ) {
    let now = session.core.networking.alarms.clock.now
    guard own.withLock({ $0[keyPath: pace].isDue(at: now, isLast: isLast) }) else { return }
    session.core.post { [self] in
      let (news, total, isOver) = own.withLock { own in
        let total = own[keyPath: count]
        return (own[keyPath: pace].take(total), total, own.state == .completed)
      }
      if news > 0, !isOver { call(news, total) }
    }
  }
}
