import Dispatch

/// A connection to the user's session bus (D-Bus), by libsystemd.
///
/// Connecting, calls and signals are asynchronous: no method blocks, and all callbacks come one after the other on a
/// dispatch queue of the connection. Any thread. The connection ends with this object.
package final class SessionBus: Sendable {
  private let loop: BusLoop

  /// Connects to a bus. Loads libsystemd at the first use.
  ///
  /// - Parameters:
  ///   - address: the bus as D-Bus writes it, such as `unix:path=/run/user/1000/bus`; nil: the user's session bus.
  ///   - onCall: answers a method call to any object of this connection. Its number is for `reply(to:_:)`, if the
  ///     answer is `.later`; at most 64 calls wait, and further ones are refused.
  ///   - onSignal: called with the signals that come in. Which ones do is asked of the bus with `AddMatch`.
  ///   - onEnd: called once if the connection cannot be made after all, or is lost. Not called for `close()`.
  /// - Throws: `disconnected` if libsystemd is not installed or there is no address of a bus.
  package init(
    address: String? = nil,
    onCall: @escaping @Sendable (BusMessage, _ number: UInt64) -> BusAnswer,
    onSignal: @escaping @Sendable (BusMessage) -> Void = { _ in },
    onEnd: @escaping @Sendable () -> Void
  ) throws(BusError) {
    let loop = try BusLoop(address: address, onCall: onCall, onSignal: onSignal, onEnd: onEnd)
    self.loop = loop
    loop.queue.async { loop.start() }
  }

  deinit { close() }

  /// Emits a signal; `destination` is not used. What cannot be sent is dropped.
  package func emit(_ signal: BusMessage) {
    loop.queue.async { [loop] in
      try? loop.send(signal: signal)
      loop.process()
    }
  }

  /// Answers a call that `onCall` has answered with `.later`. Does nothing if it was answered already.
  package func reply(to number: UInt64, _ result: Result<[BusValue], BusError>) {
    loop.queue.async { [loop] in loop.reply(to: number, result) }
  }

  /// Calls a method. `completion` gets the reply's arguments, or the error; after 10 s without reply that is an error.
  package func call(
    _ message: BusMessage, completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
  ) {
    loop.queue.async { [loop] in loop.call(message, completion) }
  }

  /// Requests a well-known name. `completion` gets whether this connection owns it now; if not, others have it.
  package func requestName(_ name: String, completion: @escaping @Sendable (Result<Bool, BusError>) -> Void) {
    // 4: do not queue. 1 and 4 as replies: it is ours.
    let request = BusMessage(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      member: "RequestName", arguments: [.string(name), .uint32(4)])
    call(request) { result in
      completion(result.map { $0 == [.uint32(1)] || $0 == [.uint32(4)] })
    }
  }

  /// Ends the connection; what the socket has not taken yet is dropped. The names are free when the bus has noticed it.
  package func close() {
    loop.queue.async { [loop] in loop.close() }
  }
}
