public import Foundation
public import FoundationNetworking
import Synchronization

/// A transfer of a session. It is made by the session, and begins with `resume()`. Any thread; nothing blocks.
open class URLSessionTask: NSObject, @unchecked Sendable {
  // Unchecked: an open class cannot be checked. What it has is never changed, or behind a lock.

  /// Where a task is.
  public enum State: Int, Hashable, Sendable {
    /// It runs, or waits for a network.
    case running = 0
    /// It has not begun, or stands still.
    case suspended = 1
    /// It was cancelled, and its last message is on its way.
    case canceling = 2
    /// It is done.
    case completed = 3
  }

  /// What is done with the answer.
  enum Receiver: Sendable {
    /// The delegates are told.
    case delegate
    /// The whole is handed over.
    case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    /// The file is handed over. Whether it is removed when the handler returns.
    case file(isRemoved: Bool, @Sendable (URL?, URLResponse?, (any Error)?) -> Void)
  }

  struct Own: @unchecked Sendable {
    // Unchecked: URLRequest, URLResponse and errors are values, or never changed.
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
    var clientExpectsToSend = NSURLSessionTransferSizeUnknown
    var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    var delegate: (any URLSessionTaskDelegate)?
    var work: (any TaskWork)?
  }

  /// A number that no other task of the session has.
  public let taskIdentifier: Int
  /// How far it is, in bytes of the request's body and of the answer's. Cancelling it cancels the task.
  public let progress: Progress
  /// The session that made it.
  let session: URLSession
  let receiver: Receiver
  let own: Mutex<Own>
  /// The host of the first request; empty if it has none.
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
    super.init()
    progress.cancellationHandler = { [weak self] in self?.cancel() }
  }

  /// What was asked for at first; nil for a download that was made from resume data which cannot be read.
  open var originalRequest: URLRequest? { own.withLock { $0.original } }
  /// What is asked for at present: another one after redirects.
  open var currentRequest: URLRequest? { own.withLock { $0.current } }
  /// The head of the answer; nil before it has come.
  open var response: URLResponse? { own.withLock { $0.response } }
  /// Why it failed; nil before, and if it has not.
  open var error: (any Error)? { own.withLock { $0.error } }
  /// Where it is.
  open var state: State { own.withLock { $0.state } }

  /// Is told of this task in place of the session's delegate, until it is done. Kept until then.
  open var delegate: (any URLSessionTaskDelegate)? {
    get { own.withLock { $0.delegate } }
    set {
      // The one before may end with this, and ask the task something.
      let old = own.withLock { own in
        defer { own.delegate = newValue }
        return own.delegate
      }
      withExtendedLifetime(old) {}
    }
  }

  /// The application's own words for it, which a background session keeps; at most 64 KiB are kept over a launch.
  open var taskDescription: String? {
    get { own.withLock { $0.taskDescription } }
    set {
      own.withLock { $0.taskDescription = newValue }
      own.withLock { $0.work }?.describe(newValue)
    }
  }

  /// Which of several waiting tasks begins first, from 0 to 1.
  open var priority: Float {
    get { own.withLock { $0.priority } }
    set { own.withLock { $0.priority = min(max(newValue, 0), 1) } }
  }

  /// Before which a task of a background session does not begin, if it is set before the first `resume()`.
  open var earliestBeginDate: Date? {
    get { own.withLock { $0.earliestBeginDate } }
    set { own.withLock { $0.earliestBeginDate = newValue } }
  }

  /// Bytes of the body that have come.
  open var countOfBytesReceived: Int64 { own.withLock { $0.received } }
  /// Bytes of the body that will have come; `NSURLSessionTransferSizeUnknown` if that is not known.
  open var countOfBytesExpectedToReceive: Int64 { own.withLock { $0.expectedToReceive } }
  /// Bytes of the request's body that were sent.
  open var countOfBytesSent: Int64 { own.withLock { $0.sent } }
  /// Bytes of the request's body.
  open var countOfBytesExpectedToSend: Int64 { own.withLock { $0.expectedToSend } }

  /// Kept, and has no effect.
  open var countOfBytesClientExpectsToSend: Int64 {
    get { own.withLock { $0.clientExpectsToSend } }
    set { own.withLock { $0.clientExpectsToSend = newValue } }
  }

  /// Kept, and has no effect.
  open var countOfBytesClientExpectsToReceive: Int64 {
    get { own.withLock { $0.clientExpectsToReceive } }
    set { own.withLock { $0.clientExpectsToReceive = newValue } }
  }

  /// Begins, or goes on after `suspend()`: as often as that was called. Without effect on a task that is done.
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

  /// Stands still: nothing is read from the connection, which the server may end meanwhile.
  open func suspend() {
    let work = own.withLock { own -> (any TaskWork)? in
      guard own.state == .running || own.state == .suspended else { return nil }
      own.suspensions += 1
      defer { own.state = .suspended }
      return own.state == .running ? own.work : nil
    }
    work?.suspend()
  }

  /// Ends it with the error `cancelled`. Without effect on a task that is done.
  open func cancel() { cancel(producing: nil) }

  /// - Parameter handler: gets what a download can be gone on with, on the delegate queue.
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

  /// Makes what carries it out, unless it is there or the task is done. Not under the lock: what is made reads the task.
  private func makeWork() {
    let isMissing = own.withLock { $0.work == nil && ($0.state == .suspended || $0.state == .running) }
    guard isMissing else { return }
    let made = session.core.makeWork(for: self)
    own.withLock { own in
      if own.work == nil, own.state == .suspended || own.state == .running { own.work = made }
    }
  }

  /// For tasks that can wait.
  public static let lowPriority: Float = 0.25
  /// The priority of new tasks.
  public static let defaultPriority: Float = 0.5
  /// For tasks that cannot wait.
  public static let highPriority: Float = 0.75
}

/// A task whose answer comes as data.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that sends a body; its answer comes as data.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
  /// What is sent beside the request: a file, or bytes.
  let source: Source

  enum Source: Sendable {
    case file(URL)
    case data(Data)
  }

  init(_ session: URLSession, id: Int, request: URLRequest?, source: Source, receiver: Receiver) {
    self.source = source
    super.init(session, id: id, request: request, receiver: receiver)
  }
}

/// A task whose answer comes as a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
  /// What it goes on with.
  let resumeData: ResumeData?
  /// Whether it was to go on with something that cannot be read.
  let isInvalid: Bool

  init(
    _ session: URLSession, id: Int, request: URLRequest?, resumeData: ResumeData? = nil,
    isInvalid: Bool = false,
    receiver: Receiver
  ) {
    self.resumeData = resumeData
    self.isInvalid = isInvalid
    super.init(session, id: id, request: request, receiver: receiver)
  }

  /// Ends it with the error `cancelled`, and hands over what another task can go on with: nil unless it is a `GET` whose
  /// answer has an ETag or a date of change, from a server with ranges. On the delegate queue.
  open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    cancel(producing: completionHandler)
  }

  /// Ends it with the error `cancelled`, and returns what another task can go on with.
  open func cancelByProducingResumeData() async -> Data? {
    await withUnsafeContinuation { continuation in
      cancel(producing: { continuation.resume(returning: $0) })
    }
  }
}

/// What carries a task out. Any thread; nothing blocks.
protocol TaskWork: AnyObject, Sendable {
  /// The task begins or goes on.
  func resume()
  /// The task stands still.
  func suspend()
  /// The task ends with the error `cancelled`; `handler` gets what it can be gone on with.
  func cancel(producing handler: (@Sendable (Data?) -> Void)?)
  /// The application describes the task.
  func describe(_ text: String?)
}
