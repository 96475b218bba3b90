import Clocks
import Dispatch
import Synchronization
import SystemSupport

/// A bus connection that reconnects whenever it ends, until this object is released. Any thread; no method
/// blocks.
package final class PersistentBus: Sendable {
  /// The callbacks. `onCall` and `onSignal` are called on the queue of their `SessionBus`.
  private struct Handlers: Sendable {
    var onConnect: @Sendable (SessionBus) -> Void
    var onCall: @Sendable (BusMessage, UInt64) -> BusAnswer
    var onSignal: @Sendable (BusMessage) -> Void
  }

  private struct State {
    var bus: SessionBus?
    var hasBegun = false
    /// Counts the attempts since the last connection that lasted for `longestPause`.
    var backoff = Backoff(first: 0.1, longest: PersistentBus.longestPause)
    var madeAt: HostTime?
  }

  /// The longest delay between two attempts, in seconds. A connection that lasts this long resets the
  /// back-off.
  private static let longestPause = 30.0

  private let state = Mutex(State())
  /// Serializes connecting and the handling of lost connections.
  private let queue = DispatchQueue(label: "continuo-bus-connection")
  private let address: String?

  /// Creates an unconnected object. `address`: the address of the bus in D-Bus notation; nil selects the
  /// user's session bus.
  package init(address: String?) { self.address = address }

  package var current: SessionBus? { state.withLock { $0.bus } }

  /// Starts to connect on the first call. Later calls have no effect, unless that attempt has failed, for example without
  /// libsystemd, an address or a server at the address.
  ///
  /// - Parameters:
  ///   - onConnect: called with each new connection, on this object's queue, to request names and signals.
  ///   - onCall: as for `SessionBus`.
  ///   - onSignal: as for `SessionBus`.
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

  /// Connects. Must be called on the queue, without a current connection.
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
      // Before the first connection, the cause is probably permanent, such as a missing libsystemd or bus
      // address. Retry only at the next `begin`.
      if retries { retry(handlers) }
    }
  }

  /// Discards the connection that has ended and schedules a retry. Any thread.
  private func ended(_ handlers: Handlers) {
    queue.async { [weak self] in
      guard let self else { return }
      let now = SystemClock.shared.now
      let lost = state.withLock { state in
        if let madeAt = state.madeAt, now.seconds(since: madeAt) >= Self.longestPause {
          state.backoff.reset()
        }
        return state.bus.take()
      }
      // The connection is released here, outside the lock.
      withExtendedLifetime(lost) {}
      retry(handlers)
    }
  }

  private func retry(_ handlers: Handlers) {
    let pause = state.withLock { $0.backoff.fail() }
    queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.connect(handlers) }
  }
}
