import Clocks
import Glibc
import Synchronization
import SystemSupport

/// A client of gpsd, over TCP. It connects after `start`, and closes the connection soon after `stop`.
final class GPSDClient: PlaceSource {
  private let host: String
  private let port: UInt16
  private let clock: SystemClock
  private let session = Mutex<(GPSDSession, any Worker)?>(nil)

  init(host: String, port: UInt16, clock: SystemClock) {
    self.host = host
    self.port = port
    self.clock = clock
  }

  deinit { stop() }

  func start(_ report: @escaping @Sendable (PlaceReport) -> Void) {
    let new = GPSDSession(host: host, port: port, clock: clock, report)
    let worker = clock.makeWorker("gpsd") { new.turn() }
    session.withLock { $0 = (new, worker) }
  }

  func stop() {
    guard let (session, worker) = session.withLock({ $0.take() }) else { return }
    session.stop()
    // The worker may be blocked in a name lookup.
    worker.cancelLater()
  }
}

/// A run of the client, on its own thread. Unchecked: only that thread uses the state, except for `isStopped`
/// and the constant `pipe`.
private final class GPSDSession: @unchecked Sendable {
  private let host: String
  private let port: UInt16
  private let clock: SystemClock
  private let report: @Sendable (PlaceReport) -> Void
  private let isStopped = Atomic<Bool>(false)
  /// The pipe by which `stop` ends a wait; nil if the system has no descriptors left.
  private let pipe = WakePipe()
  private var machine: GPSDMachine
  private var socket: Int32 = -1
  private var isConnecting = false
  private var addresses: [HostAddress] = []

  init(host: String, port: UInt16, clock: SystemClock, _ report: @escaping @Sendable (PlaceReport) -> Void) {
    self.host = host
    self.port = port
    self.clock = clock
    self.report = report
    machine = GPSDMachine(now: clock.now)
  }

  deinit { closeSocket() }

  func stop() {
    isStopped.store(true, ordering: .releasing)
    pipe?.wake()
  }

  func turn() -> WorkerNext {
    guard !isStopped.load(ordering: .acquiring) else {
      closeSocket()
      return .whenSignalled
    }
    let left = max(0, machine.deadline.seconds(since: clock.now))
    var descriptors = [
      pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: Int16(isConnecting ? POLLOUT : POLLIN), revents: 0),
    ]
    // `poll` ignores negative descriptors.
    let count = poll(&descriptors, 2, Int32((left * 1000).rounded(.up)))
    if count > 0, descriptors[1].revents != 0 {
      if isConnecting { finishConnecting() } else { receive() }
    }
    if machine.deadline <= clock.now { handle(.timePassed) }
    return .again
  }

  /// The descriptor that `stop` makes readable; -1 without a pipe.
  private var wakeDescriptor: Int32 {
    // Swift 6.3 would consume the pipe in `pipe?.descriptor`.
    switch pipe {
    case .some(let pipe): pipe.descriptor
    case nil: -1
    }
  }

  private func handle(_ event: GPSDMachine.Event) {
    for action in machine.handle(event, at: clock.now) {
      switch action {
      case .connect:
        addresses = (try? HostAddress.all(of: host, port: port)) ?? []
        if addresses.isEmpty { handle(.ended("\(host) is not known")) } else { tryNext("") }
      case .connectNext(let reason): tryNext(reason)
      case .send(let text): send(text)
      case .close: closeSocket()
      case .report(let place): if !isStopped.load(ordering: .acquiring) { report(place) }
      }
    }
  }

  private func closeSocket() {
    if socket >= 0 { close(socket) }
    socket = -1
    isConnecting = false
  }

  // MARK: Connecting

  /// Starts connecting to the next address, or ends the attempt if none is left. `reason`: the failure of the previous
  /// address; empty for the first one.
  private func tryNext(_ reason: String) {
    closeSocket()
    guard !addresses.isEmpty else {
      return handle(.ended("gpsd at \(host):\(port) cannot be reached: \(reason)"))
    }
    handle(.trying)
    let address = addresses.removeFirst()
    socket = Glibc.socket(
      address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { return tryNext(SystemError.message(errno)) }
    // The socket belongs to the device, not to the application.
    SystemSockets.register(socket)
    isConnecting = true
    let result = address.withPointer { connect(socket, $0, $1) }
    if result != 0, errno != EINPROGRESS { tryNext(SystemError.message(errno)) }
  }

  private func finishConnecting() {
    let code = SocketOption.value(SO_ERROR, of: socket) ?? errno
    guard code == 0 else { return tryNext(SystemError.message(code)) }
    isConnecting = false
    handle(.connected)
  }

  // MARK: Data transfer

  private func send(_ text: String) {
    let bytes = Array(text.utf8)
    // The send buffer has room for so short a command, so a partial write is a failure.
    guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) != bytes.count else { return }
    end(SystemError.message(errno))
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    let count = recv(socket, &buffer, buffer.count, 0)
    if count > 0 { return handle(.received(Array(buffer[..<count]))) }
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    end(count == 0 ? "it has closed the connection" : SystemError.message(errno))
  }

  private func end(_ reason: String) {
    closeSocket()
    handle(.ended("gpsd at \(host):\(port): \(reason)"))
  }
}
