public import Foundation
public import FoundationNetworking
import Synchronization
import TransferService

/// A transfer of a session. The session creates it; `resume()` starts it. Thread-safe; methods do not block.
open class URLSessionTask: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open; its state is immutable or guarded by a lock.

  /// The state of a task.
  public enum State: Int, Hashable, Sendable {
    /// The task is in progress, or waits for a network, a free connection or its `earliestBeginDate`.
    case running = 0
    /// The task has not started, or is paused.
    case suspended = 1
    /// The task was cancelled; its last call to the application is pending.
    case canceling = 2
    /// The task has ended.
    case completed = 3
  }

  /// The receiver of the response.
  enum Receiver: Sendable {
    case delegate
    case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    /// A handler receives the file. `isRemoved`: whether the file is removed when the handler returns.
    case file(isRemoved: Bool, @Sendable (URL?, URLResponse?, (any Error)?) -> Void)
  }

  struct Own: @unchecked Sendable {
    // Unchecked: URLRequest, URLResponse and errors are values or never modified.
    var state = State.suspended
    var suspensions = 1
    var original: URLRequest?
    var current: URLRequest?
    var response: URLResponse?
    var error: (any Error)?
    var taskDescription: String?
    var priority = URLSessionTask.defaultPriority
    var earliestBeginDate: Date?
    var received: Int64 = 0
    var expectedToReceive: Int64 = 0
    var sent: Int64 = 0
    var expectedToSend: Int64 = 0
    var sentPace = ProgressPace()
    var writtenPace = ProgressPace()
    var clientExpectsToSend = NSURLSessionTransferSizeUnknown
    var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    /// Whether the response comes from the cache.
    var isCached = false
    var delegate: (any URLSessionTaskDelegate)?
    var work: (any TaskWork)?
  }

  /// The time at which this object was created, also for the task of an earlier process.
  let created: Date

  /// The number of the task, unique within its session.
  public let taskIdentifier: Int
  /// The progress in bytes of the request body and the response body. Cancelling it cancels the task.
  public let progress: Progress
  let session: URLSession
  let receiver: Receiver
  let own: Mutex<Own>
  /// The host of the first request; empty if the request has none.
  let host: String

  init(_ session: URLSession, id: Int, request: URLRequest?, receiver: Receiver) {
    self.session = session
    taskIdentifier = id
    self.receiver = receiver
    host = request?.url?.host?.lowercased() ?? ""
    progress = Progress(totalUnitCount: -1)
    var own = Own()
    own.original = request
    own.current = request
    self.own = Mutex(own)
    created = session.core.networking.date
    super.init()
    progress.cancellationHandler = { [weak self] in self?.cancel() }
  }

  /// The first request; nil for a download from unreadable resume data.
  open var originalRequest: URLRequest? { own.withLock { $0.original } }
  /// The current request, which differs from the first one after a redirect or a new request of the delegate.
  open var currentRequest: URLRequest? { own.withLock { $0.current } }
  /// The head of the response; nil before its arrival.
  open var response: URLResponse? { own.withLock { $0.response } }
  /// The error of a failed task; nil for any other task.
  open var error: (any Error)? { own.withLock { $0.error } }
  /// The current state of the task.
  open var state: State { own.withLock { $0.state } }

  /// Receives the events of this task in place of the session's delegate; nil by default. Challenges and delayed requests
  /// for which this delegate has no method go to the session's delegate. Retained until the end of the task.
  open var delegate: (any URLSessionTaskDelegate)? {
    get { own.withLock { $0.delegate } }
    set {
      // Release the previous delegate outside the lock, because its `deinit` may use the task.
      let old = own.withLock { own in
        defer { own.delegate = newValue }
        return own.delegate
      }
      withExtendedLifetime(old) {}
    }
  }

  /// A description, which a background session keeps across launches unless it exceeds 64 KiB.
  open var taskDescription: String? {
    get { own.withLock { $0.taskDescription } }
    set {
      own.withLock { $0.taskDescription = newValue }
      own.withLock { $0.work }?.describe(newValue)
    }
  }

  /// The priority among tasks that wait for a connection, 0…1. Tasks with higher priorities start first. Has no effect
  /// on downloads and uploads of background sessions.
  open var priority: Float {
    get { own.withLock { $0.priority } }
    set { own.withLock { $0.priority = min(max(newValue, 0), 1) } }
  }

  /// The earliest start of a download or upload in a background session; nil for none. Must be set before the first
  /// `resume()`. Has no effect on other tasks.
  open var earliestBeginDate: Date? {
    get { own.withLock { $0.earliestBeginDate } }
    set { own.withLock { $0.earliestBeginDate = newValue } }
  }

  /// The number of body bytes received; for a resumed download, including the bytes stored before.
  open var countOfBytesReceived: Int64 { own.withLock { $0.received } }
  /// The length of the body in bytes; 0 or `NSURLSessionTransferSizeUnknown` before the response,
  /// `NSURLSessionTransferSizeUnknown` if the response does not state it.
  open var countOfBytesExpectedToReceive: Int64 { own.withLock { $0.expectedToReceive } }
  /// The number of request body bytes sent.
  open var countOfBytesSent: Int64 { own.withLock { $0.sent } }
  /// The length of the request body in bytes; 0 without a body, or if it is not yet known.
  open var countOfBytesExpectedToSend: Int64 { own.withLock { $0.expectedToSend } }

  /// An estimate by the application, stored without effect.
  open var countOfBytesClientExpectsToSend: Int64 {
    get { own.withLock { $0.clientExpectsToSend } }
    set { own.withLock { $0.clientExpectsToSend = newValue } }
  }

  /// An estimate by the application, stored without effect.
  open var countOfBytesClientExpectsToReceive: Int64 {
    get { own.withLock { $0.clientExpectsToReceive } }
    set { own.withLock { $0.clientExpectsToReceive = newValue } }
  }

  /// Starts the task. Resumes a paused task once called as often as `suspend()`. Has no effect on a completed
  /// task.
  open func resume() {
    makeWork()
    let work = own.withLock { own -> (any TaskWork)? in
      guard own.state == .suspended else { return nil }
      own.suspensions -= 1
      guard own.suspensions <= 0 else { return nil }
      own.suspensions = 0
      own.state = .running
      return own.work
    }
    work?.resume()
  }

  /// Pauses the task: nothing is read from the connection, which the server may close.
  open func suspend() {
    let work = own.withLock { own -> (any TaskWork)? in
      guard own.state == .running || own.state == .suspended else { return nil }
      own.suspensions += 1
      defer { own.state = .suspended }
      return own.state == .running ? own.work : nil
    }
    work?.suspend()
  }

  /// Ends the task with the error `cancelled`. Has no effect on a completed task.
  open func cancel() { cancel(producing: nil) }

  /// - Parameter handler: receives the resume data of a download, on the delegate queue.
  func cancel(producing handler: (@Sendable (Data?) -> Void)?) {
    makeWork()
    let (isFirst, work) = own.withLock { own -> (Bool, (any TaskWork)?) in
      guard own.state == .running || own.state == .suspended else { return (false, nil) }
      own.state = .canceling
      return (true, own.work)
    }
    if isFirst {
      work?.cancel(producing: handler)
    } else if let handler {
      session.core.post { handler(nil) }
    }
  }

  /// Creates the work of a task that has none and has not ended, outside the lock because the work reads the
  /// task.
  private func makeWork() {
    let isMissing = own.withLock { $0.work == nil && ($0.state == .suspended || $0.state == .running) }
    guard isMissing else { return }
    let made = session.core.makeWork(for: self)
    own.withLock { own in
      if own.work == nil, own.state == .suspended || own.state == .running { own.work = made }
    }
  }

  /// The priority of tasks that can wait, 0.25.
  public static let lowPriority: Float = 0.25
  /// The priority of new tasks, 0.5.
  public static let defaultPriority: Float = 0.5
  /// The priority of urgent tasks, 0.75.
  public static let highPriority: Float = 0.75
}

/// A task that delivers the response body as data.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that sends a body and delivers the response body as data.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
  let source: Source

  enum Source: Sendable {
    case file(URL)
    case data(Data)
    /// The body stream of the request, or else one from the delegate.
    case stream
  }

  init(_ session: URLSession, id: Int, request: URLRequest?, source: Source, receiver: Receiver) {
    self.source = source
    super.init(session, id: id, request: request, receiver: receiver)
  }
}

/// A task that delivers the response body as a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
  let resumeData: ResumeData?

  init(
    _ session: URLSession, id: Int, request: URLRequest?, resumeData: ResumeData? = nil, receiver: Receiver
  ) {
    self.resumeData = resumeData
    super.init(session, id: id, request: request, receiver: receiver)
  }

  /// Ends the task with the error `cancelled`. The handler receives the resume data on the delegate queue; nil if the
  /// download cannot be resumed, or was cancelled or completed before. Resuming requires a `GET`, received bytes, an
  /// ETag or a modification date, and a server with range support.
  open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    cancel(producing: completionHandler)
  }

  /// Ends the task with the error `cancelled`, and returns its resume data; nil if there is none.
  open func cancelByProducingResumeData() async -> Data? {
    await withUnsafeContinuation { continuation in
      cancel(producing: { continuation.resume(returning: $0) })
    }
  }
}

/// The work that carries out a task. Thread-safe; methods do not block.
protocol TaskWork: AnyObject, Sendable {
  func resume()
  func suspend()
  /// Ends the task with the error `cancelled`; `handler` receives its resume data.
  func cancel(producing handler: (@Sendable (Data?) -> Void)?)
  func describe(_ text: String?)
}

extension URLSessionTask {
  /// The delegate of the task, or else of the session.
  var taskDelegate: (any URLSessionTaskDelegate)? {
    delegate ?? session.core.delegate as? any URLSessionTaskDelegate
  }

  /// Updates `progress`. For a task with a request body, the response counts as at least one byte longer than received
  /// so far. The last sent byte therefore does not finish the progress.
  func showProgress() {
    let (done, total) = own.withLock { own in
      let sends = own.expectedToSend > 0
      let answer = sends ? max(own.expectedToReceive, own.received + 1) : own.expectedToReceive
      // A server may announce a length that overflows.
      let (both, isTooMuch) = own.expectedToSend.addingReportingOverflow(answer)
      return (own.sent + own.received, answer > 0 && !isTooMuch ? both : -1)
    }
    progress.totalUnitCount = total
    progress.completedUnitCount = done
  }

  /// Reports the completion to the application. To be called on the delegate queue. `transactions` is nil for
  /// background tasks, which the device does not measure.
  func complete(
    _ error: URLError?, data: Data, file: URL?, _ delegate: (any URLSessionTaskDelegate)?,
    _ transactions: [Transaction]? = nil
  ) {
    let response = own.withLock { own in
      own.state = .completed
      own.error = error
      own.work = nil
      own.delegate = nil
      return own.response
    }
    progress.cancellationHandler = nil
    if error == nil {
      // The total is the actual length, not the announced one. It is at least 1, because 0 of 0 does not
      // count as finished.
      progress.totalUnitCount = max(1, progress.completedUnitCount)
      progress.completedUnitCount = progress.totalUnitCount
    }
    switch receiver {
    case .data(let handler):
      collect(transactions, delegate)
      return handler(error == nil ? data : nil, response, error)
    case .file(let isRemoved, let handler):
      collect(transactions, delegate)
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
    collect(transactions, delegate)
    delegate?.urlSession(session, task: self, didCompleteWithError: error)
  }

  /// Passes the metrics to the delegate, also for tasks with a completion handler.
  private func collect(_ transactions: [Transaction]?, _ delegate: (any URLSessionTaskDelegate)?) {
    guard let delegate else { return }
    let networking = session.core.networking
    var made = (transactions ?? []).map { URLSessionTaskTransactionMetrics($0, on: networking.alarms.clock) }
    // Without a transaction, a response comes from a file, the URL itself or the cache, or belongs to a
    // background task.
    let isLocal = made.isEmpty && (transactions == nil || response != nil)
    if isLocal || own.withLock({ $0.isCached }), let request = currentRequest {
      let type: URLSessionTaskMetrics.ResourceFetchType = transactions == nil ? .networkLoad : .localCache
      made.append(URLSessionTaskTransactionMetrics(request, response, fetched: type))
    }
    let metrics = URLSessionTaskMetrics(
      made, DateInterval(start: created, end: max(created, networking.date)))
    delegate.urlSession(session, task: self, didFinishCollecting: metrics)
  }

  /// Updates the response and the progress from the device's record.
  func take(_ record: TaskRecord) {
    let response = record.response
    own.withLock { own in
      if let response {
        own.response = response
        if record.isRedirected { own.current?.url = response.url }
      }
      if case .download = record.kind {
        own.received = record.received
        own.expectedToReceive = record.expected
      }
      own.sent = record.sent
      if case .upload(_, let count) = record.kind { own.expectedToSend = max(0, count) }
    }
    showProgress()
  }
}
