import Foundation
import FoundationNetworking
import Synchronization
import Transfer

/// Asks the delegates of a session about challenges, and records their decisions about certificates.
/// Thread-safe.
final class Challenges: Sendable {
  typealias Answer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  /// The maximum number of servers whose certificates are recorded.
  private static let longestRecord = 100

  /// The checks of servers whose certificates the application has accepted, by origin.
  private let checks = Mutex<[String: ServerCheck]>([:])

  /// Returns the check for the server of `url`; nil if no delegate decides about certificates. Returns a new check if
  /// none is recorded, or if the task has its own delegate.
  func check(of url: WebURL, for task: URLSessionTask) -> ServerCheck? {
    guard Self.judge(of: task) != nil else { return nil }
    // `checks` has the decisions of the session's delegate, which do not apply to a task with its own.
    return (task.delegate == nil ? checks.withLock { $0[url.origin] } : nil) ?? ServerCheck()
  }

  /// Records that the session's delegate has accepted a server's certificate.
  func record(_ check: ServerCheck, of url: WebURL, for task: URLSessionTask) {
    guard task.delegate == nil else { return }
    checks.withLock { checks in
      if checks.count >= Self.longestRecord { checks = [:] }
      checks[url.origin] = check
    }
  }

  /// Passes a challenge to the delegate on the delegate queue. `answer` is called at most once, with the
  /// default handling if no delegate has a method for the challenge.
  func ask(
    about challenge: URLAuthenticationChallenge, for task: URLSessionTask, then answer: @escaping Answer
  ) {
    let core = task.session.core
    if challenge.protectionSpace.serverTrust != nil {
      return core.post { Self.askJudge(about: challenge, for: task, then: answer) }
    }
    let delegates = Self.delegates(of: task)
    guard !delegates.isEmpty else { return answer(.performDefaultHandling, nil) }
    core.post { Self.ask(delegates[...], about: challenge, for: task, then: answer) }
  }

  /// Asks the first of the delegates that has a method for the challenge.
  private static func ask(
    _ delegates: ArraySlice<any URLSessionDelegate>, about challenge: URLAuthenticationChallenge,
    for task: URLSessionTask, then answer: @escaping Answer
  ) {
    guard let delegate = delegates.first else { return answer(.performDefaultHandling, nil) }
    let next: Answer = once { disposition, credential in
      guard challenge.takeSilence(of: delegate) else { return answer(disposition, credential) }
      ask(delegates.dropFirst(), about: challenge, for: task, then: answer)
    }
    if let delegate = delegate as? any URLSessionTaskDelegate {
      delegate.urlSession(task.session, task: task, didReceive: challenge, completionHandler: next)
    } else {
      delegate.urlSession(task.session, didReceive: challenge, completionHandler: next)
    }
  }

  /// The task's own delegate and the session's, as far as they exist.
  static func delegates(of task: URLSessionTask) -> [any URLSessionDelegate] {
    let delegates: [(any URLSessionDelegate)?] = [task.delegate, task.session.core.delegate]
    return delegates.compactMap { $0 }
  }

  /// The delegate that decides about certificates: the task's own if it has a method for that, otherwise the
  /// session's; nil if neither has one. A delegate of a type not asked yet counts as having a method.
  private static func judge(of task: URLSessionTask) -> (any URLSessionDelegate)? {
    delegates(of: task).first { !OptionalMethod.certificates.isMissing(in: $0) }
  }

  private static func askJudge(
    about challenge: URLAuthenticationChallenge, for task: URLSessionTask, then answer: @escaping Answer
  ) {
    guard let judge = judge(of: task) else { return answer(.performDefaultHandling, nil) }
    // As on Apple's systems: if a delegate lacks the method for sessions, its method for tasks is called. If
    // the task's delegate lacks both, the session's delegate is asked.
    let next: @Sendable () -> Void = {
      OptionalMethod.certificates.recordMissing(in: judge)
      askJudge(about: challenge, for: task, then: answer)
    }
    judge.urlSession(
      task.session, didReceive: challenge,
      completionHandler: once { disposition, credential in
        guard challenge.takeSilence(of: judge) else { return answer(disposition, credential) }
        guard let judge = judge as? any URLSessionTaskDelegate else { return next() }
        judge.urlSession(
          task.session, task: task, didReceive: challenge,
          completionHandler: once { disposition, credential in
            if challenge.takeSilence(of: judge) { next() } else { answer(disposition, credential) }
          })
      })
  }
}
