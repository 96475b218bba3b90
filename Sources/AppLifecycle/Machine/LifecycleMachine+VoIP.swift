import HostTime

/// An application that waits for calls over the network.
extension LifecycleMachine {
  /// The shortest interval of keep-alive calls, in seconds: `UIMinimumKeepAliveTimeout`.
  static let shortestKeepAlive = 600.0

  mutating func changeKeepAlive(_ interval: Double?) {
    guard let interval else {
      keepAlive = nil
      return
    }
    guard modes.contains(.voip) else { return note(.refused(.voipNeedsMode)) }
    guard interval >= Self.shortestKeepAlive else {
      return note(.refused(.keepAliveTooShort(interval)))
    }
    keepAlive = KeepAlive(interval: interval, next: now.advanced(bySeconds: interval))
  }

  /// Has the application called if it is time. Calls that were missed are not made up for.
  mutating func checkKeepAlive() {
    guard let keepAlive, now >= keepAlive.next else { return }
    let missed = (now.seconds(since: keepAlive.next) / keepAlive.interval).rounded(.down)
    self.keepAlive?.next = keepAlive.next.advanced(bySeconds: (missed + 1) * keepAlive.interval)
    arrive(Arrival(happening: .keepAlive, token: nil))
  }

  /// Data in front is read there; and an application that runs in the background sees it itself.
  mutating func wakeForVoIPData() -> [Step] {
    state == .suspended && modes.contains(.voip) ? wake(for: .voip) : []
  }

  mutating func callKeepAlive() -> [Step] {
    // It may have been given up, or have ended with the application, while it waited.
    guard keepAlive != nil else { return [] }
    switch state {
    case .suspended: return wake(for: .voip) + [.call(.keepAlive)]
    case .background:
      stayAwake(for: .voip)
      return [.call(.keepAlive)]
    case .active, .inactive: return [.call(.keepAlive)]
    case .notRunning: return []
    }
  }
}
