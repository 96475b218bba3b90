import Dispatch
import Glibc

/// A connection to a bus (D-Bus) through libsystemd. The connection ends when this object is released. Any
/// thread; no method blocks. All callbacks run one after the other on a dispatch queue of the connection.
package final class SessionBus: Sendable {
  private let loop: BusLoop

  /// Whether the environment names a session bus whose socket this user can access: `DBUS_SESSION_BUS_ADDRESS`, otherwise
  /// `bus` in `XDG_RUNTIME_DIR`, as for libsystemd. Addresses that are not socket paths count as accessible.
  /// Makes at most one system call, and loads no library.
  package static var isNamed: Bool { isNamed(in: { getenv($0).map { String(cString: $0) } }) }

  static func isNamed(in environment: (String) -> String?) -> Bool {
    guard let address = environment("DBUS_SESSION_BUS_ADDRESS") else {
      return environment("XDG_RUNTIME_DIR").map { access("\($0)/bus", R_OK | W_OK) == 0 } ?? false
    }
    // `disabled:` is the D-Bus address of a session without a bus.
    if address.isEmpty || address.hasPrefix("disabled:") { return false }
    guard let path = address.split(separator: "=", maxSplits: 1).last, address.hasPrefix("unix:path=") else {
      return true
    }
    return access(String(path.prefix { $0 != "," && $0 != ";" }), R_OK | W_OK) == 0
  }

  /// Connects to a bus. Loads libsystemd on first use.
  ///
  /// - Parameters:
  ///   - address: the bus, such as `unix:path=/run/user/1000/bus`; nil selects the user's session bus.
  ///   - onCall: answers a method call to any object of this connection. After the answer `.later`, pass the
  ///     number to `reply(to:_:)`. At most 64 calls can be pending; further ones are refused.
  ///   - onSignal: called with received signals. Select signals by calling `AddMatch` on the bus.
  ///   - onEnd: called once if connecting fails after this initializer has returned, or the connection is
  ///     lost. Not called for `close()` or a release.
  /// - Throws: `disconnected` if libsystemd is not installed or lacks a function, no bus address is known, or
  ///   connecting fails at once.
  package init(
    address: String? = nil, onCall: @escaping @Sendable (BusMessage, _ number: UInt64) -> BusAnswer,
    onSignal: @escaping @Sendable (BusMessage) -> Void = { _ in }, onEnd: @escaping @Sendable () -> Void
  ) throws(BusError) {
    let loop = try BusLoop(address: address, onCall: onCall, onSignal: onSignal, onEnd: onEnd)
    self.loop = loop
    loop.queue.async { loop.start() }
  }

  deinit { close() }

  /// Emits a signal; `destination` is ignored. A signal that cannot be sent is dropped.
  package func emit(_ signal: BusMessage) {
    loop.queue.async { [loop] in
      try? loop.send(signal: signal)
      loop.process()
    }
  }

  /// Answers a call to which `onCall` returned `.later`. Has no effect if the call was already answered.
  package func reply(to number: UInt64, _ result: Result<[BusValue], BusError>) {
    loop.queue.async { [loop] in loop.reply(to: number, result) }
  }

  /// Calls a method. `completion` receives the reply's arguments or the error. The timeout is 10 s.
  package func call(
    _ message: BusMessage, completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
  ) { loop.queue.async { [loop] in loop.call(message, completion) } }

  /// Requests a well-known name. `completion` receives whether this connection now owns it.
  package func requestName(_ name: String, completion: @escaping @Sendable (Result<Bool, BusError>) -> Void) {
    // Flag 4 (`DBUS_NAME_FLAG_DO_NOT_QUEUE`) prevents waiting for the name. Replies 1 and 4 mean that this
    // connection owns the name.
    let request = BusMessage(
      destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      member: "RequestName", arguments: [.string(name), .uint32(4)])
    call(request) { result in completion(result.map { $0 == [.uint32(1)] || $0 == [.uint32(4)] }) }
  }

  /// Ends the connection. Data that the socket has not accepted is dropped. The bus names become free soon
  /// after.
  package func close() { loop.queue.async { [loop] in loop.close() } }
}
