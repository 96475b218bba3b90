public import Foundation
public import FoundationNetworking
import Synchronization

/// Receives the events of a session, one at a time, on its delegate queue. All methods are optional except
/// `urlSession(_:downloadTask:didFinishDownloadingTo:)`. If a method with a completion handler is not
/// implemented, its `async` form is called, if it has one. The `async` form runs on the delegate queue,
/// unless it is isolated to an actor. All calls of a completion handler after the first one are ignored.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
  /// The session has become invalid. This is the last call. The error is always nil, because only the
  /// application invalidates sessions.
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

  /// A server requests credentials, or has presented its certificates and no request was sent yet.
  /// `completionHandler` must be called, on any thread.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// A server requests credentials, or has presented its certificates. Returns the disposition of the
  /// challenge and the credential.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// All events for which the application was resumed or launched were delivered. The application should now
  /// call the completion handler of `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
  /// Does nothing by default.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
  /// Calls the `async` form by default.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    session.ask {
      let (disposition, credential) = await self.urlSession(session, didReceive: challenge)
      completionHandler(disposition, credential)
    }
  }
  /// Returns `performDefaultHandling` by default.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    challenge.recordSilence(of: self)
    return (.performDefaultHandling, nil)
  }
  /// Does nothing by default.
  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}

/// Receives the events of tasks of all kinds.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  /// The task waits for a network. Called at most once per task.
  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

  /// The `earliestBeginDate` of a background session's download or upload has come. The task waits until
  /// `completionHandler` is called, on any thread. A suspended or terminated application is woken for this if
  /// `sessionSendsLaunchEvents` is true. With `useNewRequest`, the given request replaces the task's own.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)

  /// The `earliestBeginDate` of a background session's download or upload has come. Returns the disposition of the task,
  /// and the new request for `useNewRequest`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)

  /// The server redirects the task. Call `completionHandler`, on any thread, with the next request, or with
  /// nil to accept the redirect as the response. Not called for downloads and uploads of background sessions,
  /// which follow redirects.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)

  /// The server redirects the task. Returns the next request, or nil to accept the redirect as the response.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest?

  /// A server requests credentials for a task, or has presented its certificates to a delegate without the
  /// method for sessions. Calls the `async` form by default.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// Like the form with a completion handler. For credentials, calls this delegate's method for sessions by
  /// default.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// An upload task has no body stream. Call `completionHandler`, on any thread, with a new stream that is not
  /// open; with nil the task fails with `requestBodyStreamExhausted`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

  /// Bytes of the request body were sent. Called at most 10 times per second, and at the end.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64)

  /// A task without a completion handler has ended. This is the last call for the task. The error is nil if a response
  /// arrived completely, whatever its status.
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)

  /// The metrics of the task are complete. Called before the end of the task is reported to the delegate or
  /// the completion handler.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
}

extension URLSessionTaskDelegate {
  /// Does nothing by default.
  public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}
  /// Calls the `async` form by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    session.ask {
      let (disposition, request) = await self.urlSession(
        session, task: task, willBeginDelayedRequest: request)
      completionHandler(disposition, request)
    }
  }
  /// Returns `continueLoading` by default, which starts the task with its own request.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
    OptionalMethod.delayedRequests.recordMissing(in: self)
    return (.continueLoading, nil)
  }
  /// Calls the `async` form by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    session.ask {
      completionHandler(
        await self.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request))
    }
  }
  /// Returns `request` by default, which follows the redirect.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? { request }
  /// Calls the `async` form by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    session.ask {
      let (disposition, credential) = await self.urlSession(session, task: task, didReceive: challenge)
      completionHandler(disposition, credential)
    }
  }
  /// Calls this delegate's method for sessions by default; for certificates, returns the default handling.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    if challenge.protectionSpace.serverTrust != nil {
      challenge.recordSilence(of: self)
      return (.performDefaultHandling, nil)
    }
    // An unsafe continuation, because the delegate may never answer.
    return await withUnsafeContinuation { continuation in
      urlSession(
        session, didReceive: challenge,
        completionHandler: once { continuation.resume(returning: ($0, $1)) })
    }
  }
  /// Provides no stream by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) { completionHandler(nil) }
  /// Does nothing by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {}
  /// Does nothing by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {}
  /// Does nothing by default.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {}
}

/// Receives the responses of data and upload tasks without a completion handler.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  /// The head of the response has arrived. No body is delivered before `completionHandler` is called, which
  /// may be done on any thread. Not called for uploads of background sessions.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

  /// The head of the response has arrived. No body is delivered before this method returns.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition

  /// The next bytes of the body. A slow delegate makes the server wait. For an upload of a background session,
  /// called at most once, with at most the first MiB of the body.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

  /// The response will be stored in the cache. The task ends after `completionHandler` was called, on any
  /// thread, with the response to store, or with nil to store none.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)

  /// The response will be stored in the cache. Returns the response to store, or nil to store none.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
  ) async -> CachedURLResponse?
}

extension URLSessionDataDelegate {
  /// Calls the `async` form by default.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    session.ask {
      completionHandler(await self.urlSession(session, dataTask: dataTask, didReceive: response))
    }
  }
  /// Returns `allow` by default, so that the task receives the body.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition { .allow }
  /// Does nothing by default.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}
  /// Calls the `async` form by default.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    session.ask {
      completionHandler(
        await self.urlSession(session, dataTask: dataTask, willCacheResponse: proposedResponse))
    }
  }
  /// Returns `proposedResponse` by default.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
  ) async -> CachedURLResponse? { proposedResponse }
}

/// Receives the events of download tasks.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
  /// The download is complete. Move or open the file in this required method, because the file is removed
  /// when the method returns.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

  /// Bytes were written. Called at most 10 times per second, and at the end. `totalBytesExpectedToWrite` is
  /// `NSURLSessionTransferSizeUnknown` if the server does not announce the length.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

  /// The download resumes at byte `fileOffset`. `expectedTotalBytes` is the length of the whole file in bytes, or
  /// `NSURLSessionTransferSizeUnknown` if the server does not announce it.
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
  /// The disposition of a task after its response head.
  public enum ResponseDisposition: Int, Hashable, Sendable {
    /// The task ends with the error `cancelled`.
    case cancel = 0
    /// The task receives the body.
    case allow = 1
  }

  /// The disposition of a delayed task that can start.
  public enum DelayedRequestDisposition: Int, Hashable, Sendable {
    /// The task starts with its own request.
    case continueLoading = 0
    /// The task starts with the new request; without one, like `continueLoading`.
    case useNewRequest = 1
    /// The task ends with the error `cancelled`.
    case cancel = 2
  }

  /// The disposition of a challenge.
  public enum AuthChallengeDisposition: Int, Hashable, Sendable {
    /// Send the credential; without one, accept the server's response as the response of the task. For
    /// certificates: send the request to the server with this certificate, valid or not; without a
    /// credential, like `performDefaultHandling`.
    case useCredential = 0
    /// Send the proposed credential; without one, accept the server's response as the task's. For certificates: send
    /// the request if they are valid; otherwise end the task with the error of their verification.
    case performDefaultHandling = 1
    /// End the task with the error `cancelled`.
    case cancelAuthenticationChallenge = 2
    /// Accept the server's response as the task's. For certificates: end the task with the error `cancelled`.
    case rejectProtectionSpace = 3
  }
}

/// The key of a download's resume data in the `userInfo` of its error.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

extension URLError {
  /// The reason for which the device has cancelled a task of a background session.
  public enum BackgroundTaskCancelledReason: Int, Sendable {
    /// The user has quit the application.
    case userForceQuitApplication = 0
    /// Never used: background updates cannot be disabled.
    case backgroundUpdatesDisabled = 1
    /// Never used: the device does not run short of resources.
    case insufficientSystemResources = 2
  }

  /// The reason for which the device has cancelled the task; nil if it has not.
  public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
    (userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? Int).flatMap {
      BackgroundTaskCancelledReason(rawValue: $0)
    }
  }

  /// The resume data of a failed download; nil if the download cannot be resumed.
  public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }
}

/// Runs the `async` methods of a delegate on the delegate queue. Jobs wait while the application is suspended.
/// The first job runs synchronously, so that a delegate without `async` methods has answered when the call
/// returns.
private final class DelegateExecutor: TaskExecutor {
  private let core: SessionCore
  private let hasBegun = Mutex(false)

  init(_ core: SessionCore) { self.core = core }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return !hasBegun
    }
    if isFirst { return job.runSynchronously(on: asUnownedTaskExecutor()) }
    core.post { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

extension URLSession {
  /// Calls an `async` method of a delegate. To be called on the delegate queue.
  func ask(_ call: @escaping @Sendable () async -> Void) {
    let executor = DelegateExecutor(core)
    Task(executorPreference: executor) {
      await call()
      withExtendedLifetime(executor) {}
    }
  }
}
