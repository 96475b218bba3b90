import AppLifecycle
public import Foundation
public import FoundationNetworking
import Synchronization

/// Makes transfers over http and https.
///
/// It belongs to the device that is `Device.current` when it is made. Delegates and completion handlers are called on the
/// delegate queue, one at a time, and never while the application is suspended; in virtual time on the main queue. Any thread;
/// nothing blocks, but the first background session of a device while what an earlier process has left is read.
open class URLSession: NSObject, @unchecked Sendable {
  // Unchecked: an open class cannot be checked. What it has is never changed, or behind a lock.
  let core: SessionCore
  private let isShared: Bool
  private let words = Mutex<String?>(nil)

  /// A session without delegate for whoever needs nothing else, one for the device.
  open class var shared: URLSession { Device.current.networking.shared }

  /// A session without delegate.
  public convenience init(configuration: URLSessionConfiguration) {
    self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
  }

  /// A session whose tasks without completion handler tell `delegate`.
  ///
  /// - Parameters:
  ///   - configuration: how it works; copied.
  ///   - delegate: is told what happens; kept until the session is invalidated.
  ///   - queue: where delegate and completion handlers are called; a serial queue of the session's own if there is none.
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
    // One at a time: of two with one name the second is the first, and finds the tasks of before.
    networking.beginTurn()
    let transfers = networking.openTransfers()
    if let present = transfers?.client(of: identifier) as? SessionCore {
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

  /// Where delegate and completion handlers are called.
  open var delegateQueue: OperationQueue { core.delegateQueue }

  /// Is told what happens; nil after the session was invalidated.
  open var delegate: (any URLSessionDelegate)? { core.delegate }

  /// A copy of what the session was made with.
  open var configuration: URLSessionConfiguration { URLSessionConfiguration(core.values) }

  /// The application's own words for it.
  open var sessionDescription: String? {
    get { words.withLock { $0 } }
    set { words.withLock { $0 = newValue } }
  }

  // MARK: The end

  /// Makes no further tasks; those that there are go on. Then the delegate is told and let go of. A session with a delegate
  /// should be invalidated when it is of no more use. Without effect on the one that all share.
  open func finishTasksAndInvalidate() { if !isShared { core.invalidate(cancelling: false) } }

  /// The same, and cancels all tasks.
  open func invalidateAndCancel() { if !isShared { core.invalidate(cancelling: true) } }

  /// Nothing is kept that could be reset. Calls `completionHandler` on the delegate queue.
  open func reset(completionHandler: @escaping @Sendable () -> Void) { core.post(completionHandler) }

  /// Nothing is kept that could be written out. Calls `completionHandler` on the delegate queue.
  open func flush(completionHandler: @escaping @Sendable () -> Void) { core.post(completionHandler) }

  /// Nothing is kept that could be reset.
  public func reset() async {}

  /// Nothing is kept that could be written out.
  public func flush() async {}

  // MARK: Tasks

  /// Hands over the tasks that are not done, by kind, in the order in which they were made.
  open func getTasksWithCompletionHandler(
    _ completionHandler:
      @escaping @Sendable (
        [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
      ) -> Void
  ) {
    core.post { [core] in
      let kinds = core.kinds
      completionHandler(kinds.0, kinds.1, kinds.2)
    }
  }

  /// Hands over the tasks that are not done, in the order in which they were made.
  open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
    core.post { [core] in completionHandler(core.tasks) }
  }

  /// The tasks that are not done, in the order in which they were made.
  public var allTasks: [URLSessionTask] {
    get async { core.tasks }
  }

  /// The tasks that are not done, by kind.
  public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    get async { core.kinds }
  }

  /// A task that gets what is at `url`, for the delegate.
  open func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

  /// A task that makes `request`, for the delegate.
  open func dataTask(with request: URLRequest) -> URLSessionDataTask { makeData(request, .delegate) }

  /// A task that gets what is at `url` and hands it over.
  open func dataTask(
    with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// A task that makes `request` and hands the answer over.
  open func dataTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask { makeData(request, .data(completionHandler)) }

  /// A task that sends a file, which must stay as it is until it is sent. Without it the task fails with `fileDoesNotExist`.
  open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
    makeUpload(request, .file(fileURL), .delegate)
  }

  /// A task that sends bytes.
  open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    makeUpload(request, .data(bodyData), .delegate)
  }

  /// A task that sends a file and hands the answer over.
  open func uploadTask(
    with request: URLRequest, fromFile fileURL: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask { makeUpload(request, .file(fileURL), .data(completionHandler)) }

  /// A task that sends bytes and hands the answer over.
  open func uploadTask(
    with request: URLRequest, from bodyData: Data?,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask { makeUpload(request, .data(bodyData ?? Data()), .data(completionHandler)) }

  /// A task that downloads what is at `url` into a file, for the delegate.
  open func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

  /// A task that downloads the answer to `request` into a file, for the delegate.
  open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
    makeDownload(request, nil, .delegate)
  }

  /// A task that goes on with a download that was cancelled or has failed. If the server has another version by now, or the
  /// bytes are not there any more, it begins anew. It fails with `cannotOpenFile` if the data is none of that kind.
  open func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
    makeDownload(nil, resumeData, .delegate)
  }

  /// A task that downloads what is at `url` and hands the file over, which is removed when the handler returns.
  open func downloadTask(
    with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// A task that downloads the answer to `request` and hands the file over, which is removed when the handler returns.
  open func downloadTask(
    with request: URLRequest,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask { makeDownload(request, nil, .file(isRemoved: true, completionHandler)) }

  /// A task that goes on with a download and hands the file over, which is removed when the handler returns.
  open func downloadTask(
    withResumeData resumeData: Data,
    completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask { makeDownload(nil, resumeData, .file(isRemoved: true, completionHandler)) }

  // MARK: How they are made

  func makeData(_ request: URLRequest, _ receiver: URLSessionTask.Receiver) -> URLSessionDataTask {
    check(receiver)
    precondition(core.values.identifier == nil, "Data tasks are not supported in background sessions.")
    return core.add { URLSessionDataTask(self, id: $0, request: request, receiver: receiver) }
  }

  func makeUpload(
    _ request: URLRequest, _ source: URLSessionUploadTask.Source, _ receiver: URLSessionTask.Receiver
  ) -> URLSessionUploadTask {
    check(receiver)
    if case .data = source {
      precondition(
        core.values.identifier == nil, "Upload tasks from NSData are not supported in background sessions.")
    }
    var request = request
    if request.httpMethod == nil || request.httpMethod == "GET" { request.httpMethod = "PUT" }
    let asked = request
    return core.add {
      URLSessionUploadTask(self, id: $0, request: asked, source: source, receiver: receiver)
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
