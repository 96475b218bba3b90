import AudioCore
import CPulse
import Dispatch
import Glibc
import HostTime
import Synchronization

/// The part of a stream that its connection talks to. All on the main loop's thread or with its lock held.
protocol PulseConnectionUser: AnyObject {
  /// The context is ready.
  func connectionReady(_ context: OpaquePointer)
  /// The context could not be had or has died; `error` says why. It is not usable any more.
  func connectionLost(_ error: OutputError)
}

/// One threaded main loop and, at any time, at most one context on it.
///
/// A context that failed cannot connect again (PulseAudio 16.1 answers BADSTATE): the next user gets a new one.
///
/// Unchecked: `loop`, `clock` and the handles' pointers never change, `access` has a lock of its own and keeps the loop
/// from being freed under those who use it; everything else that can change is only touched with the main loop's lock held
/// (`withLock`), which libpulse holds for its callbacks as well.
final class PulseConnection: @unchecked Sendable {
  /// libpulse, or what plays it.
  let calls: any PulseCalls
  /// The main loop; nil if the process was out of descriptors, memory or threads.
  let loop: OpaquePointer?
  /// What waits are limited by; real time, as the server's is.
  let clock: any HostClock

  private let configuration: PulseConfiguration
  private let onLoss: @Sendable () -> Void
  /// Why a host has no address; nil if it has one. Blocks.
  private let lookUp: @Sendable (String) -> String?
  private var mainloop: MainloopHandle?
  private var context: ContextHandle?
  private var isReady = false
  /// The server has refused the connection, and its name is looked up before the users are told.
  private var refusal: Refusal?
  /// Raised for each refusal, so that the answer to an earlier lookup is dropped.
  private var refusalSerial = 0
  private var isLookingUp = false
  /// A stream was open once.
  var hasOpened = false
  private var orphans: [Orphan] = []
  private var users: [any PulseConnectionUser] = []
  /// The device is gone: the last user that leaves ends the loop.
  private var isAbandoned = false

  /// Starts the loop's thread. `retire()` must be called once for it to end. `onLoss` is called on that thread, with the
  /// lock, when the server has closed the connection; it must not block. `lookUp` is called on a thread of its own.
  init(
    configuration: PulseConfiguration, clock: any HostClock, calls: any PulseCalls,
    lookUp: @escaping @Sendable (String) -> String? = ServerNames.lookUp,
    onLoss: @escaping @Sendable () -> Void = {}
  ) {
    self.calls = calls
    self.clock = clock
    self.configuration = configuration
    self.onLoss = onLoss
    self.lookUp = lookUp
    guard let pointer = calls.mainloopNew() else {
      loop = nil
      return
    }
    guard calls.mainloopStart(pointer) == 0 else {
      calls.mainloopFree(pointer)
      loop = nil
      return
    }
    loop = pointer
    mainloop = MainloopHandle(calls: calls, pointer: pointer)
    // libpulse's callbacks get this object without a reference; this one keeps it until the loop has ended.
    _ = Unmanaged.passRetained(self)
  }

  private var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The connection that a callback is for.
  private static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseConnection? {
    userdata.map { Unmanaged<PulseConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `body` with the main loop's lock; on the loop's own thread, which holds it already, at once.
  ///
  /// After the end there is neither loop nor thread, and every stream has left: `body` then runs without a lock, for a
  /// stream that is closed once more.
  func withLock<R>(_ body: () -> R) -> R {
    guard let loop, enter() else { return body() }
    defer { exit() }
    guard !calls.mainloopInThread(loop) else { return body() }
    calls.mainloopLock(loop)
    defer { calls.mainloopUnlock(loop) }
    return body()
  }

  /// Who is about to use the loop, or does: it is freed when nobody is and nobody can be.
  private struct Access {
    var count = 0
    var isOver = false
  }

  private let access = Mutex(Access())
  /// Raised when the last one is out after the end.
  private let lastExit = Semaphore()
  /// Who is in has the lock for microseconds; after this many seconds the loop's thread itself must hang.
  private static let exitLimit = 10.0

  private func enter() -> Bool {
    access.withLock { access in
      if access.isOver { return false }
      access.count += 1
      return true
    }
  }

  private func exit() {
    let isLast = access.withLock { access in
      access.count -= 1
      return access.isOver && access.count == 0
    }
    if isLast { lastExit.post() }
  }

  /// Lets nobody in any more and waits for those who are. False if they do not come out. Not on the loop's thread.
  private func awaitLastExit() -> Bool {
    let isEmpty = access.withLock { access in
      access.isOver = true
      return access.count == 0
    }
    // Threads are waited for, which run in real time whatever `clock` says.
    return isEmpty || lastExit.wait(until: SystemClock.shared.now.advanced(bySeconds: Self.exitLimit))
  }

  // MARK: With the lock held

  /// Connects unless a context is there or on its way. False: libpulse refused at once; `lastError` says why.
  @discardableResult
  func connect() -> Bool {
    if context != nil { return true }
    guard let loop else { return false }
    var properties: [(key: String, value: String)] = [
      (PA_PROP_APPLICATION_NAME, configuration.applicationName)
    ]
    if let icon = configuration.applicationIconName {
      properties.append((PA_PROP_APPLICATION_ICON_NAME, icon))
    }
    guard let pointer = calls.contextNew(loop, name: configuration.applicationName, properties: properties)
    else {
      return false
    }
    let handle = ContextHandle(calls: calls, pointer: pointer)
    calls.contextSetStateCallback(
      pointer, { context, userdata in context.map { PulseConnection.from(userdata)?.stateChanged($0) } },
      userdata)
    // Starting a sound server is not a player's business: the system does that, or the user.
    guard calls.contextConnect(pointer, server: configuration.server, flags: PA_CONTEXT_NOAUTOSPAWN) >= 0
    else {
      lastError = calls.errorText(calls.contextErrno(pointer))
      return false
    }
    context = consume handle
    return true
  }

  /// Why `connect` refused, in libpulse's words.
  private(set) var lastError = "libpulse gave no main loop or context"

  /// The context, for calls that need one in any state.
  var contextPointer: OpaquePointer? { context?.pointer }

  /// Adds a user and tells it at once if the context is ready. It is held until it leaves.
  func join(_ user: any PulseConnectionUser) {
    users.append(user)
    if isReady, let context = context?.pointer { user.connectionReady(context) }
  }

  /// Removes a user. Afterwards it is neither held nor called.
  func leave(_ user: any PulseConnectionUser) {
    users.removeAll { $0 === user }
    if isAbandoned, users.isEmpty { end() }
  }

  /// The device is gone. Ends the loop, now or when its last stream leaves. No lock.
  func retire() {
    withLock {
      isAbandoned = true
      if users.isEmpty { end() }
    }
  }

  /// A server that hangs looks like a live connection: after an answer that never came this makes the next user get
  /// a new one.
  func discard() { drop(error: nil) }

  /// Takes a stream that was closed while the server was still making it. libpulse cannot disconnect such a one
  /// (16.1: BADSTATE), and the server would keep it: it is disconnected once it is there.
  func adopt(_ stream: consuming StreamHandle) {
    let pointer = stream.pointer
    orphans.append(Orphan(consume stream))
    calls.streamSetCallbacks(
      pointer,
      PulseStreamCallbacks(state: { stream, userdata in
        stream.map { PulseConnection.from(userdata)?.orphanStateChanged($0) }
      }), userdata)
  }

  private final class Orphan {
    let handle: StreamHandle
    init(_ handle: consuming StreamHandle) { self.handle = handle }
  }

  private func orphanStateChanged(_ pointer: OpaquePointer) {
    guard calls.streamGetState(pointer) != PA_STREAM_CREATING else { return }
    orphans.removeAll { $0.handle.pointer == pointer }
  }

  private func drop(error: OutputError?) {
    orphans = []
    refusal = nil
    context = nil
    isReady = false
    guard let error else { return }
    for user in users { user.connectionLost(error) }
  }

  private func end() {
    guard let handle = mainloop.take() else { return }
    // Stopping the loop must neither hold its lock nor run on its thread, and the caller may do both: a thread of its
    // own does it. It is short: the loop is idle.
    let box = Unmanaged.passRetained(Retirement(connection: self, mainloop: handle))
    var thread = pthread_t()
    let started = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Retirement>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    // If there is no thread to be had, the loop stays, idle, until the process ends; the context goes now.
    if started == 0 { pthread_detach(thread) } else { drop(error: nil) }
  }

  private final class Retirement {
    private let connection: PulseConnection
    private var mainloop: MainloopHandle?

    init(connection: PulseConnection, mainloop: consuming MainloopHandle) {
      self.connection = connection
      self.mainloop = consume mainloop
    }

    func run() {
      // The context goes first, while the loop can still tell the server; then the thread, then the loop.
      connection.withLock { connection.drop(error: nil) }
      guard connection.awaitLastExit() else {
        // Left to the end of the process: nothing may free a loop that is in use.
        _ = Unmanaged.passRetained(self)
        return
      }
      mainloop = nil
      Unmanaged.passUnretained(connection).release()
    }
  }

  /// Where the server was looked for, if it was named.
  var place: String { configuration.server.map { " at \($0)" } ?? "" }

  private func stateChanged(_ pointer: OpaquePointer) {
    guard pointer == context?.pointer else { return }
    switch calls.contextGetState(pointer) {
    case PA_CONTEXT_READY:
      isReady = true
      for user in users { user.connectionReady(pointer) }
    case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
      let code = calls.contextErrno(pointer)
      onLoss()
      // libpulse says so of a name that does not exist, too.
      let isRefusal = code == Int32(PA_ERR_CONNECTIONREFUSED.rawValue) && !isReady
      if !isRefusal || !explainRefusal(pointer, calls.errorText(code)) { fail(calls.errorText(code)) }
    default:
      break
    }
  }

  private func fail(_ reason: String) {
    drop(
      error: OutputError(
        "the connection to the sound server\(place) failed: \(reason)", isRecoverable: true, cause: .server))
  }

  // MARK: Names that do not exist

  private struct Refusal: ~Copyable {
    let serial: Int
    /// What the users are told.
    var reason: String
    /// Tells them, on the loop's thread: when the answer is there, or the time is up.
    let answer: DeferHandle
    let limit: TimerHandle
  }

  /// Seconds that a lookup may take; libpulse has just made the same one, so that mostly the answer is near.
  private static let lookupLimit = 2.0

  /// Looks up the server's name on another thread and tells the users then. Meanwhile the context stays, so that new users
  /// wait too. False if there is no name, or an earlier lookup has not ended.
  private func explainRefusal(_ context: OpaquePointer, _ reason: String) -> Bool {
    guard !isLookingUp, let loop,
      let server = configuration.server ?? getenv("PULSE_SERVER").map({ String(cString: $0) })
    else { return false }
    let names = ServerNames(server)
    guard !names.hosts.isEmpty,
      let answer = calls.deferNew(loop, { PulseConnection.from($2)?.tellOfRefusal() }, userdata)
        .map({ DeferHandle(calls: calls, loop: loop, pointer: $0) }),
      let limit = calls.timerNew(
        context, delay: pa_usec_t(Self.lookupLimit * 1e6), { PulseConnection.from($3)?.tellOfRefusal() },
        userdata
      ).map({ TimerHandle(calls: calls, loop: loop, pointer: $0) })
    else { return false }
    isLookingUp = true
    refusalSerial += 1
    refusal = Refusal(serial: refusalSerial, reason: reason, answer: answer, limit: limit)
    DispatchQueue.global().async { [self, serial = refusalSerial] in
      let problem = names.problem(lookUp)
      withLock {
        isLookingUp = false
        guard refusal?.serial == serial else { return }
        if let problem { refusal?.reason = names.hasOthers ? "\(reason); \(problem)" : problem }
        refusal?.answer.enable()
      }
    }
    return true
  }

  private func tellOfRefusal() { if let reason = refusal?.reason { fail(reason) } }
}
