package import Clocks
import Glibc
import Synchronization
import SystemSupport

/// The connection of this application to its phone, the process that started it, such as `continuo phone
/// run`.
///
/// The application's device carries out the phone's orders, and the phone gets a `PhoneReport` of the records
/// that it uses. Once the application is suspended and its parts have stopped or have had a second for that,
/// the phone stops the process.
package final class PhoneLink: Sendable {
  /// The environment variable in which a phone passes a `PhoneInvitation`.
  package static let variable = "CONTINUO_PHONE"
  /// The timeout in seconds for the parts of a suspended application to stop.
  private static let stillLimit = 1.0
  /// The interval, in seconds, at which the worker checks whether the parts have stopped.
  private static let stillInterval = 0.001
  /// The timeout, in milliseconds, for a phone that reads no reports. Afterwards the report is lost.
  private static let patience: Int32 = 1000

  /// The connection of this process; nil if no phone has started it.
  package static let shared = getenv(variable).flatMap { PhoneLink(String(cString: $0)) }

  /// The background modes that the phone has chosen; nil if the phone leaves the choice to the application.
  package var modes: BackgroundModes? { invitation.modes }
  /// Whether the application is launched in the background, by an event that the phone sends.
  package var launchesInBackground: Bool { invitation.launchesInBackground }
  private let invitation: PhoneInvitation
  private var descriptor: Int32 { invitation.link }
  /// The worker that waits until the parts of a suspended application have stopped, and reports a device that hangs.
  private let rest = LazyWorker()
  private let state = Mutex(State())

  private struct State {
    var device: Device?
    var isRead = false
    var hasTakenTransfers = false
    var reader: (any Worker)?
    /// The deadline for the parts of the suspended application to stop; nil if the worker does not wait for
    /// that.
    var stillUntil: HostTime?
    /// The time of the next check for a device that hangs; nil if none is scheduled.
    var hangCheckAt: HostTime?
  }

  /// Takes over the sockets that `text` names. Returns nil if `text` is malformed or the descriptors are not the phone's
  /// sockets. The latter is the case in a child of the application, which inherits only the variable.
  init?(_ text: String) {
    guard let invitation = PhoneInvitation(text) else { return nil }
    self.invitation = invitation
    let sockets = [(invitation.link, SOCK_SEQPACKET), (invitation.transfers, SOCK_STREAM)]
    guard sockets.allSatisfy({ Self.isSocket($0, Int32($1.rawValue), of: invitation.phone) }) else {
      return nil
    }
    // Children of the application must not inherit the sockets.
    for (number, _) in sockets { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
  }

  private static func isSocket(_ number: Int32, _ kind: Int32, of phone: Int32) -> Bool {
    // struct ucred, which the Glibc module lacks: process, user and group.
    var credentials: [Int32] = [0, 0, 0]
    var length = socklen_t(3 * MemoryLayout<Int32>.size)
    return SocketOption.value(SO_TYPE, of: number) == kind
      && getsockopt(number, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 && credentials[0] == phone
  }

  /// Returns the socket for the phone's background transfers. Later calls return nil.
  package func takeTransfers() -> Int32? {
    state.withLock { state in
      defer { state.hasTakenTransfers = true }
      return state.hasTakenTransfers ? nil : invitation.transfers
    }
  }

  /// Makes `device` the receiver of the phone's orders. Any thread; blocks for at most about a second if the
  /// phone does not read.
  package func attach(_ device: Device) {
    send(.hello(device.modes, device.state))
    var previous: Device? = device
    let isFirst = state.withLock { state in
      swap(&state.device, &previous)
      defer { state.isRead = true }
      return !state.isRead
    }
    if let previous, previous !== device { previous.setPhoneObserver(nil, reclaimSockets: nil) }
    device.setPhoneObserver(
      { [weak self] record in self?.report(record) },
      reclaimSockets: { [weak self] in self?.reclaimSockets() ?? false })
    guard isFirst else { return }
    let reader = SystemClock.shared.makeWorker("continuo-phone") { [weak self] in
      self?.read()
      return .whenSignalled
    }
    state.withLock { $0.reader = reader }
  }

  // MARK: Reports

  /// Reports a location of the application's device. Any thread.
  package func report(latitude: Double, longitude: Double, at time: HostTime) {
    send(.location(latitude: latitude, longitude: longitude, time))
  }

  /// Has the phone resume the application whenever it is stopped and `descriptor` is readable. The phone gets
  /// a copy of the descriptor. Any thread.
  func watch(_ descriptor: Int32) { send(.watch, with: descriptor) }

  /// Passes the reclaimable sockets of this process to the phone, which reclaims them once the process is stopped. No
  /// thread therefore sees a reclaimed socket before that. Returns false, without effect, if the phone is not about to
  /// stop the process.
  private func reclaimSockets() -> Bool {
    guard state.withLock({ $0.stillUntil != nil }) else { return false }
    for number in OpenSockets.reclaimable() { send(.socket, with: number) }
    return true
  }

  private func report(_ record: LifecycleRecord) {
    guard let report = PhoneReport(record) else { return }
    send(report)
    if case .state(let reached) = record.event { awaitRest(reached) }
  }

  /// Sends a report, with a copy of the descriptor `passed`, if any.
  private func send(_ report: PhoneReport, with passed: Int32? = nil) {
    let bytes = Array(report.description.utf8.prefix(PhoneReport.limit))
    while !PassedDescriptor.send(bytes, with: passed, over: descriptor) {
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard errno == EAGAIN, poll(&entry, 1, Self.patience) > 0 else { return }
    }
  }

  /// Starts the wait for the parts of a suspended application to stop. Ends it if another state was reached.
  private func awaitRest(_ reached: ApplicationState) {
    let limit = SystemClock.shared.now.advanced(bySeconds: Self.stillLimit)
    state.withLock { $0.stillUntil = reached == .suspended ? limit : nil }
    if reached == .suspended { signalWatch() }
  }

  private func signalWatch() {
    rest.signal {
      SystemClock.shared.makeWorker("continuo-still") { [weak self] in
        let hangCheck = self?.checkHang()
        if self?.checkRest() == true {
          return .at(SystemClock.shared.now.advanced(bySeconds: Self.stillInterval))
        }
        return hangCheck.map { .at($0) } ?? .whenSignalled
      }
    }
  }

  // MARK: Orders

  /// Carries out orders until the phone ends, which also ends the application. Returns if `recv` fails, because the
  /// application has closed the descriptor. A wait in `recv` stays on the phone's socket even if the descriptor's
  /// number is reused.
  private func read() {
    var bytes = [UInt8](repeating: 0, count: PhoneReport.limit)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count < 0, errno == EINTR { continue }
      // A phone that is killed before it has read all reports resets the connection.
      if count == 0 || count < 0 && errno == ECONNRESET { endWithPhone() }
      // The application has closed the descriptor.
      guard count > 0 else { return }
      if let order = PhoneOrder(String(decoding: bytes.prefix(count), as: UTF8.self)) { carryOut(order) }
    }
  }

  /// Kills the leader of this process's session, the leader's descendants, and finally this process.
  private func endWithPhone() {
    ProcessTree(getsid(0)).killAll()
    kill(getpid(), SIGKILL)
  }

  private func carryOut(_ order: PhoneOrder) {
    guard let device = state.withLock({ $0.device }) else { return }
    let completion: @Sendable () -> Void = { [weak self, weak device] in
      guard let self, let device else { return }
      let reached = device.state
      send(.done(order.number, reached))
      // The phone has resumed the process for this event. The application is still suspended, so the phone
      // must stop the process again.
      if reached == .suspended { awaitRest(reached) }
    }
    if let happening = order.happening {
      watchForHang(device)
      return device.happen(happening, completion: completion)
    }
    send(.refused("the phone's event \(order.number) is unknown to this version of the application"))
    completion()
  }

  // MARK: A device that hangs

  /// Schedules a check whether an observer or a part of the application blocks the device, unless a check is already
  /// scheduled. The delay is `hangLimit`. The device's own watchdog cannot end an application that blocks the device.
  private func watchForHang(_ device: Device) {
    let time = SystemClock.shared.now.advanced(bySeconds: Self.hangLimit(device))
    state.withLock { $0.hangCheckAt = $0.hangCheckAt ?? time }
    signalWatch()
  }

  private static func hangLimit(_ device: Device) -> Double {
    max(device.settings.callLimit, device.settings.foregroundCallLimit)
  }

  /// Reports a device that hangs, so that the phone ends the application. Returns the time of the next check; nil if
  /// none is needed.
  private func checkHang() -> HostTime? {
    let now = SystemClock.shared.now
    let (device, time) = state.withLock { state in
      let time = state.hangCheckAt
      // An order that arrives during this check sets the next one.
      if let time, now >= time { state.hangCheckAt = nil }
      return (state.device, time)
    }
    guard let device, let time, now >= time else { return time }
    let limit = Self.hangLimit(device)
    var next = device.stepBegan?.advanced(bySeconds: limit)
    if let end = next, now >= end {
      next = nil
      let hang = device.hangReport(took: limit + now.seconds(since: end), allowed: limit, at: now)
      report(LifecycleRecord(time: now, event: .terminated(hang)))
    }
    return state.withLock { state in
      state.hangCheckAt = next ?? state.hangCheckAt
      return state.hangCheckAt
    }
  }

  // MARK: Rest

  /// Reports a suspended application once its parts have stopped or the timeout for that has passed. Returns
  /// whether to check again soon.
  private func checkRest() -> Bool {
    let (device, limit) = state.withLock { ($0.device, $0.stillUntil) }
    guard let device, let limit, device.state == .suspended else { return false }
    guard device.isStill || SystemClock.shared.now >= limit else { return true }
    // If the application was resumed and suspended again since, the later suspension has its own deadline.
    let isCurrent = state.withLock { state in
      guard state.stillUntil == limit else { return false }
      state.stillUntil = nil
      return true
    }
    if isCurrent {
      send(
        .still(
          grace: device.suspensionGraceRemaining, wake: device.keepAliveRemaining,
          returnsOnUnlock: device.returnsOnUnlock))
    }
    return !isCurrent
  }
}
