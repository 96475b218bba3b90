public import AppLifecycle
import CurlTransport
import Foundation
import HostTime
import Synchronization
package import Transfer

extension Device {
  /// The sessions of this device's applications. Any thread; does not block.
  public var networking: DeviceNetworking { part { DeviceNetworking($0) } }
}

/// The network as a device's applications use it with `URLSession`.
///
/// While the application is suspended nothing of its sessions runs, and none of its delegates is called; the transfers of
/// default sessions that had begun fail with `networkConnectionLost` when it runs again. Any thread; nothing blocks.
public final class DeviceNetworking: Suspendable {
  private struct State {
    var sessions: [SessionReference] = []
    var shared: URLSession?
    var transport: (any HTTPTransport)?
    var transfers: BackgroundTransfers?
    var folder: String?
    var recordCalls = RecordWriter.Calls()
    var isSuspended = false
  }

  let alarms: Alarms
  /// Does what concerns files of applications, which may be on slow disks.
  let files: DiskErrands
  private let mainQueue: any DeliveryQueue
  private weak let device: Device?
  private let state = Mutex(State())
  /// Posted while nobody makes what there is one of. That reads the disk, so it is not done under `state`'s lock.
  private let turn = Semaphore()

  init(_ device: Device) {
    alarms = Alarms(clock: device.clock)
    files = DiskErrands("url-files", on: device.clock)
    turn.post()
    mainQueue = device.mainQueue
    self.device = device
  }

  /// What sends the requests of default sessions; libcurl if nobody has set another one.
  package var transport: any HTTPTransport {
    get {
      state.withLock { state in
        if let transport = state.transport { return transport }
        var options = CurlOptions()
        // An application's sockets are its own, and it may ask as often as it likes.
        options.hasSystemSockets = false
        options.requestsPerSecond = 10_000
        let made = CurlTransport(clock: alarms.clock, options: options)
        state.transport = made
        return made
      }
    }
    set { state.withLock { $0.transport = newValue } }
  }

  /// Where the transfers of background sessions are kept; nil: below `$XDG_STATE_HOME/continuo/transfers`, by the
  /// application's name. Set before the first such session.
  package var transfersFolder: String? {
    get { state.withLock { $0.folder } }
    set { state.withLock { $0.folder = newValue } }
  }

  /// The system calls that write records. Set before the first background session.
  var recordCalls: RecordWriter.Calls {
    get { state.withLock { $0.recordCalls } }
    set { state.withLock { $0.recordCalls = newValue } }
  }

  /// Waits until no other thread makes a background session. No code of the application runs before `endTurn`.
  func beginTurn() { turn.wait() }

  func endTurn() { turn.post() }

  /// What makes the transfers of background sessions; nil if another process of this application does. Blocks while it opens
  /// the folder, once. Between `beginTurn` and `endTurn`: of two that are opened at once the second finds the folder taken.
  func openTransfers() -> BackgroundTransfers? {
    if let transfers = made { return transfers }
    guard let device else { return nil }
    let (folder, set, recordCalls) = state.withLock { ($0.folder, $0.transport, $0.recordCalls) }
    let isReal = alarms.clock is SystemClock
    // The sockets are the system's: a suspended application does not lose them.
    let transport = set ?? CurlTransport.shared(clock: alarms.clock)
    let clock = alarms.clock
    let made = BackgroundTransfers(
      in: folder ?? Self.folder, of: device, transport: transport, alarms: alarms, files: files,
      recordCalls: recordCalls,
      today: { isReal ? Date() : Date(timeIntervalSinceReferenceDate: clock.now.seconds) })
    guard let made else { return nil }
    state.withLock { $0.transfers = made }
    device.setTransferService(made)
    return made
  }

  private static var folder: String {
    let environment = ProcessInfo.processInfo.environment
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? "\(environment["HOME"] ?? "/tmp")/.local/state"
    let name = environment["CONTINUO_APPLICATION"] ?? ProcessInfo.processInfo.processName
    return "\(state)/continuo/transfers/\(name.replacingOccurrences(of: "/", with: "_"))"
  }

  /// Ends all of it, as the end of the process does; what the disk has to do is done when this returns.
  package func close() {
    terminate()
    let old = state.withLock { state in
      defer { state.transfers = nil }
      return state.transfers
    }
    old?.close()
    files.close()
  }

  /// The device gets power: transfers whose time it chooses begin at once, from here on.
  public func connectPower() {
    beginTurn()
    let transfers = openTransfers()
    endTurn()
    transfers?.connectPower()
  }

  /// `URLSession.shared` on this device.
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

  /// A mailbox that delivers on `queue`; in virtual time on the main queue, so that each run is the same.
  func makeMailbox(_ queue: OperationQueue) -> Mailbox {
    let run: @Sendable (@escaping Mailbox.Call) -> Void =
      if queue === OperationQueue.main || !(alarms.clock is SystemClock) {
        { [mainQueue] in mainQueue.enqueue($0) }
      } else {
        { queue.addOperation($0) }
      }
    let reference = WeakDevice(device)
    return Mailbox { call in
      run {
        guard let device = reference.device else { return call() }
        Device.withCurrent(device, operation: call)
      }
    }
  }

  private final class WeakDevice: Sendable {
    weak let device: Device?
    init(_ device: Device?) { self.device = device }
  }

  /// Tells a new session of the application's life.
  func add(_ core: SessionCore) {
    // Outside the lock: the check of a weak reference may hold the last reference to a session.
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

  // MARK: Suspendable

  /// Closes the connections of default sessions; none of their delegates is called from here on.
  public func suspend() {
    state.withLock { $0.isSuspended = true }
    for session in sessions { session.suspend() }
    made?.setApplication(.suspended)
  }

  /// What makes the transfers of background sessions, if there were any.
  private var made: BackgroundTransfers? { state.withLock { $0.transfers } }

  /// Delegates are called again.
  public func resume() {
    state.withLock { $0.isSuspended = false }
    for session in sessions { session.resume() }
    // In front `enterForeground` has said so before.
    if device?.state == .background { made?.setApplication(.background) }
  }

  /// Transfers that are made from here on are made in the background.
  public func enterBackground() { made?.setApplication(.background) }

  /// Transfers begin at once.
  public func enterForeground() { made?.setApplication(.front) }

  /// The device makes no more transfers for the application.
  public func quit() { made?.quit() }

  /// New sessions count again.
  public func launch() { if let made { made.setApplication(made.isWaking ? .background : .front) } }

  /// The sessions are gone with the application.
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
    made?.setApplication(.gone)
    withExtendedLifetime(shared) {}
  }
}

/// A session that is not kept.
private final class SessionReference: Sendable {
  weak let core: SessionCore?
  init(_ core: SessionCore) { self.core = core }
}
