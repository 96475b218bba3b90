import Clocks
import Downloading
import Foundation
import FoundationNetworking
import Synchronization
import Transfer
import TransferService

/// A transfer of a default session, or a data task of any session. The connection is closed when the
/// application is suspended or terminated.
final class TaskLoad: TaskWork, Exchange.Client {
  /// The longest body in bytes that is kept in memory.
  static let longestData = 1 << 30
  /// The interval in seconds between attempts without a network.
  private static let connectivityDelay = 5.0

  struct State {
    var exchange: Exchange?
    var head: ResponseHead?
    var data = Data()
    var file: OpenFile?
    /// The number of bytes in the file. The files' worker alone changes it.
    var stored: Int64 = 0
    /// The resumption of the stored bytes, kept also after its response; nil if the download starts with the first byte.
    var resumption: Resumption?
    /// The resumption whose stored bytes are compared with the body of `exchange`; nil if the body does not continue
    /// stored bytes. Set by the head of the response, and kept after the comparison. After the head only the worker
    /// for files changes it.
    var comparison: Resumption?
    var deadline: Alarms.ID?
    var retry: Alarms.ID?
    var hasToldWaiting = false
    /// Whether the files' worker stores cookies of the response before the task receives it.
    var storesCookies = false
    /// The stored response that the server validates; nil if none.
    var validating: CacheEntry?
    /// The response to be stored, with its body so far; nil if it is not stored.
    var storing: CacheEntry?
    /// The connections of earlier exchanges.
    var transactions: [Transaction] = []
    var isHeld = false
    /// Whether the connection was closed because the application was suspended.
    var isLost = false
    /// Whether the task needs no connection, because its response is complete or comes from the cache.
    var isComplete = false
    var isOver = false
    /// Whether the load is over with an error, which may have resume data for the file.
    var hasFailed = false
  }

  let task: URLSessionTask
  let core: SessionCore
  let state = Mutex(State())

  init(_ task: URLSessionTask) {
    self.task = task
    core = task.session.core
  }

  var clock: any HostClock { core.networking.alarms.clock }
  var url: URL? { task.currentRequest?.url }

  func resume() {
    let (exchange, isNew) = state.withLock { state in
      let isNew = !state.isHeld && state.exchange == nil && state.deadline == nil
      state.isHeld = false
      return (state.exchange, isNew)
    }
    exchange?.setHeld(false)
    guard isNew else { return }
    let due = clock.now.advanced(bySeconds: core.values.timeoutIntervalForResource)
    let alarm = core.networking.alarms.set(at: due) { [weak self] in
      guard let self else { return }
      finish(.of(.timedOut, url, "it takes longer than it may", resumeData: resumeData))
    }
    state.withLock { $0.deadline = alarm }
    core.admit(self)
    // If the load has ended already, `finish` may have been too early to cancel the alarm and release the
    // load.
    guard state.withLock({ $0.isOver }) else { return }
    core.networking.alarms.cancel(alarm)
    core.release(self)
  }

  func suspend() {
    let exchange = state.withLock { state in
      state.isHeld = true
      return state.exchange
    }
    exchange?.setHeld(true)
  }

  func describe(_ text: String?) {}

  func cancel(producing handler: (@Sendable (Data?) -> Void)?) {
    state.withLock { $0.exchange }?.cancel()
    // Without a handler for the resume data, `finish` removes the partial file.
    let data = handler == nil ? nil : resumeData
    if let handler { core.post { handler(data) } }
    finish(.cancelled(url, resumeData: data))
  }

  /// Starts the load. To be called once the host has a free connection.
  func begin() {
    let source = (task as? URLSessionUploadTask)?.source
    if case .stream? = source, task.currentRequest?.httpBodyStream == nil { return askForStream() }
    // The file is opened or examined, or the stream read, before the request can be sent.
    var usesFile = task is URLSessionDownloadTask || LocalContent.isMeant(by: url)
    if case .file? = source { usesFile = true }
    if usesFile || task.currentRequest?.httpBodyStream != nil {
      core.networking.files.add { [self] in prepare() }
    } else if let cache, cache.diskCapacity > 0 {
      core.networking.cacheFiles.add { [self] in prepare() }
    } else {
      prepare()
    }
  }

  /// Delivers local or cached content, or else creates the request and sends it. Fails the task on an error. Blocks on
  /// the disk if the task uses a file or a cache on the disk, and on a body stream.
  func prepare() {
    guard state.withLock({ !$0.isOver && !$0.isLost }) else { return }
    do {
      if let url, !(task is URLSessionUploadTask), let content = try LocalContent(url) {
        return try deliver(content, as: content.response(for: url))
      }
      var request = try task.makeRequest()
      if try consult(cache, for: &request) { return }
      if let download = task as? URLSessionDownloadTask { try open(download, &request) }
      start(request)
    } catch {
      finish(error as? URLError ?? .of(.unknown, url, "\(error)"))
    }
  }

  func start(_ request: TransferRequest) {
    var request = request
    request.check = core.challenges.check(of: request.url, for: task)
    let exchange = Exchange(
      request, transport: core.networking.transport, alarms: core.networking.alarms, timeout: timeout,
      client: self)
    let (old, mayStart, isHeld) = state.withLock { state in
      let (old, mayStart) = (state.exchange, !state.isOver && !state.isLost)
      if mayStart { state.exchange = exchange }
      return (old, mayStart, state.isHeld)
    }
    guard mayStart else { return }
    if let transactions = old?.transactions {
      state.withLock { $0.transactions = ($0.transactions + transactions).suffix(Exchange.longestRecord) }
    }
    if isHeld {
      exchange.setHeld(true)
      // The task may have been resumed in between.
      if !state.withLock({ $0.isHeld }) { exchange.setHeld(false) }
    }
    exchange.start()
  }

  /// The timeout in seconds: the request's if assigned, or else the session's.
  private var timeout: Double { task.currentRequest?.ownTimeout ?? core.values.timeoutIntervalForRequest }

  // MARK: Exchange.Client

  func exchange(_ exchange: Exchange, redirectedBy head: ResponseHead, to next: TransferRequest) {
    invalidate(exchange.request, head)
    guard task.setsCookies(head) else { return redirect(exchange, head, to: next) }
    core.networking.files.add { [self] in
      task.storeCookies(of: head)
      redirect(exchange, head, to: next)
    }
  }

  private func redirect(_ exchange: Exchange, _ head: ResponseHead, to next: TransferRequest) {
    var next = next
    task.addCookies(to: &next)
    abandonValidation(&next)
    next.check = core.challenges.check(of: next.url, for: task)
    let request = (task.currentRequest ?? URLRequest(url: URL(fileURLWithPath: "/"))).following(next)
    let (task, planned) = (task, next)
    guard let delegate = task.taskDelegate, let response = url.flatMap({ head.response(for: $0) }) else {
      task.own.withLock { $0.current = request }
      return exchange.follow(next)
    }
    let answer: @Sendable (URLRequest?) -> Void = { [weak self] chosen in
      guard let self, let chosen else { return exchange.proceed() }
      do {
        // If the delegate leaves the request unchanged, send the one derived from the redirect. FoundationNetworking
        // does not compare header fields (Swift 6.3).
        let isSame = chosen == request && chosen.allHTTPHeaderFields == request.allHTTPHeaderFields
        // A redirect to another server drops secrets, also those of the session.
        let additional = (core.values.httpAdditionalHeaders ?? [:]).filter { planned.fields[$0.key] != nil }
        var following = isSame ? planned : try TransferRequest(chosen, additional: additional)
        following.body = following.body ?? planned.body
        following.reach = planned.reach
        task.own.withLock { $0.current = chosen }
        following.check = core.challenges.check(of: following.url, for: task)
        if !isSame { task.addCookies(to: &following) }
        exchange.follow(following)
      } catch {
        finish(error as? URLError ?? .of(.unknown, url, "\(error)"))
      }
    }
    core.post {
      delegate.urlSession(
        task.session, task: task, willPerformHTTPRedirection: response, newRequest: request,
        completionHandler: once(answer))
    }
  }

  func exchange(_ exchange: Exchange, answered head: ResponseHead) -> TransferDemand {
    guard task.setsCookies(head) else { return answer(exchange, head) }
    state.withLock { $0.storesCookies = true }
    core.networking.files.add { [self] in
      task.storeCookies(of: head)
      if answer(exchange, head) == .more { exchange.proceed() }
    }
    return .pause
  }

  private func answer(_ exchange: Exchange, _ head: ResponseHead) -> TransferDemand {
    guard state.withLock({ $0.exchange === exchange && !$0.isOver }) else { return .pause }
    let response = url.flatMap { head.response(for: $0) }
    invalidate(exchange.request, head)
    if task is URLSessionDownloadTask { return answerDownload(exchange, head, response) }
    state.withLock { $0.head = head }
    if let entry = validated(by: head) {
      return deliver(entry) { exchange.proceed() } ? .pause : .more
    }
    prepareToStore(head, of: exchange.request)
    task.own.withLock { own in
      own.response = response
      own.expectedToReceive = head.contentLength ?? NSURLSessionTransferSizeUnknown
    }
    task.showProgress()
    guard let response, ask(about: response, then: { exchange.proceed() }) else { return .more }
    return .pause
  }

  /// Asks the delegate about the response; `proceed` is called once the delegate allows it. Returns false if
  /// no delegate receives responses.
  func ask(about response: URLResponse, then proceed: @escaping @Sendable () -> Void) -> Bool {
    guard case .delegate = task.receiver, let delegate = task.taskDelegate as? any URLSessionDataDelegate,
      let task = task as? URLSessionDataTask
    else { return false }
    let answer: @Sendable (URLSession.ResponseDisposition) -> Void = { [weak self] in
      switch $0 {
      case .allow: proceed()
      case .cancel: self?.finish(.cancelled(self?.url))
      }
    }
    core.post {
      delegate.urlSession(
        task.session, dataTask: task, didReceive: response, completionHandler: once(answer))
    }
    return true
  }

  func exchange(_ exchange: Exchange, brought bytes: [UInt8]) -> TransferDemand {
    if task is URLSessionDownloadTask { return store(exchange, bytes) }
    task.own.withLock { $0.received += Int64(bytes.count) }
    task.showProgress()
    keepForCache(bytes)
    switch task.receiver {
    case .data:
      let count = state.withLock { state in
        state.data.append(contentsOf: bytes)
        return state.data.count
      }
      guard count > Self.longestData else { return .more }
      finish(tooLong)
      return .pause
    case .delegate, .file:
      guard let delegate = task.taskDelegate as? any URLSessionDataDelegate,
        let task = task as? URLSessionDataTask
      else { return .more }
      let demand = exchange.enqueued(bytes.count)
      core.post {
        delegate.urlSession(task.session, dataTask: task, didReceive: Data(bytes))
        exchange.consumed(bytes.count)
      }
      return demand
    }
  }

  var tooLong: URLError {
    .of(.dataLengthExceedsMaximum, url, "the response is longer than 1 GiB: use a download task")
  }

  func exchange(_ exchange: Exchange, sent count: Int64) {
    task.own.withLock { $0.sent = count }
    task.showProgress()
    task.reportSent()
  }

  func exchange(_ exchange: Exchange, endedWith failure: TransferFailure?) {
    guard task is URLSessionDownloadTask || state.withLock({ $0.storesCookies }) else {
      return end(exchange, failure)
    }
    // The end is processed after the pending writes.
    core.networking.files.add { [self] in end(exchange, failure) }
  }

  private func end(_ exchange: Exchange, _ failure: TransferFailure?) {
    guard state.withLock({ $0.exchange === exchange }) else { return }
    guard let failure else { return storeAndFinish() }
    // Without a network, host names are not resolved.
    let isOffline = failure.kind == .offline || failure.kind == .hostUnresolved
    if core.values.waitsForConnectivity, isOffline, state.withLock({ $0.head }) == nil {
      return waitForConnectivity(exchange)
    }
    finish(.of(failure, url, resumeData: resumeData))
  }

  private func waitForConnectivity(_ exchange: Exchange) {
    let request = exchange.request
    let alarms = core.networking.alarms
    let alarm = alarms.set(at: clock.now.advanced(bySeconds: Self.connectivityDelay)) { [weak self] in
      guard let self, !state.withLock({ $0.isOver || $0.isLost }) else { return }
      start(request)
    }
    let isFirst = state.withLock { state in
      defer { state.hasToldWaiting = true }
      state.retry = alarm
      return !state.hasToldWaiting
    }
    guard isFirst, let delegate = task.taskDelegate else { return }
    let task = task
    core.post { delegate.urlSession(task.session, taskIsWaitingForConnectivity: task) }
  }

  /// Ends the task; with an error, cancels the connection.
  func finish(_ error: URLError?) {
    let (alarms, useless, running) = state.withLock { state -> ([Alarms.ID?]?, OpenFile?, Exchange?) in
      guard !state.isOver else { return (nil, nil, nil) }
      state.isOver = true
      state.hasFailed = error != nil
      // A partial file without resume data is useless.
      let isUseless = error != nil && error?.downloadTaskResumeData == nil
      return (
        [state.deadline, state.retry], isUseless ? state.file : nil, error == nil ? nil : state.exchange
      )
    }
    guard let alarms else { return }
    running?.cancel()
    for alarm in alarms { core.networking.alarms.cancel(alarm) }
    // Removed here and not in the posted call, which is not made if the application ends first.
    if let useless { remove(useless.path) }
    task.reportWritten(isLimited: false)
    core.release(self)
    let task = task
    core.post { [self] in
      let (data, file, exchange, earlier) = state.withLock { state in
        (state.data, state.file.take(), state.exchange.take(), state.transactions)
      }
      task.complete(
        error, data: data, file: file.map { URL(fileURLWithPath: $0.path) }, task.taskDelegate,
        (earlier + (exchange?.transactions ?? [])).suffix(Exchange.longestRecord))
      core.remove(task)
    }
  }

  // MARK: Application life cycle

  /// Closes the connection because the application is suspended. To be called for loads that have begun.
  func freeze() {
    // A `file` or `data` URL needs no connection and is read to its end. The end is reported when the
    // application resumes.
    guard !LocalContent.isMeant(by: url) else { return }
    let (exchange, retry) = state.withLock { state -> (Exchange?, Alarms.ID?) in
      guard !state.isOver, !state.isComplete else { return (nil, state.retry) }
      state.isLost = true
      return (state.exchange, state.retry)
    }
    core.networking.alarms.cancel(retry)
    exchange?.cancel()
  }

  /// Fails the task if its connection was closed by a suspension.
  func thaw() {
    guard state.withLock({ $0.isLost && !$0.isOver }) else { return }
    let code: URLError.Code =
      core.values.identifier == nil ? .networkConnectionLost : .backgroundSessionWasDisconnected
    finish(.of(code, url, "the connection was lost", resumeData: resumeData))
  }

  /// Cancels the transfer because the application has ended. Removes the file, also a complete one that was
  /// not delivered, unless the application may have kept resume data for it.
  func drop() {
    let (exchange, alarms, useless) = state.withLock { state in
      state.isOver = true
      let isKept = state.hasFailed || state.resumption != nil
      // Release the exchange, because it retains its client.
      return (state.exchange.take(), [state.deadline, state.retry], isKept ? nil : state.file.take())
    }
    for alarm in alarms { core.networking.alarms.cancel(alarm) }
    exchange?.cancel()
    if let useless { remove(useless.path) }
  }
}
