import CThreads
import Glibc
import HostTime
import Synchronization
import SystemSockets

/// Watches the VoIP sockets of an application while it is suspended.
///
/// The kernel keeps account of them (epoll, edge-triggered), also while nobody waits: when the application is suspended it
/// tells of those for which something came since it told last and that still have something to be read. So nothing that
/// came just before the suspension is missed, and what the application does not read wakes it once.
final class VoIPSockets: Suspendable {
  private weak let device: Device?
  private let state = Mutex(State())

  private struct State {
    var watch: Watch?
    var worker: (any Worker)?
    var isSuspended = false
  }

  init(device: Device) { self.device = device }

  deinit {
    stop()
    state.withLock { $0.worker }?.cancel()
  }

  /// Adds a socket. False if it is no stream socket, or if there are no descriptors left to watch it with.
  func register(_ descriptor: Int32) -> Bool {
    var type: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0,
      type == Int32(SOCK_STREAM.rawValue)
    else { return false }
    if let device, device.watchesSockets {
      let isWatched = state.withLock { state in
        if state.watch == nil { state.watch = Watch() }
        guard let watch = state.watch, watch.add(descriptor) else { return false }
        if state.worker == nil {
          state.worker = device.clock.makeWorker("voip") { [weak self] in
            // Holds only what it waits for, so that the rest can be released meanwhile.
            if let watch = self?.presentWatch, watch.waitForData() { self?.tell() }
            return .whenSignalled
          }
        }
        return true
      }
      guard isWatched else { return false }
    }
    SystemSockets.register(descriptor)
    return true
  }

  private var presentWatch: Watch? { state.withLock { $0.isSuspended ? $0.watch : nil } }

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

  // Before `resume`: the application's callback for this reads its sockets itself.
  func enterForeground() { stop() }

  func terminate() {
    stop()
    // What the application has left open is none of its next life's.
    let watch = state.withLock { $0.watch.take() }
    withExtendedLifetime(watch) {}
  }

  private func stop() {
    state.withLock { state in
      state.isSuspended = false
      state.watch?.end()
    }
  }
}

/// The kernel's account of some sockets.
private final class Watch: Sendable {
  private let epoll: Int32
  /// Becomes readable when waiting is to end.
  private let wake: (reading: Int32, writing: Int32)

  /// What events are called in the kernel's `eventpoll.h`.
  private enum Event {
    static let readable: UInt32 = 0x1
    static let otherEndClosed: UInt32 = 0x2000
    static let edgeTriggered: UInt32 = 1 << 31
    static let add: Int32 = 1
  }

  /// Nil if there are no descriptors left.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    wake = (ends[0], ends[1])
    epoll = continuo_epoll_create(O_CLOEXEC)
    var event = continuo_epoll_event(events: Event.readable, data: UInt(bitPattern: -1))
    guard epoll >= 0, continuo_epoll_ctl(epoll, Event.add, wake.reading, &event) == 0 else {
      for descriptor in ends + [epoll] where descriptor >= 0 { close(descriptor) }
      return nil
    }
  }

  deinit { for descriptor in [epoll, wake.reading, wake.writing] { close(descriptor) } }

  /// Adds a socket; adding it twice changes nothing. It leaves when it is closed.
  func add(_ descriptor: Int32) -> Bool {
    var event = continuo_epoll_event(
      events: Event.readable | Event.otherEndClosed | Event.edgeTriggered,
      data: UInt(UInt32(bitPattern: descriptor)))
    return continuo_epoll_ctl(epoll, Event.add, descriptor, &event) == 0 || errno == EEXIST
  }

  /// The next wait is not to end at once.
  func begin() {
    var bytes = [UInt8](repeating: 0, count: 16)
    while read(wake.reading, &bytes, bytes.count) > 0 {}
  }

  /// Ends a wait. A full pipe is readable already.
  func end() { _ = write(wake.writing, "x", 1) }

  /// Waits; whether there is something to be read on a socket.
  func waitForData() -> Bool {
    var event = continuo_epoll_event()
    var count: Int32
    repeat { count = continuo_epoll_wait(epoll, &event, 1, -1) } while count < 0 && errno == EINTR
    return count > 0 && event.data != UInt(bitPattern: -1)
  }
}
