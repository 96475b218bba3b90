import Glibc
import Synchronization

/// A network service that Avahi, where it runs, tells the other machines of (DNS-SD). It is announced again when Avahi
/// starts later or anew, and no longer when this object goes.
///
/// Nothing waits for it, and where there is no system bus or no Avahi nothing happens. Any thread.
package final class ServiceAnnouncement: Sendable {
  /// What is announced.
  package struct Service: Hashable, Sendable {
    /// For people; another one is found where the name is taken.
    package var name: String
    /// As `_mpd._tcp`.
    package var type: String
    package var port: UInt16

    package init(name: String, type: String, port: UInt16) {
      self.name = name
      self.type = type
      self.port = port
    }
  }

  private let announcer: Announcer

  /// Announces `service`. `address`: the bus as D-Bus writes it; nil is the system's, by `DBUS_SYSTEM_BUS_ADDRESS` or at
  /// its usual place.
  package init(_ service: Service, address: String? = nil) {
    announcer = Announcer(service)
    let variable = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
    announcer.begin(at: address ?? variable ?? "unix:path=/run/dbus/system_bus_socket")
  }

  deinit { announcer.end() }
}

private final class Announcer: Sendable {
  private static let avahi = "org.freedesktop.Avahi"
  private static let daemon = "org.freedesktop.DBus"
  /// Names that are tried one after the other.
  private static let nameLimit = 20

  private let service: ServiceAnnouncement.Service
  private let bus = Mutex<SessionBus?>(nil)

  init(_ service: ServiceAnnouncement.Service) { self.service = service }

  func begin(at address: String) {
    let made = try? SessionBus(
      address: address, onCall: { call, _ in .failure(.unknown(call.member)) },
      onSignal: { [weak self] signal in
        // Its last argument is who has the name now; empty for nobody.
        guard signal.member == "NameOwnerChanged", signal.arguments.count == 3,
          signal.arguments[0].text == Self.avahi, signal.arguments[2].text?.isEmpty == false
        else { return }
        self?.announce()
      }, onEnd: {})
    guard let made else { return }
    bus.withLock { $0 = made }
    let rule = "type='signal',interface='\(Self.daemon)',member='NameOwnerChanged',arg0='\(Self.avahi)'"
    call(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "AddMatch", [.string(rule)]) { _ in }
    // Asked for by its name Avahi would be started.
    call(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "NameHasOwner", [.string(Self.avahi)]) {
      [weak self] result in
      if case .success([.bool(true)]) = result { self?.announce() }
    }
  }

  /// Avahi forgets what this connection announced.
  func end() {
    // Its end waits for its thread, and that may want the lock.
    let bus = bus.withLock { $0.take() }
    withExtendedLifetime(bus) {}
  }

  private func announce() {
    call(Self.avahi, "/", "\(Self.avahi).Server", "EntryGroupNew", []) { [weak self] result in
      guard case .success(let values) = result, let group = values.first?.text else { return }
      self?.add(to: group, attempt: 1)
    }
  }

  private func add(to group: String, attempt: Int) {
    let name = attempt == 1 ? service.name : "\(service.name) #\(attempt)"
    let arguments: [BusValue] = [
      // Every interface, every protocol, no flags, the standard domain, this host.
      .int32(-1), .int32(-1), .uint32(0), .string(name), .string(service.type), .string(""), .string(""),
      .uint16(service.port), .byteArrays([]),
    ]
    call(Self.avahi, group, "\(Self.avahi).EntryGroup", "AddService", arguments) { [weak self] result in
      switch result {
      case .success: self?.call(Self.avahi, group, "\(Self.avahi).EntryGroup", "Commit", []) { _ in }
      case .failure(let error):
        guard error.name == "\(Self.avahi).CollisionError", attempt < Self.nameLimit else { return }
        self?.add(to: group, attempt: attempt + 1)
      }
    }
  }

  private func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
    _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
  ) {
    let bus = bus.withLock { $0 }
    bus?.call(
      BusMessage(
        destination: destination, path: path, interface: interface, member: member, arguments: arguments),
      completion: completion)
  }
}
