import Clocks
import Downloading
package import Foundation
import Synchronization
package import SystemSupport
package import Transfer

/// Carries out the transfers of background sessions, even while the application is suspended or has ended.
/// Records the transfers on disk for the next process. Thread-safe. Only `init`, `close` and `deinit` block
/// on the disk; workers do the other disk work.
package final class BackgroundTransfers: TransferService {
  struct State {
    var machine: TransferServiceMachine
    var commands = StepQueue<TransferServiceMachine.Command>()
    var records: [TransferKey: TaskRecord] = [:]
    var runs: [TransferKey: any TaskRun] = [:]
    /// Whether no further transfer may start.
    var isClosed = false
    var clients: [String: any TransferClient] = [:]
    /// The offsets at which downloads resumed while their session had no client.
    var resumptions: [TransferKey: Int64] = [:]
    var credentials: [TransferKey: (credentials: Credentials, scheme: Authentication)] = [:]
    /// The tasks that wait for credentials from the application. The machine counts them as ended.
    var challenges: Set<TransferKey> = []
    /// The number of refused credentials of each task.
    var failures: [TransferKey: Int] = [:]
    /// The handlers for the resume data of the downloads whose cancellation is in progress.
    var cancelled: [TransferKey: @Sendable (Data?) -> Void] = [:]
    var alarm: Alarms.ID?
    /// The time for which `alarm` is set.
    var alarmMoment: HostTime?
  }

  package var folder: String { storage.path }
  package var isIdle: Bool { true }
  let alarms: Alarms
  let transport: any HTTPTransport
  private let settings: TransferSettings
  private let wake: @Sendable (String) -> Void
  private let today: @Sendable () -> Date
  let storage: TransferFolder
  /// Runs disk jobs for the folder.
  let disk: DiskErrands
  /// Examines the files to upload, which may be on a slower disk than the folder.
  let files: DiskErrands
  private let writer: TransferRecordWriter
  let state: Mutex<State>

  /// Opens the folder, which is created if missing, and resumes the tasks of an earlier process. Blocks while the
  /// records are read. Throws `cannotCreateFile` if the folder cannot be opened, and
  /// `backgroundSessionInUseByAnotherProcess` if the folder is locked.
  ///
  /// - Parameters:
  ///   - settings: the folder, the application's state and the rules of its device.
  ///   - transport: carries out the transfers.
  ///   - alarms: the clock and its alarms.
  ///   - files: runs disk jobs for the files to upload.
  ///   - recordCalls: the system calls that write records.
  ///   - today: returns the current date.
  ///   - wake: resumes or launches the application for a session. Called on any thread, without a lock.
  package init(
    _ settings: TransferSettings, transport: any HTTPTransport, alarms: Alarms, files: DiskErrands,
    recordCalls: FileReplacement.Calls = .init(), today: @escaping @Sendable () -> Date,
    wake: @escaping @Sendable (String) -> Void
  ) throws(URLError) {
    storage = try TransferFolder(settings.folder)
    self.settings = settings
    self.transport = transport
    self.alarms = alarms
    self.wake = wake
    self.today = today
    self.files = files
    disk = DiskErrands("url-records", on: alarms.clock)
    writer = TransferRecordWriter(disk, alarms: alarms, calls: recordCalls)
    state = Mutex(
      State(
        machine: TransferServiceMachine(
          discretionaryDelay: settings.discretionaryDelay, application: settings.application ?? .front)))
    for record in TaskRecord.read(in: folder) { restore(record) }
    let date = today()
    disk.add { [storage] in storage.removeOldResumeData(at: date) }
  }

  deinit { end() }

  /// Ends all transfers and unlocks the folder for other processes. Blocks on the disk.
  package func close() {
    end()
    storage.unlock()
  }

  private func end() {
    let (runs, alarm) = state.withLock { state in
      defer { state.runs = [:] }
      state.isClosed = true
      return (state.runs, state.alarm)
    }
    alarms.cancel(alarm)
    for run in runs.values { run.end() }
    writer.retryAll()
    disk.close()
  }

  private func restore(_ record: TaskRecord) {
    var record = record
    // A file receives its name when it is complete. The earlier process ended before it recorded the
    // completion.
    if case .download = record.kind, record.outcome == nil,
      let count = TransferBody.size(of: storage.file(of: record))
    {
      (record.received, record.expected) = (count, count)
      record.outcome = TaskRecord.Outcome()
    }
    state.withLock { $0.records[record.key] = record }
    handle(.added(record.key))
    guard record.begun != nil else { return }
    handle(.resumed(record.key, wishes(of: record)))
    if record.outcome != nil { handle(.ended(record.key)) }
  }

  package func knows(_ key: TransferKey) -> Bool { state.withLock { $0.records[key] != nil } }

  package func setClient(_ client: any TransferClient, of session: String) {
    let (resumed, old) = state.withLock { state in
      let old = state.clients.updateValue(client, forKey: session)
      let resumed = state.records.values.filter { $0.session == session }.compactMap { record in
        state.resumptions.removeValue(forKey: record.key).map { (record, $0) }
      }
      return (resumed, old)
    }
    withExtendedLifetime(old) {}
    for (record, offset) in resumed { client.resumed(record, at: offset) }
  }

  package func client(of session: String) -> (any TransferClient)? { state.withLock { $0.clients[session] } }

  package func records(of session: String) -> [TaskRecord] {
    state.withLock { state in
      state.records.values.filter { $0.session == session }.sorted { $0.task < $1.task }
    }
  }

  /// The records of all sessions.
  package var records: [TaskRecord] { state.withLock { Array($0.records.values) } }

  /// Whether transfers of an application that has ended may launch it again.
  package var mayWake: Bool { state.withLock { $0.machine.mayWake } }

  package func perform(_ call: TransferCall) {
    switch call {
    case .connect(let session, let sendsLaunchEvents):
      handle(.connected(session, sendsLaunchEvents: sendsLaunchEvents))
    case .disconnect(let session): disconnect(session)
    case .add(let record, let data): add(record, resuming: data)
    case .resume(let key, let seconds, let earliest, let isDiscretionary):
      resume(key, deadlineIn: seconds, earliest: earliest, isDiscretionary: isDiscretionary)
    case .hold(let key): handle(.held(key))
    case .describe(let key, let text):
      state.withLock { $0.records[key]?.taskDescription = text }
      save(key)
    case .authenticate(let key, let user, let password):
      answer(key, Credentials(user: user, password: password))
    case .refuse(let key, let isCancelled): refuse(key, isCancelled: isCancelled)
    case .begin(let key, let request): begin(key, with: request)
    case .startUnasked(let session): handle(.startsUnasked(session))
    case .heard(let key): heard(key)
    case .application(let application): setApplication(application)
    case .launch: setApplication(isWaking ? .background : .front)
    case .told(let session): handle(.told(session))
    case .wakesLost: handle(.wakesLost)
    case .notWoken(let session): handle(.notWoken(session))
    case .quit: handle(.quit)
    case .powered: handle(.powered)
    }
  }

  private func disconnect(_ session: String) {
    let old = state.withLock { $0.clients.removeValue(forKey: session) }
    handle(.disconnected(session))
    withExtendedLifetime(old) {}
  }

  private func add(_ record: TaskRecord, resuming data: ResumeData?) {
    let key = record.key
    let isNew = state.withLock { state in
      guard state.records[key] == nil else { return false }
      state.records[key] = record
      return true
    }
    guard isNew else { return }
    handle(.added(key, isReady: data == nil))
    if let data {
      disk.add { [weak self, storage] in
        storage.adopt(data, for: record)
        self?.handle(.ready(key))
      }
    }
    save(key)
    guard case .upload = record.kind else { return }
    examine(key) { [weak self] file in
      if case .same = file { return }
      self?.take(.badFile(file), of: key)
    }
  }

  private func resume(_ key: TransferKey, deadlineIn seconds: Double, earliest: Date?, isDiscretionary: Bool)
  {
    let now = today()
    let record = state.withLock { state -> TaskRecord? in
      guard var record = state.records[key] else { return nil }
      if record.begun == nil {
        record.begun = now
        record.deadline = now.addingTimeInterval(min(seconds, 3_153_600_000))
        record.earliest = earliest
        record.isDiscretionary = isDiscretionary
        state.records[key] = record
      }
      return record
    }
    guard let record else { return }
    save(key)
    handle(.resumed(key, wishes(of: record)))
  }

  private func wishes(of record: TaskRecord) -> TransferServiceMachine.Wishes {
    let (now, today) = (alarms.clock.now, today())
    func moment(_ date: Date?) -> HostTime? {
      date.map { now.advanced(bySeconds: $0.timeIntervalSince(today)) }
    }
    return TransferServiceMachine.Wishes(
      earliest: record.outcome == nil ? moment(record.earliest) : nil,
      isDiscretionary: record.isDiscretionary, deadline: moment(record.deadline) ?? .distantFuture)
  }

  private func setApplication(_ application: TransferServiceMachine.Application) {
    if application == .gone {
      let old = state.withLock { state in
        defer { state.clients = [:] }
        return state.clients
      }
      withExtendedLifetime(old) {}
    }
    handle(.application(application))
  }

  /// Whether the device is waking the application for a session.
  private var isWaking: Bool { state.withLock { $0.machine.sessions.values.contains { $0.wake == .asked } } }

  /// Handles an event and carries out the commands in order, one thread at a time.
  func handle(_ event: TransferServiceMachine.Event) { handle { _ in event } }

  /// Handles the event that `change` returns. No other event comes between it and the changes to the state.
  func handle(_ change: (inout State) -> TransferServiceMachine.Event?) {
    let now = alarms.clock.now
    let isOurs = state.withLock { state in
      guard let event = change(&state) else { return false }
      state.commands.append(contentsOf: state.machine.handle(event, at: now))
      return state.commands.begin()
    }
    setAlarm()
    while isOurs, let command = state.withLock({ $0.commands.next() }) { carryOut(command) }
  }

  /// Sets the alarm to the machine's next deadline, if that deadline has changed.
  private func setAlarm() {
    let (moment, old, isChanged) = state.withLock { state -> (HostTime?, Alarms.ID?, Bool) in
      let moment = state.machine.nextMoment
      guard moment != state.alarmMoment else { return (nil, nil, false) }
      state.alarmMoment = moment
      return (moment, state.alarm.take(), true)
    }
    guard isChanged else { return }
    alarms.cancel(old)
    guard let moment else { return }
    let alarm = alarms.set(at: moment) { [weak self] in self?.ring(moment) }
    let isStale = state.withLock { state in
      guard state.alarmMoment == moment, state.alarm == nil else { return true }
      state.alarm = alarm
      return false
    }
    if isStale { alarms.cancel(alarm) }
  }

  private func ring(_ moment: HostTime) {
    state.withLock { state in
      guard state.alarmMoment == moment else { return }
      state.alarmMoment = nil
      state.alarm = nil
    }
    handle(.time)
  }

  private func carryOut(_ command: TransferServiceMachine.Command) {
    switch command {
    case .start(let key): start(key)
    case .hold(let key): state.withLock({ $0.runs[key] })?.setSuspended(true)
    case .stop(let key): stop(key)
    case .expire(let key): finish(key, .failed(.timedOut, "it takes longer than it may"))
    case .cancel(let key):
      var outcome = TaskRecord.Outcome.failed(.cancelled, "the person has ended the application")
      outcome.reason = NSURLErrorCancelledReasonUserForceQuitApplication
      finish(key, outcome)
    case .wake(let session): wake(session)
    case .deliver(let key):
      let (record, client) = state.withLock { ($0.records[key], $0.clients[key.session]) }
      if let record { client?.ended(record, file: storage.file(of: record)) }
    case .ask(let key):
      let (record, client, failures) = state.withLock { state in
        let failures = state.challenges.contains(key) ? state.failures[key] ?? 0 : nil
        return (state.records[key], state.clients[key.session], failures)
      }
      // A task that has ended meanwhile is delivered once the disk has its end.
      guard let record, record.outcome == nil else { return }
      if let failures { client?.challenged(record, failures: failures) } else { client?.becameDue(record) }
    case .finishEvents(let session): state.withLock { $0.clients[session] }?.finishEvents()
    }
  }

  func start(_ key: TransferKey) {
    let (record, run, credentials, isCancelled) = state.withLock { state in
      (state.records[key], state.runs[key], state.credentials[key], state.cancelled[key] != nil)
    }
    if record?.earliest != nil {
      // The next process does not ask about the delay again.
      state.withLock { $0.records[key]?.earliest = nil }
      save(key)
    }
    if let run { return run.setSuspended(false) }
    guard let record, record.outcome == nil, !isCancelled else { return }
    do throws(URLError) {
      var asked = try TransferRequest(
        url: record.url, method: record.method, fields: record.fields, defaults: settings.defaultFields)
      if let credentials { (asked.credentials, asked.authentication) = credentials }
      // A redirect to another host counts for the first host, as in other sessions.
      asked.limit = ConnectionLimit(
        name: "\(folder) \(record.session) \(asked.url.host)",
        count: record.connectionsPerHost ?? NetworkLimits.connectionsPerHost)
      let made: any TaskRun
      switch record.kind {
      case .download where record.method != "GET" || record.hasBody == true:
        let text = "a download of a background session is a GET without a body: use a session of another kind"
        return finish(key, .failed(.requestBodyStreamExhausted, text))
      case .download:
        made = download(record, asked)
      case .upload(let path, _):
        asked.becomeUpload()
        let upload = UploadRun(
          asked, file: path, sendsCookies: record.sendsCookies == true, transport: transport, alarms: alarms,
          timeout: record.timeout,
          examine: { [weak self] in self?.examine(key, $0) },
          onEvent: { [weak self] in self?.take($0, of: key) })
        made = upload
        upload.handle(.start)
      }
      let isOver = state.withLock { state in
        guard !state.isClosed, state.records[key]?.outcome == nil, !state.challenges.contains(key) else {
          return true
        }
        state.runs[key] = made
        return false
      }
      if isOver { made.stop() }
    } catch {
      finish(key, .failed(error.code, "the request cannot be sent"))
    }
  }

  /// Starts a download to the task's file.
  private func download(_ record: TaskRecord, _ request: TransferRequest) -> FileDownload {
    let key = record.key
    var settings = RequestSettings(userAgent: request.fields["User-Agent"] ?? "")
    settings.credentials = request.credentials
    settings.authentication = request.authentication
    settings.limit = request.limit
    settings.sendsCookies = record.sendsCookies == true
    for field in request.fields.all { settings.fields.set(field.name, field.value) }
    var policy = DownloadPolicy()
    policy.times.giveUp = .infinity
    policy.times.stall = max(record.timeout, 1)
    policy.progressInterval = UploadRun.progressInterval
    policy.replacesFile = true
    return FileDownload(
      request.url, to: DownloadPlace(storage.file(of: record)), settings: settings, policy: policy,
      transport: transport, clock: alarms.clock, seed: UInt64(truncatingIfNeeded: record.task)
    ) { [weak self] in self?.take($0, of: key) }
  }

  /// Enqueues the record of a task for writing. `then` is called once the record is on disk, even after
  /// failed attempts, unless the task is removed before.
  func save(_ key: TransferKey, then: (@Sendable () -> Void)? = nil) {
    writer.save(key, then: then) { [weak self] in
      guard let self, let record = state.withLock({ $0.records[key] }) else { return nil }
      return record.bytes.map { ("\(storage.file(of: record)).task", $0) }
    }
  }
}
