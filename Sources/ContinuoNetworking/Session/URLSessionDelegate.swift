public import Foundation
public import FoundationNetworking
import Synchronization

/// Receives what concerns a session. The methods of all delegates are optional, and are called one at a time, on the session's
/// delegate queue. Of a method that there is in two forms the `async` one is called where the one with a completion handler
/// is missing; where it belongs to no actor, it stays on the delegate queue.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
  /// The session is done for good: the last call. The error is nil if the application has invalidated it.
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

  /// A server wants to know who asks. `completionHandler` must be called, on any thread.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// A server wants to know who asks.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// All messages about the transfers for which the application was resumed or launched were delivered: it is time to call
  /// the completion handler of `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
  /// Does nothing by default.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
  /// Asks the `async` form.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    session.ask {
      let (disposition, credential) = await self.urlSession(session, didReceive: challenge)
      completionHandler(disposition, credential)
    }
  }
  /// Leaves it to the default handling.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.performDefaultHandling, nil) }
  /// Does nothing by default.
  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}

/// Receives what concerns tasks of all kinds.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  /// The task waits for a network; once for each task at most.
  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

  /// The server sends the task elsewhere. `completionHandler` must be called, on any thread: with a request to go on with, or
  /// with nil: then the redirect is the answer. Not called in a background session, which follows all.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)

  /// The server sends the task elsewhere. Returns a request to go on with, or nil: then the redirect is the answer.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest?

  /// A server wants to know who asks. By default asks the session's delegate.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// A server wants to know who asks. By default asks the session's method.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// Bytes of the request's body were sent; at most 10 times a second, and at the end.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64)

  /// The task is done: its last message. The error is nil if an answer came, whatever its status.
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

extension URLSessionTaskDelegate {
  /// Does nothing by default.
  public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}
  /// Asks the `async` form.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    session.ask {
      completionHandler(
        await self.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request))
    }
  }
  /// Follows the redirect.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? { request }
  /// Asks the `async` form.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    session.ask {
      let (disposition, credential) = await self.urlSession(session, task: task, didReceive: challenge)
      completionHandler(disposition, credential)
    }
  }
  /// Asks the session's method.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    // Unsafe: an application that never answers waits for ever. One that answers twice is heard once.
    await withUnsafeContinuation { continuation in
      let waiting = Mutex<UnsafeContinuation<(URLSession.AuthChallengeDisposition, URLCredential?), Never>?>(
        continuation)
      urlSession(session, didReceive: challenge) { disposition, credential in
        waiting.withLock { $0.take() }?.resume(returning: (disposition, credential))
      }
    }
  }
  /// Does nothing by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {}
  /// Does nothing by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {}
}

/// Receives the answers of data and upload tasks that have no completion handler.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  /// The answer's head. No body comes before `completionHandler` was called, on any thread.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

  /// The answer's head. No body comes before this method has returned.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition

  /// The next bytes of the body. While this method is slow the server has to wait.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

extension URLSessionDataDelegate {
  /// Asks the `async` form.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    session.ask {
      completionHandler(await self.urlSession(session, dataTask: dataTask, didReceive: response))
    }
  }
  /// Takes the body.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition { .allow }
  /// Does nothing by default.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}
}

/// Receives the files of download tasks.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
  /// The file is there. It is removed when this method returns: move it, or open it, before. The only method that must be
  /// there.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

  /// Bytes were written; at most 10 times a second, and at the end. `totalBytesExpectedToWrite` is
  /// `NSURLSessionTransferSizeUnknown` where the server does not tell it.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

  /// The download goes on at this byte.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
  /// Does nothing by default.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {}
  /// Does nothing by default.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {}
}

extension URLSession {
  /// What becomes of a task at the head of its answer.
  public enum ResponseDisposition: Int, Hashable, Sendable {
    /// It ends, with the error `cancelled`.
    case cancel = 0
    /// The body is taken.
    case allow = 1
  }

  /// What becomes of a challenge.
  public enum AuthChallengeDisposition: Int, Hashable, Sendable {
    /// The credential is sent; without one the answer of the server is the task's.
    case useCredential = 0
    /// The answer of the server is the task's.
    case performDefaultHandling = 1
    /// The task ends, with the error `cancelled`.
    case cancelAuthenticationChallenge = 2
    /// The answer of the server is the task's.
    case rejectProtectionSpace = 3
  }
}

/// The length of a transfer whose length is not known.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

/// The key of an error's `userInfo` under which a download has the data to go on with.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// The person has ended the application.
public let NSURLErrorCancelledReasonUserForceQuitApplication = 0

extension URLError {
  /// Why the device has cancelled a task of a background session.
  public enum BackgroundTaskCancelledReason: Int, Sendable {
    /// The person has ended the application.
    case userForceQuitApplication = 0
    /// Never: updates in the background are not disabled here.
    case backgroundUpdatesDisabled = 1
    /// Never: the device does not run short.
    case insufficientSystemResources = 2
  }

  /// Why the device has cancelled the task; nil if it has not.
  public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
    (userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int).flatMap {
      BackgroundTaskCancelledReason(rawValue: $0)
    }
  }

  /// What a download that failed can be gone on with; nil if it cannot.
  public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }
}
