public import AppLifecycle
import Clocks
import CurlTransport
import Foundation
import Glibc
import Synchronization
import SystemSupport
package import Transfer
import TransferService

extension Device {
  /// The networking of this device's application. Thread-safe; does not block.
  public var networking: DeviceNetworking { part { DeviceNetworking($0) } }
}

/// The network of a device's application, as used by `URLSession`. While the application is suspended, its
/// sessions call no delegate. Suspension closes the connections of default sessions; their transfers fail
/// with `networkConnectionLost` when the application resumes. Thread-safe. Public methods do not block,
/// except ``suspend()``, ``connectPower()``, ``quit()`` and, with transfers in another process, ``terminate()``.
public final class DeviceNetworking: Suspendable {
  private struct State {
    var sessions: [SessionReference] = []
    var shared: URLSession?
    /// The transport that was set; nil for the default one.
    var transport: (any HTTPTransport)?
    var defaultTransport: (any HTTPTransport)?
    var transfers: (any TransferService)?
    /// The transfer service of the phone that has started this process; not open while `transfers` is nil.
    var remote: RemoteTransfers?
    var folder: String?
    var recordCalls = FileReplacement.Calls()
    var isSuspended = false
    var credentials: CredentialStore?
    var cache: URLCache?
  }

  let alarms: Alarms
  /// Runs disk jobs for the application's files, which may be on slow disks.
  let files: DiskErrands
  /// Delivers the ends of background tasks, which do not wait for the body streams that `files` reads.
  let ends: DiskErrands
  /// Runs disk jobs for the cache, which do not wait for those of `files`.
  let cacheFiles: DiskErrands
  private let mainQueue: any DeliveryQueue
  private weak let device: Device?
  private let state = Mutex(State())
  /// Serializes the creation of `transfers`, which reads the disk and so must not hold the lock of `state`.
  private let turn = Semaphore()

  init(_ device: Device) {
    alarms = Alarms(clock: device.clock)
    files = DiskErrands("url-files", on: device.clock)
    ends = DiskErrands("url-ends", on: device.clock)
    cacheFiles = DiskErrands("url-cache", on: device.clock)
    turn.post()
    mainQueue = device.mainQueue
    self.device = device
  }

  /// The current date; in virtual time the date of the clock.
  var date: Date { alarms.clock.date(of: alarms.clock.now) }

  /// The transport of default sessions; libcurl unless set. Background sessions use it too if it is set before
  /// the first of them is created.
  package var transport: any HTTPTransport {
    get {
      state.withLock { state in
        if let transport = state.transport ?? state.defaultTransport { return transport }
        var options = CurlOptions.ofSessions
        // The sockets belong to the application, whose request rate is practically unlimited.
        options.hasSystemSockets = false
        options.requestsPerSecond = 10_000
        let made = CurlHTTPTransport(clock: alarms.clock, options: options)
        state.defaultTransport = made
        return made
      }
    }
    set { state.withLock { $0.transport = newValue } }
  }

  /// The store of credentials for default sessions. Test devices, which run in parallel, have one each.
  var credentials: CredentialStore? {
    if alarms.clock is SystemClock { return CredentialStore(storage: .shared) }
    if let present = state.withLock({ $0.credentials }) { return present }
    let made = CredentialStore.temporary
    return state.withLock { state in
      state.credentials = state.credentials ?? made
      return state.credentials
    }
  }

  /// The cache of default sessions: 4 MiB in memory and 20 MiB on the disk, as Apple documents. Test devices
  /// have one each, in memory only.
  var cache: URLCache {
    get {
      if let present = state.withLock({ $0.cache }) { return present }
      let clock = alarms.clock
      let made = URLCache(4 << 20, clock is SystemClock ? 20 << 20 : 0, nil) { clock.date(of: clock.now) }
      return state.withLock { state in
        state.cache = state.cache ?? made
        return state.cache ?? made
      }
    }
    set { state.withLock { $0.cache = newValue } }
  }

  /// The folder of background transfers; nil for a folder named after the application in
  /// `$XDG_STATE_HOME/continuo/transfers`. Must be set before the first background session.
  package var transfersFolder: String? {
    get { state.withLock { $0.folder } }
    set { state.withLock { $0.folder = newValue } }
  }

  /// The system calls that write records. Must be set before the first background session.
  var recordCalls: FileReplacement.Calls {
    get { state.withLock { $0.recordCalls } }
    set { state.withLock { $0.recordCalls = newValue } }
  }

  /// Waits until no other thread creates a background session. No application code may run before `endTurn`.
  func beginTurn() { turn.wait() }

  func endTurn() { turn.post() }

  /// Returns the service for background sessions: that of the phone which has started this process, or one in
  /// this process. Fails, for example, if its folder cannot be opened or another process has locked it. Unless
  /// the service is open, blocks while the folder is read, or until the phone has sent its records. Must be called
  /// between `beginTurn` and `endTurn`, because a concurrent call would find the folder locked.
  func openTransfers() -> Result<any TransferService, URLError> {
    if let transfers = made { return .success(transfers) }
    guard let device else { return .failure(URLError(.backgroundSessionWasDisconnected)) }
    return Result { () throws(URLError) in
      let made = try makeTransfers(for: device)
      state.withLock { $0.transfers = made }
      device.onSessionTold { [weak made] session in made?.perform(.told(session: session)) }
      return made
    }
  }

  private func makeTransfers(for device: Device) throws(URLError) -> any TransferService {
    let (folder, set, recordCalls) = state.withLock { ($0.folder, $0.transport, $0.recordCalls) }
    let clock = alarms.clock
    var settings = TransferSettings(
      folder: folder ?? Self.folder, application: nil,
      discretionaryDelay: device.settings.discretionaryDelay, defaultFields: TransferRequest.defaultFields)
    switch device.state {
    case .background: settings.application = .background
    case .suspended: settings.application = .suspended
    case .active: settings.application = .front
    // Left unset, because an application that is being launched in the background is inactive, too.
    case .inactive, .notRunning: break
    }
    if set == nil, clock is SystemClock, let remote = remote(folder: settings.folder) {
      try remote.open(settings)
      return remote
    }
    // The sockets belong to the system, so that a suspended application does not lose them. Players have
    // another transport, so that playback never waits for downloads.
    return try BackgroundTransfers(
      settings, transport: set ?? CurlHTTPTransport(clock: clock, options: .ofSessions), alarms: alarms,
      files: files, recordCalls: recordCalls, today: { clock.date(of: clock.now) },
      wake: { [weak device] in device?.wakeForSession($0) })
  }

  /// Returns the service of the phone, the same at each call; nil if no phone has started this process, or if another
  /// device has its service.
  private func remote(folder: String) -> RemoteTransfers? {
    if let present = state.withLock({ $0.remote }) { return present }
    guard let socket = PhoneLink.shared?.takeTransfers() else { return nil }
    let made = RemoteTransfers(over: socket, folder: folder, clock: alarms.clock)
    state.withLock { $0.remote = made }
    return made
  }

  private static var folder: String {
    ApplicationFolder.url("transfers", in: "XDG_STATE_HOME", or: ".local/state").path
  }

  /// Ends all sessions and transfers, as the end of the process does. Blocks until pending disk jobs are
  /// complete.
  package func close() {
    terminate()
    let (transfers, remote) = state.withLock { ($0.transfers.take(), $0.remote.take()) }
    (transfers ?? remote)?.close()
    files.close()
    ends.close()
    cacheFiles.close()
  }

  /// Connects the device to power. From now on, transfers do not wait for `LifecycleSettings.discretionaryDelay`. May
  /// block until the records of background transfers are read for the first time, or the phone has sent them.
  public func connectPower() { performOpening(.powered) }

  /// Performs a call in the service, which is opened if necessary.
  private func performOpening(_ call: TransferCall) {
    beginTurn()
    let transfers = openTransfers()
    endTurn()
    try? transfers.get().perform(call)
  }

  var shared: URLSession {
    if let shared = state.withLock({ $0.shared }) { return shared }
    let made = URLSession(
      configuration: .default, on: self, delegate: nil, delegateQueue: nil, isShared: true)
    return state.withLock { state in
      let shared = state.shared ?? made
      state.shared = shared
      return shared
    }
  }

  /// Returns a mailbox that delivers on `queue`, in virtual time on the main queue, so that runs are
  /// reproducible.
  func makeMailbox(_ queue: OperationQueue) -> Mailbox {
    let run: @Sendable (@escaping Mailbox.Call) -> Void =
      if queue === OperationQueue.main || !(alarms.clock is SystemClock) {
        { [mainQueue] in mainQueue.enqueue($0) }
      } else {
        { queue.addOperation($0) }
      }
    return Mailbox { [weak device] call in
      run { [weak device] in
        guard let device else { return call() }
        Device.withCurrent(device, operation: call)
      }
    }
  }

  func add(_ core: SessionCore) {
    // Check weak references outside the lock, because the check may release the last reference to a session.
    let gone = state.withLock { $0.sessions }.filter { $0.core == nil }
    let new = SessionReference(core)
    let isSuspended = state.withLock { state in
      state.sessions.removeAll { session in gone.contains { $0 === session } }
      state.sessions.append(new)
      return state.isSuspended
    }
    if isSuspended { core.suspend() }
  }

  private var sessions: [SessionCore] { state.withLock { $0.sessions }.compactMap(\.core) }

  /// Closes the connections of default sessions, and stops the calls of all delegates. Waits at most 1 s for
  /// calls in progress on other threads.
  public func suspend() {
    state.withLock { $0.isSuspended = true }
    let sessions = sessions
    for session in sessions { session.suspend() }
    // Real time, because a virtual clock does not advance the threads that run the calls.
    let deadline = SystemClock.shared.now.advanced(bySeconds: 1)
    for session in sessions { session.awaitCall(until: deadline) }
    made?.perform(.application(.suspended))
  }

  /// Whether no call for background transfers waits to be sent to a phone in another process.
  public var isStill: Bool { made?.isIdle ?? true }

  private var made: (any TransferService)? { state.withLock { $0.transfers } }

  /// Resumes the calls of delegates, and fails the tasks whose connections the suspension has closed.
  public func resume() {
    state.withLock { $0.isSuspended = false }
    for session in sessions { session.resume() }
    // In the foreground `enterForeground` has already set the state.
    if device?.state == .background { made?.perform(.application(.background)) }
  }

  /// Treats background transfers that are first resumed from now on as started in the background.
  public func enterBackground() { made?.perform(.application(.background)) }

  /// Ends the delay that follows a wake, for which transfers started in the background wait. Treats transfers that are
  /// first resumed from now on as started in the foreground.
  public func enterForeground() { made?.perform(.application(.front)) }

  /// Cancels the background transfers, because the user has quit the application. If this process has no background
  /// session, the transfers of earlier processes are read from their folder, which may block.
  public func quit() {
    if made != nil || access(state.withLock { $0.folder } ?? Self.folder, F_OK) == 0 { performOpening(.quit) }
  }

  /// Records the launch, in the background if the application was woken for a session.
  public func launch() { made?.perform(.launch) }

  /// Ends all sessions together with the application.
  public func terminate() {
    let old = sessions
    let shared = state.withLock { state in
      defer {
        state.sessions = []
        state.shared = nil
        state.isSuspended = false
      }
      return state.shared
    }
    for session in old { session.terminate() }
    made?.perform(.application(.gone))
    withExtendedLifetime(shared) {}
  }
}

private final class SessionReference: Sendable {
  weak let core: SessionCore?
  init(_ core: SessionCore) { self.core = core }
}
