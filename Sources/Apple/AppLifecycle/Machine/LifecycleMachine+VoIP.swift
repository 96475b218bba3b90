import Clocks

/// VoIP: keep-alive calls and waking for data.
extension LifecycleMachine {
  /// The shortest interval of keep-alive calls, in seconds: `UIMinimumKeepAliveTimeout`.
  static let shortestKeepAlive = 600.0

  mutating func changeKeepAlive(_ interval: Double?) {
    guard let interval else { return keepAlive = nil }
    guard modes.contains(.voip) else { return note(.refused(.voipNeedsMode)) }
    guard interval >= Self.shortestKeepAlive else { return note(.refused(.keepAliveTooShort(interval))) }
    keepAlive = KeepAlive(interval: interval, next: now.advanced(bySeconds: interval))
  }

  /// Queues a keep-alive call if one is due: a single call for all that were missed.
  mutating func checkKeepAlive() {
    guard let keepAlive, now >= keepAlive.next else { return }
    let missed = (now.seconds(since: keepAlive.next) / keepAlive.interval).rounded(.down)
    self.keepAlive?.next = keepAlive.next.advanced(bySeconds: (missed + 1) * keepAlive.interval)
    arrive(Arrival(happening: .keepAlive, token: nil))
  }

  /// Returns the steps that wake a suspended application with the mode `voip`. A running application reads
  /// its sockets itself.
  mutating func wakeForVoIPData() -> [Step] {
    state == .suspended && modes.contains(.voip) ? wake(for: .voip) : []
  }

  mutating func callKeepAlive() -> [Step] {
    // The handler may have been removed, or the application terminated, while the event was queued.
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
