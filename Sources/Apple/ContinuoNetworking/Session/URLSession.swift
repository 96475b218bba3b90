import AppLifecycle
// `URLRequest`, `HTTPURLResponse` and the challenge types are Foundation's. Types that this module declares
// take precedence over those of the same name in FoundationNetworking, unless a file imports both modules
// (Swift 6.3).
@_exported public import Foundation
@_exported public import FoundationNetworking
import Synchronization
import TransferService

/// A session of HTTP and HTTPS transfers on the device that is `Device.current` when the session is created.
/// `file` and `data` URLs are loaded too, except by uploads and by downloads of background sessions. Delegates and
/// completion handlers are called one at a time on the delegate queue, in virtual time on the main queue. No call
/// begins while the application is suspended.
///
/// A background session accepts data tasks, downloads and uploads from files, all without a completion handler.
/// Creating any other task in such a session, or calling an `async` method that transfers, stops the program.
///
/// Thread-safe. Methods do not block, except that the creation of a device's first background session waits
/// until the records of an earlier process are read.
open class URLSession: NSObject, @unchecked Sendable {
  // Unchecked, because the class is open; its state is immutable or guarded by a lock.
  let core: SessionCore
  private let isShared: Bool
  private let words = Mutex<String?>(nil)

  /// The shared session of `Device.current`, without a delegate.
  open class var shared: URLSession { Device.current.networking.shared }

  /// Creates a session without a delegate.
  public convenience init(configuration: URLSessionConfiguration) {
    self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
  }

  /// Creates a session with a copy of the configuration. `delegate` receives the events of the tasks, and is retained
  /// until the session is invalidated. A task's completion handler receives the response and the end instead. The delegate
  /// and completion handlers are called on `queue`; nil for a serial queue of the session. If a background session with
  /// the same identifier exists, the new object shares its configuration, delegate and queue instead.
  public convenience init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    delegateQueue queue: OperationQueue?
  ) {
    self.init(
      configuration: configuration, on: Device.current.networking, delegate: delegate, delegateQueue: queue)
  }

  init(
    configuration: URLSessionConfiguration, on networking: DeviceNetworking,
    delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?, isShared: Bool = false
  ) {
    self.isShared = isShared
    let values = configuration.values
    guard let identifier = values.identifier else {
      core = SessionCore(
        values, on: networking, transfers: nil, delegate: delegate, delegateQueue: delegateQueue)
      super.init()
      core.restore(self)
      networking.add(core)
      return
    }
    // Serialized, so that a second session with the same identifier shares the core of the first one and
    // finds its tasks.
    networking.beginTurn()
    let transfers = networking.openTransfers()
    if let present = try? transfers.get().client(of: identifier) as? SessionCore {
      core = present
      super.init()
      networking.endTurn()
      return
    }
    core = SessionCore(
      values, on: networking, transfers: transfers, delegate: delegate, delegateQueue: delegateQueue)
    super.init()
    core.restore(self)
    networking.endTurn()
    networking.add(core)
    core.connect()
  }

  /// The queue on which the delegate and completion handlers are called.
  open var delegateQueue: OperationQueue { core.delegateQueue }

  /// The delegate; nil if there is none, or after the session has become invalid.
  open var delegate: (any URLSessionDelegate)? { core.delegate }

  /// A copy of the configuration.
  open var configuration: URLSessionConfiguration { URLSessionConfiguration(core.values) }

  /// A description that the application sets for its own use.
  open var sessionDescription: String? {
    get { words.withLock { $0 } }
    set { words.withLock { $0 = newValue } }
  }

  /// Notifies and releases the delegate after the existing tasks have ended. Creating another task stops the program.
  /// Call this method when a session with a delegate is no longer used. Has no effect on the shared session.
  open func finishTasksAndInvalidate() { if !isShared { core.invalidate(cancelling: false) } }

  /// Like `finishTasksAndInvalidate()`, but cancels the existing tasks.
  open func invalidateAndCancel() { if !isShared { core.invalidate(cancelling: true) } }

  /// Calls `completionHandler` on the delegate queue. Removes no cookies, credentials or stored responses.
  open func reset(completionHandler: @escaping @Sendable () -> Void) { core.post(completionHandler) }

  /// Calls `completionHandler` on the delegate queue. Has no other effect.
  open func flush(completionHandler: @escaping @Sendable () -> Void) { core.post(completionHandler) }

  /// Does nothing: cookies, credentials and stored responses are kept.
  public func reset() async {}

  /// Does nothing.
  public func flush() async {}

  /// Passes the unfinished tasks to the handler on the delegate queue, by kind and in creation order.
  open func getTasksWithCompletionHandler(
    _ completionHandler:
      @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) -> Void
  ) {
    core.post { [core] in
      let kinds = core.kinds
      completionHandler(kinds.0, kinds.1, kinds.2)
    }
  }

  /// Passes the unfinished tasks to the handler on the delegate queue, in creation order.
  open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
    core.post { [core] in completionHandler(core.tasks) }
  }

  /// The unfinished tasks, in creation order.
  public var allTasks: [URLSessionTask] {
    get async { core.tasks }
  }

  /// The unfinished tasks, by kind and in creation order.
  public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    get async { core.kinds }
  }

  /// Creates a task that requests `url` and notifies the delegate. In a background session, a suspension of
  /// the application fails the task with `backgroundSessionWasDisconnected`.
  open func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

  /// Creates a task that sends `request` and notifies the delegate.
  open func dataTask(with request: URLRequest) -> URLSessionDataTask { makeData(request, .delegate) }

  /// Creates a task that requests `url` and passes the response to the handler.
  open func dataTask(
    with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a task that sends `request` and passes the response to the handler. A response body of more than 1 GiB fails
  /// the task with `dataLengthExceedsMaximum`.
  open func dataTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask { makeData(request, .data(completionHandler)) }

  /// Creates a task that sends a file, which must not change during the upload, and notifies the delegate. If
  /// the file is missing, the task fails with `fileDoesNotExist`.
  open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
    makeUpload(request, .file(fileURL), .delegate)
  }

  /// Creates a task that sends bytes and notifies the delegate.
  open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    makeUpload(request, .data(bodyData), .delegate)
  }

  /// Creates a task that sends the body stream of the request, or else one that the delegate provides. The
  /// stream is read into memory before it is sent, at most 1 GiB.
  open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
    makeUpload(request, .stream, .delegate)
  }

  /// Creates a task that sends a file and passes the response to the handler.
  open func uploadTask(
    with request: URLRequest, fromFile fileURL: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask { makeUpload(request, .file(fileURL), .data(completionHandler)) }

  /// Creates a task that sends bytes and passes the response to the handler.
  open func uploadTask(
    with request: URLRequest, from bodyData: Data?,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask { makeUpload(request, .data(bodyData ?? Data()), .data(completionHandler)) }

  /// Creates a task that downloads `url` into a file and notifies the delegate.
  open func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

  /// Creates a task that downloads the response to `request` into a file and notifies the delegate.
  open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
    makeDownload(request, nil, .delegate)
  }

  /// Creates a task that resumes a cancelled or failed download. The download restarts if it cannot be
  /// resumed, for example because the server has another version. The task fails with `cannotOpenFile` if the
  /// data is not resume data.
  open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
    makeDownload(nil, resumeData, .delegate)
  }

  /// Creates a task that passes the downloaded file to the handler, and removes it when the handler returns.
  open func downloadTask(
    with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// Creates a task that passes the downloaded file to the handler, and removes it when the handler returns.
  open func downloadTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask { makeDownload(request, nil, .file(isRemoved: true, completionHandler)) }

  /// Creates a task that resumes a download for the handler, and removes the file when the handler returns.
  open func downloadTask(
    withResumeData resumeData: Data,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask { makeDownload(nil, resumeData, .file(isRemoved: true, completionHandler)) }

  func makeData(_ request: URLRequest, _ receiver: URLSessionTask.Receiver) -> URLSessionDataTask {
    check(receiver)
    return core.add { URLSessionDataTask(self, id: $0, request: request, receiver: receiver) }
  }

  func makeUpload(
    _ request: URLRequest, _ source: URLSessionUploadTask.Source, _ receiver: URLSessionTask.Receiver
  ) -> URLSessionUploadTask {
    check(receiver)
    switch source {
    case .file: break
    case .data:
      precondition(
        core.values.identifier == nil, "Upload tasks from NSData are not supported in background sessions.")
    case .stream:
      precondition(
        core.values.identifier == nil, "Upload tasks in background sessions must be from a file.")
    }
    return core.add {
      URLSessionUploadTask(self, id: $0, request: request, source: source, receiver: receiver)
    }
  }

  func makeDownload(
    _ request: URLRequest?, _ data: Data?, _ receiver: URLSessionTask.Receiver
  ) -> URLSessionDownloadTask {
    check(receiver)
    let resumeData = data.flatMap { ResumeData($0) }
    let asked = request ?? resumeData?.request
    return core.add {
      URLSessionDownloadTask(self, id: $0, request: asked, resumeData: resumeData, receiver: receiver)
    }
  }

  private func check(_ receiver: URLSessionTask.Receiver) {
    if case .delegate = receiver { return }
    precondition(
      core.values.identifier == nil,
      "Completion handler blocks are not supported in background sessions. Use a delegate instead.")
  }
}
