import AudioCore
import CPulse
import Clocks
import Dispatch
import Glibc
import Synchronization

/// A user of the connection. Methods are called on the main loop's thread or with its lock held.
protocol PulseConnectionUser: AnyObject {
  /// Called when the context is ready.
  func connectionReady(_ context: OpaquePointer)
  /// Called with the reason when the context could not connect or has died.
  func connectionLost(_ error: OutputError)
  /// Called when another sink was chosen, or the chosen one exists again.
  func sinkChosen()
  /// Called when a stream was moved away from the chosen sink, by the server or a person.
  func streamStrayed()
}

extension PulseConnectionUser {
  func sinkChosen() {}
  func streamStrayed() {}
}

/// A connection: one threaded main loop with at most one context at any time.
///
/// A failed context cannot connect again (PulseAudio 16.1 answers BADSTATE); the next user gets a new
/// context.
///
/// Unchecked: `loop`, `clock` and the handles' pointers never change. `access` has its own lock and keeps the
/// loop from being freed while in use. All other mutable state is accessed only with the main loop's lock
/// held (`withLock`), which libpulse also holds for its callbacks.
final class PulseConnection: PulseUserData, @unchecked Sendable {
  /// The libpulse implementation, or a test's replacement.
  let calls: any PulseCalls
  /// The main loop; nil without libpulse, or if the process is out of descriptors, memory or threads.
  let loop: OpaquePointer?
  /// The clock for timeouts and for the streams' timing. Must run in real time, as the server does.
  let clock: any HostClock

  private let configuration: PulseConfiguration
  private let onLoss: @Sendable () -> Void
  /// Returns the reason why a host has no address; nil if it has one. Blocks.
  private let lookUp: @Sendable (String) -> String?
  private var mainloop: MainloopHandle?
  private var context: ContextHandle?
  private var isReady = false
  /// A refused connection whose server name is being looked up before the users are notified.
  private var refusal: Refusal?
  /// Raised for each refusal, so that the result of an earlier lookup is ignored.
  private var refusalSerial = 0
  private var isLookingUp = false
  /// Whether any stream has ever opened.
  var hasOpened = false
  /// The sink of all streams; nil for the server's default sink.
  private(set) var sink: String?
  private var orphans: [Orphan] = []
  private var users: [any PulseConnectionUser] = []
  /// Whether the device was released; the last user that leaves then ends the loop.
  private var isAbandoned = false

  /// Starts the loop's thread; call `retire()` once to end the thread.
  ///
  /// `lookUp` is called on Dispatch's global queue. `onLoss` is called on the loop's thread, with the lock
  /// held, when the connection is refused or lost; it must not block.
  init(
    configuration: PulseConfiguration, clock: any HostClock, calls: any PulseCalls,
    lookUp: @escaping @Sendable (String) -> String? = ServerNames.lookUp,
    onLoss: @escaping @Sendable () -> Void = {}
  ) {
    self.calls = calls
    self.clock = clock
    self.configuration = configuration
    sink = configuration.sink
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
    // libpulse's callbacks get this object unretained; this reference lives until the loop has ended.
    _ = Unmanaged.passRetained(self)
  }

  /// Runs `body` with the main loop's lock, or directly on the loop's own thread, which already holds it.
  /// Without a loop, or after it has ended, `body` runs without a lock. After the end all streams have left,
  /// and only another `close` of a stream comes here.
  func withLock<R>(_ body: () -> R) -> R {
    guard let loop, enter() else { return body() }
    defer { exit() }
    guard !calls.mainloopInThread(loop) else { return body() }
    calls.mainloopLock(loop)
    defer { calls.mainloopUnlock(loop) }
    return body()
  }

  /// The number of threads that use the loop or are about to. The loop is freed once the number is 0 and
  /// cannot rise.
  private struct Access {
    var count = 0
    var isOver = false
  }

  private let access = Mutex(Access())
  /// Posted when the last thread leaves after the end.
  private let lastExit = Semaphore()
  /// The timeout for threads to leave, in seconds. Threads hold the lock for microseconds, so a timeout means a
  /// hanging loop.
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

  /// Rejects new threads and waits until all have left. Returns false after a timeout. Must not be called on
  /// the loop's thread.
  private func awaitLastExit() -> Bool {
    let isEmpty = access.withLock { access in
      access.isOver = true
      return access.count == 0
    }
    // The awaited threads run in real time, whatever `clock` is.
    return isEmpty || lastExit.wait(until: SystemClock.shared.now.advanced(bySeconds: Self.exitLimit))
  }

  // MARK: With the lock held

  /// Connects unless a context exists. Returns false if libpulse refused at once, for which `lastError` has the
  /// reason, or if no main loop or context could be created.
  @discardableResult
  func connect() -> Bool {
    if context != nil { return true }
    guard let loop else { return false }
    var properties: PulseProperties = [(PA_PROP_APPLICATION_NAME, configuration.applicationName)]
    if let icon = configuration.applicationIconName {
      properties.append((PA_PROP_APPLICATION_ICON_NAME, icon))
    }
    guard let pointer = calls.contextNew(loop, name: configuration.applicationName, properties: properties)
    else { return false }
    let handle = ContextHandle(calls: calls, pointer: pointer)
    calls.contextSetStateCallback(
      pointer, { context, userdata in context.map { PulseConnection.from(userdata)?.stateChanged($0) } },
      userdata)
    // NOAUTOSPAWN, because the user or the system starts the sound server, not a player.
    guard calls.contextConnect(pointer, server: configuration.server, flags: PA_CONTEXT_NOAUTOSPAWN) >= 0
    else {
      lastError = calls.errorText(calls.contextErrno(pointer))
      return false
    }
    context = consume handle
    return true
  }

  /// The reason for the last refusal by libpulse's connect call, in its own words; a general text before the
  /// first refusal.
  private(set) var lastError = "libpulse gave no main loop or context"

  /// The context in any state; nil if none exists.
  var contextPointer: OpaquePointer? { context?.pointer }

  /// Adds a user, retained until it leaves, and notifies it at once if the context is ready.
  func join(_ user: any PulseConnectionUser) {
    users.append(user)
    if isReady, let context = context?.pointer { user.connectionReady(context) }
  }

  /// Removes a user, which is then neither retained nor called.
  func leave(_ user: any PulseConnectionUser) {
    users.removeAll { $0 === user }
    if isAbandoned, users.isEmpty { end() }
  }

  /// Ends the loop, now or when the connection's last user leaves, because the device was released. Call without
  /// the lock.
  func retire() {
    withLock {
      isAbandoned = true
      if users.isEmpty { end() }
    }
  }

  /// Chooses the sink of all streams, present and later ones.
  func choose(sink: String) {
    self.sink = sink
    for user in users { user.sinkChosen() }
  }

  /// Notifies the users that the server or a person moved a stream to `route`. Does nothing if `route` is the
  /// chosen sink, or if no sink was chosen.
  func streamMoved(to route: String) {
    guard let sink, sink != route else { return }
    for user in users { user.streamStrayed() }
  }

  /// Takes over a stream that was closed while the server was creating it, and disconnects it once it exists.
  /// libpulse cannot disconnect such a stream earlier (16.1: BADSTATE), and the server would keep it.
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

  /// Drops the context and notifies the users of the error, if any. The next user gets a new context. The
  /// context of a hanging server looks alive, so only a drop replaces it.
  func drop(error: OutputError?) {
    refusal = nil
    isReady = false
    // The users release their streams before the context, whose release ends each stream that it still has.
    let old = context.take()
    if let error { for user in users { user.connectionLost(error) } }
    orphans = []
    _ = consume old
  }

  private func end() {
    guard let handle = mainloop.take() else { return }
    // Stopping is forbidden with the lock held and on the loop's thread, so another thread stops the loop.
    let box = Unmanaged.passRetained(Retirement(connection: self, mainloop: handle))
    var thread = pthread_t()
    let started = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Retirement>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    // If no thread can be created, the loop stays idle until the process ends; the context is released now.
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
      // The context is released first, while the loop can still notify the server, and then the loop with its
      // thread.
      connection.withLock { connection.drop(error: nil) }
      guard connection.awaitLastExit() else {
        // Leaked deliberately, because a loop that is in use must not be freed.
        _ = Unmanaged.passRetained(self)
        return
      }
      mainloop = nil
      Unmanaged.passUnretained(connection).release()
    }
  }

  /// The configured server as a suffix for messages; empty if none was named.
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
      // libpulse also reports this code for a host name that does not exist.
      let isRefusal = code == Int32(PA_ERR_CONNECTIONREFUSED.rawValue) && !isReady
      if !isRefusal || !explainRefusal(pointer, calls.errorText(code)) { fail(calls.errorText(code)) }
    default: break
    }
  }

  private func fail(_ reason: String) {
    drop(
      error: OutputError(
        "the connection to the sound server\(place) failed: \(reason)", isRecoverable: true, cause: .server))
  }

  // MARK: Refused connections

  private struct Refusal: ~Copyable {
    let serial: Int
    var reason: String
    /// The events that report the refusal on the loop's thread: `answer` after the lookup, `limit` after the
    /// timeout.
    let answer: DeferHandle
    let limit: TimerHandle
  }

  /// The lookup timeout in seconds. libpulse has just made the same lookup, so the answer is mostly cached.
  private static let lookupLimit = 2.0

  /// Looks up the server's name on another thread and then notifies the users. The context stays until then,
  /// so that new users wait as well. Returns false if no host is named, or if an earlier lookup is still in
  /// progress.
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
