import CThreads
import Clocks
import Glibc
import Synchronization
import SystemSupport

/// Registers the connections over which an application receives phone calls.
public enum VoIPSocket {
  /// Registers a connected stream socket for the application of `Device.current`. The device watches it while
  /// the application is suspended: incoming data or the end of the connection resumes the application in the
  /// background for `LifecycleSettings.voipTime`. Data left unread does not wake the application a second
  /// time. A registered socket is never reclaimed. Requires the background mode `voip`.
  ///
  /// The counterpart on Apple's systems is the network service type VoIP. The registration belongs to the
  /// socket, not to the descriptor number: it ends when the socket is closed. The device's watch also ends
  /// when the application terminates.
  ///
  /// Any thread; does not block.
  ///
  /// - Parameter descriptor: a socket of the type SOCK_STREAM, still owned by the caller.
  /// - Returns: false, without any effect, if the mode is missing, `descriptor` is not such a socket, or
  ///   descriptors or memory have run out. The device records the reason.
  @discardableResult
  public static func register(_ descriptor: Int32) -> Bool {
    let device = Device.current
    guard device.modes.contains(.voip) else {
      device.refuseVoIPSocket(.voipNeedsMode)
      return false
    }
    guard let refusal = device.part({ VoIPSockets(device: $0) }).register(descriptor) else { return true }
    device.refuseVoIPSocket(refusal)
    return false
  }
}

/// Watches the VoIP sockets of an application while it is suspended.
///
/// The kernel tracks the sockets (epoll, edge-triggered), also while no thread waits. At suspension the
/// kernel reports the sockets that have received data since its last report and still have unread data.
/// Nothing that arrived just before the suspension is missed, and unread data wakes the application only
/// once.
final class VoIPSockets: Suspendable {
  private weak let device: Device?
  private let state = Mutex(State())

  private struct State {
    var watch: SocketWatch?
    var worker: (any Worker)?
    var isSuspended = false
  }

  init(device: Device) { self.device = device }

  deinit {
    stop()
    state.withLock { $0.worker }?.cancel()
  }

  /// Adds a socket. Returns the reason if it cannot be added; nil if it was.
  func register(_ descriptor: Int32) -> LifecycleRefusal? {
    guard SocketOption.value(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue) else {
      return .noVoIPSocket(descriptor)
    }
    if let device, device.watchesSockets {
      let (isWatched, new) = state.withLock { state -> (Bool, SocketWatch?) in
        let new = state.watch == nil ? SocketWatch() : nil
        state.watch = state.watch ?? new
        guard let watch = state.watch, watch.add(descriptor) else { return (false, new) }
        if state.worker == nil {
          state.worker = device.clock.makeWorker("voip") { [weak self] in
            // Retains only the watch, so that `self` can be released during the wait.
            if let watch = self?.presentWatch, watch.waitForData() {
              self?.tell()
              // `forget` follows `tell`, so that a phone that stops this process before the report still sees the data in
              // the watch.
              watch.forget()
            }
            return .whenSignalled
          }
        }
        return (true, new)
      }
      new?.passToPhone()
      guard isWatched else { return .noVoIPWatch(descriptor) }
    }
    SystemSockets.register(descriptor)
    return nil
  }

  private var presentWatch: SocketWatch? { state.withLock { $0.isSuspended ? $0.watch : nil } }

  private func tell() { if state.withLock({ $0.isSuspended }) { device?.receiveVoIPData() } }

  // MARK: Suspendable

  func suspend() {
    let worker = state.withLock { state in
      state.isSuspended = true
      state.watch?.begin()
      return state.worker
    }
    worker?.signal()
  }

  func resume() { stop() }

  // The watch stops before `resume`, because the application's callback for this event reads the sockets
  // itself.
  func enterForeground() { stop() }

  func terminate() {
    stop()
    // Sockets left open by the application do not belong to its next launch.
    _ = state.withLock { $0.watch.take() }
  }

  private func stop() {
    state.withLock { state in
      state.isSuspended = false
      state.watch?.end()
    }
  }
}

/// An epoll instance that watches sockets, and a pipe that ends a wait for it.
final class SocketWatch: Sendable {
  private let epoll: OwnedDescriptor
  private let pipe: WakePipe

  /// The event constants, with the values of the kernel's `eventpoll.h`.
  private enum Event {
    static let readable: UInt32 = 0x1
    static let otherEndClosed: UInt32 = 0x2000
    static let edgeTriggered: UInt32 = 1 << 31
    static let add: Int32 = 1
  }

  /// Creates a watch; nil if descriptors or memory have run out.
  init?() {
    guard let pipe = WakePipe(),
      let epoll = try? OwnedDescriptor(continuo_epoll_create(O_CLOEXEC), from: "epoll_create1")
    else { return nil }
    self.pipe = pipe
    self.epoll = epoll
  }

  /// Adds a socket, and returns whether it is watched. Repeated additions have no effect. The kernel removes
  /// a socket when it is closed.
  func add(_ descriptor: Int32) -> Bool {
    var event = continuo_epoll_event(
      events: Event.readable | Event.otherEndClosed | Event.edgeTriggered, data: 0)
    return continuo_epoll_ctl(epoll.number, Event.add, descriptor, &event) == 0 || errno == EEXIST
  }

  /// Has the phone, if any, resume this process when data arrives. A stopped process cannot wake itself.
  func passToPhone() { PhoneLink.shared?.watch(epoll.number) }

  /// Lets the next wait block again after an `end`.
  func begin() { pipe.empty() }

  /// Ends the present wait, or else the next one.
  func end() { pipe.wake() }

  /// Whether an event of a socket is pending, which `forget` has not consumed.
  var hasData: Bool {
    var entry = pollfd(fd: epoll.number, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Waits for data or `end`. Returns false after `end`, even if a socket has data.
  func waitForData() -> Bool {
    var entries = [pipe.descriptor, epoll.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&entries, 2, -1) < 0, errno == EINTR {}
    return entries[0].revents == 0
  }

  /// Consumes the event of one socket. The socket causes another event only when more data arrive or its connection
  /// ends.
  func forget() {
    var event = continuo_epoll_event()
    _ = continuo_epoll_wait(epoll.number, &event, 1, 0)
  }
}
