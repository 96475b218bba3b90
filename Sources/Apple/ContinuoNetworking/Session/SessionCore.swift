import Clocks
import Foundation
import FoundationNetworking
import Synchronization
import Transfer
import TransferService

/// The state of a session, shared by several `URLSession` objects of one background session.
final class SessionCore: Sendable {
  private struct State {
    var delegate: (any URLSessionDelegate)?
    var tasks: [Int: URLSessionTask] = [:]
    var lastID = 0
    var isInvalid = false
    var hasToldInvalid = false
    var loads = LoadQueue()
    /// Whether the application is suspended, so that no load starts.
    var isSuspended = false
    weak var session: URLSession?
    /// A strong reference to `session`, while the device may have events for a background session.
    var kept: URLSession?
  }

  /// The service of a background session; nil for other sessions, and if it cannot be opened.
  let transfers: (any TransferService)?
  /// The error of the tasks of a background session without a service.
  let failure: URLError?

  let values: URLSessionConfiguration.Values
  let networking: DeviceNetworking
  let delegateQueue: OperationQueue
  let challenges = Challenges()
  private let mailbox: Mailbox
  private let state = Mutex(State())

  init(
    _ values: URLSessionConfiguration.Values, on networking: DeviceNetworking,
    transfers: Result<any TransferService, URLError>?, delegate: (any URLSessionDelegate)?,
    delegateQueue: OperationQueue?
  ) {
    self.values = values
    switch transfers {
    case .success(let service)?: (self.transfers, failure) = (service, nil)
    case .failure(let error)?: (self.transfers, failure) = (nil, error)
    case nil: (self.transfers, failure) = (nil, nil)
    }
    self.networking = networking
    if let delegateQueue {
      self.delegateQueue = delegateQueue
    } else {
      self.delegateQueue = OperationQueue()
      self.delegateQueue.maxConcurrentOperationCount = 1
      self.delegateQueue.name = "URLSession"
    }
    mailbox = networking.makeMailbox(self.delegateQueue)
    state.withLock { $0.delegate = delegate }
  }

  /// Sets the session object. For a background session, also recreates the tasks from the device's records, and becomes
  /// the receiver of the service's events.
  func restore(_ session: URLSession) {
    self.session = session
    guard let transfers, let identifier = values.identifier else { return }
    state.withLock { $0.kept = session }
    for record in transfers.records(of: identifier) { _ = task(for: record) }
    transfers.setClient(self, of: identifier)
  }

  /// Connects a background session to its service, which then delivers pending and later events. To be called after
  /// `restore`.
  func connect() {
    guard let identifier = values.identifier else { return }
    transfers?.perform(
      .connect(session: identifier, sendsLaunchEvents: values.sessionSendsLaunchEvents))
    if delegate?.judgeOfDelays == nil { transfers?.perform(.startUnasked(session: identifier)) }
  }

  /// Returns the task for a record of the device, creating it if needed; nil if the session no longer exists.
  func task(for record: TaskRecord) -> URLSessionTask? {
    if let task = state.withLock({ $0.tasks[record.task] }) { return task }
    guard let session, let transfers else { return nil }
    let task =
      switch record.kind {
      case .download:
        URLSessionDownloadTask(session, id: record.task, request: record.request, receiver: .delegate)
      case .upload(let path, _):
        URLSessionUploadTask(
          session, id: record.task, request: record.request, source: .file(URL(fileURLWithPath: path)),
          receiver: .delegate)
      }
    task.take(record)
    task.own.withLock { own in
      own.taskDescription = record.taskDescription
      own.earliestBeginDate = record.earliest
      own.state = record.begun == nil ? .suspended : .running
      own.suspensions = record.begun == nil ? 1 : 0
      own.work = BackgroundWork(task, record.key, transfers)
    }
    return state.withLock { state in
      state.lastID = max(state.lastID, record.task)
      let present = state.tasks[record.task] ?? task
      state.tasks[record.task] = present
      return present
    }
  }

  var delegate: (any URLSessionDelegate)? { state.withLock { $0.delegate } }

  /// The object to pass to delegates; nil if the application has released it.
  var session: URLSession? {
    get { state.withLock { $0.session } }
    set { state.withLock { $0.session = newValue } }
  }

  /// Enqueues a call into the application on the delegate queue. Calls are made in order, and not during a suspension.
  func post(_ call: @escaping @Sendable () -> Void) { mailbox.post(call) }

  // MARK: Tasks

  /// The unfinished tasks, in creation order.
  var tasks: [URLSessionTask] {
    state.withLock { $0.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier } }
  }

  var kinds: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    let tasks = tasks
    return (
      tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask },
      tasks.compactMap { $0 as? URLSessionUploadTask }, tasks.compactMap { $0 as? URLSessionDownloadTask }
    )
  }

  func add<Task: URLSessionTask>(_ make: (Int) -> Task) -> Task {
    let id = state.withLock { state in
      precondition(!state.isInvalid, "Task created in a session that has been invalidated")
      state.lastID += 1
      return state.lastID
    }
    let task = make(id)
    state.withLock { $0.tasks[id] = task }
    return task
  }

  func makeWork(for task: URLSessionTask) -> any TaskWork {
    // The device carries out only downloads and uploads in the background.
    let isOwn = !(task is URLSessionDownloadTask || task is URLSessionUploadTask)
    guard let identifier = values.identifier, !isOwn else { return TaskLoad(task) }
    return BackgroundWork(task, TransferKey(session: identifier, task: task.taskIdentifier), transfers)
  }

  func remove(_ task: URLSessionTask) {
    state.withLock { $0.tasks[task.taskIdentifier] = nil }
    tellInvalid()
  }

  // MARK: Connections

  /// Enqueues a load, which starts as soon as its host has a free connection.
  func admit(_ load: TaskLoad) {
    state.withLock { $0.loads.add(load) }
    beginNext()
  }

  /// Removes a load that has ended, and starts the next one.
  func release(_ load: TaskLoad) {
    state.withLock { $0.loads.remove(load) }
    beginNext()
  }

  private func beginNext() {
    let limit = values.httpMaximumConnectionsPerHost
    while let next = state.withLock({ $0.isSuspended ? nil : $0.loads.next(limit: limit) }) { next.begin() }
  }

  // MARK: Invalidation

  /// Refuses further tasks. After the last task, notifies the delegate and releases it.
  func invalidate(cancelling: Bool) {
    state.withLock { $0.isInvalid = true }
    if cancelling { for task in tasks { task.cancel() } }
    tellInvalid()
  }

  private func tellInvalid() {
    let isDue = state.withLock { state in
      guard state.isInvalid, !state.hasToldInvalid, state.tasks.isEmpty else { return false }
      state.hasToldInvalid = true
      return true
    }
    guard isDue else { return }
    let session = session
    if let identifier = values.identifier { transfers?.perform(.disconnect(session: identifier)) }
    post { [self] in
      state.withLock { $0.kept = nil }
      if let session { delegate?.urlSession(session, didBecomeInvalidWithError: nil) }
      let old = state.withLock { $0.delegate.take() }
      withExtendedLifetime(old) {}
    }
  }

  // MARK: Application life cycle

  func suspend() {
    mailbox.setStopped(true)
    let begun = state.withLock { state in
      state.isSuspended = true
      return state.loads.begun
    }
    for load in begun { load.freeze() }
  }

  /// Waits until the application's call in progress on another thread has returned, at most until `deadline`.
  func awaitCall(until deadline: HostTime) { mailbox.awaitCall(until: deadline) }

  func resume() {
    mailbox.setStopped(false)
    let loads = state.withLock { state in
      state.isSuspended = false
      return state.loads.all
    }
    for load in loads.sorted(by: { $0.task.taskIdentifier < $1.task.taskIdentifier }) { load.thaw() }
    beginNext()
  }

  func terminate() {
    mailbox.close()
    let (loads, tasks, delegate) = state.withLock { state in
      defer {
        state.kept = nil
        state.tasks = [:]
        state.loads = LoadQueue()
        state.delegate = nil
        state.isInvalid = true
        state.hasToldInvalid = true
      }
      return (state.loads, state.tasks, state.delegate)
    }
    // Includes tasks that have ended, but whose end was not delivered.
    for task in tasks.values { (task.own.withLock { $0.work } as? TaskLoad)?.drop() }
    withExtendedLifetime((loads, tasks, delegate)) {}
  }
}

extension SessionCore: TransferClient {
  func progressed(_ record: TaskRecord) {
    guard let task = task(for: record) else { return }
    task.take(record)
    // The service limits the rate of reports.
    if task is URLSessionDownloadTask {
      task.reportWritten(isLimited: false)
    } else {
      task.reportSent(isLimited: false)
    }
  }

  func resumed(_ record: TaskRecord, at offset: Int64) {
    task(for: record)?.reportResumed(at: offset, of: record.expected)
  }

  func ended(_ record: TaskRecord, file: String) {
    guard let task = task(for: record), let transfers else { return }
    task.take(record)
    if record.outcome?.code == nil { task.reportWritten(isLimited: false) }
    task.reportSent(isLimited: false)
    networking.ends.add { [self] in
      for answer in (record.redirects ?? []) + [record.answer].compactMap(\.self) {
        guard let url = URL(string: answer.url), task.setsCookies(answer.head, from: url) else { continue }
        task.storeCookies(of: answer.head, from: url)
      }
      let file = handedOver(record, file)
      post { [self] in
        let delegate = task.taskDelegate
        if let body = record.answer?.body, !body.isEmpty, let dataTask = task as? URLSessionDataTask {
          (delegate as? any URLSessionDataDelegate)?.urlSession(
            task.session, dataTask: dataTask, didReceive: body)
        }
        task.complete(record.error, data: Data(), file: file, delegate)
        remove(task)
        transfers.perform(.heard(record.key))
      }
    }
  }

  /// Returns the downloaded file for the delegate; nil for an upload or a failed task. Also nil if an earlier
  /// process delivered the file and exited before the task's end. Blocks on the disk.
  private func handedOver(_ record: TaskRecord, _ file: String) -> URL? {
    guard case .download = record.kind, record.outcome?.code == nil else { return nil }
    if !FileManager.default.fileExists(atPath: file) {
      guard let status = record.answer?.status, !(200..<300).contains(status) else { return nil }
      // An unsuccessful response has no file: hand over an empty one.
      _ = FileManager.default.createFile(atPath: file, contents: nil)
    }
    return URL(fileURLWithPath: file)
  }

  func challenged(_ record: TaskRecord, failures: Int) {
    guard let task = task(for: record), let transfers else { return }
    let key = record.key
    guard let answer = record.answer, let url = URL(string: answer.url) else {
      return transfers.perform(.refuse(key, isCancelled: false))
    }
    let challenge = URLAuthenticationChallenge(url, answer.head, failures: failures)
    challenges.ask(about: challenge, for: task) { disposition, credential in
      switch (disposition, credential) {
      case (.useCredential, let credential?):
        let credentials = credential.credentials
        transfers.perform(.authenticate(key, user: credentials.user, password: credentials.password))
      default:
        transfers.perform(.refuse(key, isCancelled: disposition == .cancelAuthenticationChallenge))
      }
    }
  }

  func finishEvents() {
    // Uses the worker of the tasks' ends, so that those are reported first.
    networking.ends.add { [self] in
      post { [self] in
        guard let session else { return }
        delegate?.urlSessionDidFinishEvents(forBackgroundURLSession: session)
      }
    }
  }
}
