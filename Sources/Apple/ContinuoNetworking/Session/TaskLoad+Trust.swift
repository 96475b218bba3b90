import Foundation
import FoundationNetworking
import Synchronization
import Transfer
import TransferService

extension TaskLoad {
  /// The check of the server of `url`; nil if no delegate decides about certificates.
  func check(for url: WebURL) -> ServerCheck? {
    guard trustDelegate != nil else { return nil }
    // The session's delegate has not decided for a task that has its own.
    return (task.delegate == nil ? core.check(of: url.origin) : nil) ?? ServerCheck()
  }

  /// The delegate that decides about certificates: the task's own, or the session's if that has no method for
  /// it; nil if neither has.
  private var trustDelegate: (any URLSessionDelegate)? {
    let delegates: [(any URLSessionDelegate)?] = [task.delegate, core.delegate]
    return delegates.compactMap { $0 }.first { TrustForms.mayDecide($0) }
  }

  func exchange(_ exchange: Exchange, presented certificates: [String], failure: TransferFailure?) {
    let server = exchange.request.url
    guard let url = URL(string: server.text) else { return stop(.cancelled(url)) }
    let challenge = URLAuthenticationChallenge(url, certificates, failure.map { .of($0, url) })
    let answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
      [weak self] disposition, credential in
      guard let self else { return }
      switch (disposition, credential) {
      case (.cancelAuthenticationChallenge, _), (.rejectProtectionSpace, _):
        stop(.cancelled(url, resumeData: resumeData))
      case (.performDefaultHandling, _), (.useCredential, nil):
        if let failure { return stop(.of(failure, url, resumeData: resumeData)) }
        fallthrough
      case (.useCredential, _):
        if let check = exchange.trust(), task.delegate == nil { core.remember(check, of: server.origin) }
      }
    }
    core.post { [self] in ask(about: challenge, then: answer) }
  }

  private func ask(
    about challenge: URLAuthenticationChallenge,
    then answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let delegate = trustDelegate else { return answer(.performDefaultHandling, nil) }
    let task = task
    delegate.urlSession(task.session, didReceive: challenge) { [self] disposition, credential in
      guard TrustForms.isMissing(\.session, of: delegate) else { return answer(disposition, credential) }
      // As on Apple's systems, the method for tasks is called in place of a missing one for sessions, and the
      // session's delegate in place of a task's that has neither.
      guard let delegate = delegate as? any URLSessionTaskDelegate else {
        return ask(about: challenge, then: answer)
      }
      delegate.urlSession(task.session, task: task, didReceive: challenge) { [self] disposition, credential in
        guard TrustForms.isMissing(\.task, of: delegate) else { return answer(disposition, credential) }
        ask(about: challenge, then: answer)
      }
    }
  }
}

/// The types of delegates that lack the methods for challenges. Known after the first challenge about
/// certificates, which costs a connection: further tasks with such a delegate need no consent.
enum TrustForms {
  struct Missing {
    var session: Set<ObjectIdentifier> = []
    var task: Set<ObjectIdentifier> = []
  }

  typealias Form = any WritableKeyPath<Missing, Set<ObjectIdentifier>> & Sendable

  private static let missing = Mutex(Missing())

  static func recordMissing(_ form: Form, of delegate: any URLSessionDelegate) {
    _ = missing.withLock { $0[keyPath: form].insert(ObjectIdentifier(type(of: delegate as AnyObject))) }
  }

  static func isMissing(_ form: Form, of delegate: any URLSessionDelegate) -> Bool {
    missing.withLock { $0[keyPath: form].contains(ObjectIdentifier(type(of: delegate as AnyObject))) }
  }

  /// Returns whether the delegate may have a method that decides about certificates.
  static func mayDecide(_ delegate: any URLSessionDelegate) -> Bool {
    guard isMissing(\.session, of: delegate) else { return true }
    return delegate is any URLSessionTaskDelegate && !isMissing(\.task, of: delegate)
  }
}
