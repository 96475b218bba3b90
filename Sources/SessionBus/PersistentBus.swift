import Dispatch
import HostTime
import Synchronization

/// A connection to a bus that is made again whenever it has ended, until this object is released.
///
/// Any thread; no method blocks.
package final class PersistentBus: Sendable {
  /// The callbacks, as those of `SessionBus`; all but `onConnect` come on a queue of each connection.
  private struct Handlers: Sendable {
    var onConnect: @Sendable (SessionBus) -> Void
    var onCall: @Sendable (BusMessage, UInt64) -> BusAnswer
    var onSignal: @Sendable (BusMessage) -> Void
  }

  private struct State {
    var bus: SessionBus?
    var hasBegun = false
    /// Attempts since a connection lasted.
    var attempts = 0
    /// The moment of the last attempt that led to a connection.
    var madeAt: HostTime?
  }

  /// The longest pause between two attempts, in seconds. A connection that lasts as long ends the back-off.
  private static let longestPause = 30.0

  private let state = Mutex(State())
  /// Makes and forgets connections, one after the other: the end of one is taken in after it was stored.
  private let queue = DispatchQueue(label: "continuo-bus-connection")
  private let address: String?

  /// An object without a connection yet. `address`: the bus as D-Bus writes it; nil: the user's session bus.
  package init(address: String?) { self.address = address }

  /// The connection; nil while there is none.
  package var current: SessionBus? { state.withLock { $0.bus } }

  /// Connects, at the first call. If libsystemd or an address is missing, the next call tries again.
  ///
  /// - Parameters:
  ///   - onConnect: called with each connection, on a queue of this object. Requests names and signals.
  ///   - onCall: answers calls, as for `SessionBus`.
  ///   - onSignal: gets signals, as for `SessionBus`.
  package func begin(
    onConnect: @escaping @Sendable (SessionBus) -> Void,
    onCall: @escaping @Sendable (BusMessage, UInt64) -> BusAnswer,
    onSignal: @escaping @Sendable (BusMessage) -> Void = { _ in }
  ) {
    let isFirst = state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
    guard isFirst else { return }
    let handlers = Handlers(onConnect: onConnect, onCall: onCall, onSignal: onSignal)
    queue.async { [weak self] in self?.connect(handlers) }
  }

  /// Makes a connection. On the queue, only without one.
  private func connect(_ handlers: Handlers) {
    do throws(BusError) {
      let bus = try SessionBus(
        address: address, onCall: handlers.onCall, onSignal: handlers.onSignal,
        onEnd: { [weak self] in self?.ended(handlers) })
      state.withLock { state in
        state.bus = bus
        state.madeAt = SystemClock.shared.now
      }
      handlers.onConnect(bus)
    } catch {
      let retries = state.withLock { state in
        let wasConnected = state.madeAt != nil || error == .endedAtOnce
        if !wasConnected { state.hasBegun = false }
        return wasConnected
      }
      // Without libsystemd, or without the address of a bus, time changes nothing.
      if retries { retry(handlers) }
    }
  }

  /// Forgets the connection that has ended. Any thread.
  private func ended(_ handlers: Handlers) {
    queue.async { [weak self] in
      guard let self else { return }
      let now = SystemClock.shared.now
      let lost = state.withLock { state in
        if let madeAt = state.madeAt, now.seconds(since: madeAt) >= Self.longestPause { state.attempts = 0 }
        return state.bus.take()
      }
      // Released here, without the lock.
      withExtendedLifetime(lost) {}
      retry(handlers)
    }
  }

  private func retry(_ handlers: Handlers) {
    let attempt = state.withLock { state in
      defer { state.attempts += 1 }
      return state.attempts
    }
    let pause = min(0.1 * Double(1 << min(attempt, 10)), Self.longestPause)
    queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.connect(handlers) }
  }
}
