import Glibc
import Synchronization

/// A network service that Avahi announces to other machines (DNS-SD) until this object is released. The
/// service is announced again after each restart of Avahi or the bus, and after a change of the host name.
/// Without a system bus or Avahi nothing is announced. Any thread; no method blocks.
package final class ServiceAnnouncement: Sendable {
  package struct Service: Hashable, Sendable {
    /// The name that users see. If another service in the network has the same name, a number is appended.
    package var name: String
    /// The DNS-SD type, such as `_mpd._tcp`.
    package var type: String
    package var port: UInt16

    package init(name: String, type: String, port: UInt16) {
      self.name = name
      self.type = type
      self.port = port
    }
  }

  private static let avahi = "org.freedesktop.Avahi"
  private static let daemon = "org.freedesktop.DBus"
  private static let entryGroup = "\(avahi).EntryGroup"
  private static let server = "\(avahi).Server"
  private static let nameLimit = 20
  /// The state of an entry group whose name another machine has (`AVAHI_ENTRY_GROUP_COLLISION`).
  private static let collision = BusValue.int32(3)
  /// The state of the server while its host name is established (`AVAHI_SERVER_RUNNING`). Services must be added in
  /// this state only, because each refers to the host name of the moment.
  private static let running = BusValue.int32(2)

  private let service: Service
  /// The connection to which the announcement belongs. Avahi withdraws the announcement when the connection
  /// ends.
  private let bus: PersistentBus
  /// Avahi's entry group for the announcement.
  private struct Entry: Equatable {
    let group: String
    /// The number of the attempt, from 1. Determines the name.
    var attempt = 1
    /// Whether the service is in the group, or is being added.
    var isAdded = false
  }
  /// The group that Avahi created last; nil before the first one, and while a restarted Avahi creates another.
  private let entry = Mutex<Entry?>(nil)

  /// Announces `service`. `address`: the address of the bus in D-Bus notation; nil selects the system bus at
  /// `DBUS_SYSTEM_BUS_ADDRESS` or at its default address.
  package init(_ service: Service, address: String? = nil) {
    self.service = service
    let variable = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
    bus = PersistentBus(address: address ?? variable ?? "unix:path=/run/dbus/system_bus_socket")
    bus.begin(
      onConnect: { [weak self] _ in self?.watch() },
      onCall: { call, _ in .failure(.unknown(call.member)) },
      onSignal: { [weak self] in self?.receive($0) })
  }

  private func receive(_ signal: BusMessage) {
    switch signal.member {
    case "NameOwnerChanged":
      // The last argument is the new owner of the name; empty if none.
      guard signal.arguments.count == 3, signal.arguments[0].text == Self.avahi,
        signal.arguments[2].text?.isEmpty == false
      else { return }
      announce()
    case "StateChanged" where signal.interface == Self.server: serverChanged(to: signal.arguments.first)
    case "StateChanged" where signal.arguments.first == Self.collision:
      let collided = change { entry in
        guard entry.group == signal.path, entry.isAdded else { return false }
        entry.attempt += 1
        entry.isAdded = false
        return true
      }
      if let collided { reset(collided) }
    default: break
    }
  }

  private func watch() {
    for rule in [
      "type='signal',interface='\(Self.daemon)',member='NameOwnerChanged',arg0='\(Self.avahi)'",
      "type='signal',sender='\(Self.avahi)',member='StateChanged'",
    ] {
      call(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "AddMatch", [.string(rule)]) { _ in }
    }
    // A call addressed to Avahi's name would start Avahi, so the bus is asked instead.
    call(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "NameHasOwner", [.string(Self.avahi)]) {
      [weak self] result in
      if case .success([.bool(true)]) = result { self?.announce() }
    }
  }

  private func announce() {
    entry.withLock { $0 = nil }
    call(Self.avahi, "/", Self.server, "EntryGroupNew", []) { [weak self] result in
      guard let self, case .success(let values) = result, let group = values.first?.text else { return }
      entry.withLock { $0 = Entry(group: group) }
      askState()
    }
  }

  private func askState() {
    call(Self.avahi, "/", Self.server, "GetState", []) { [weak self] result in
      if case .success(let values) = result { self?.serverChanged(to: values.first) }
    }
  }

  /// Adds the service in the state `running`, and withdraws it in other states.
  private func serverChanged(to state: BusValue?) {
    let isRunning = state == Self.running
    let changed = change { entry in
      defer { entry.isAdded = isRunning }
      return entry.isAdded != isRunning
    }
    guard let changed else { return }
    if isRunning { add(changed) } else { reset(changed) }
  }

  private func reset(_ entry: Entry) {
    call(Self.avahi, entry.group, Self.entryGroup, "Reset", []) { [weak self] _ in self?.askState() }
  }

  /// Applies `change` to the entry and returns the changed entry. If `change` returns false, or without an entry, changes
  /// nothing and returns nil.
  private func change(_ change: (inout Entry) -> Bool) -> Entry? {
    entry.withLock { entry in
      guard var changed = entry, change(&changed) else { return nil }
      entry = changed
      return changed
    }
  }

  private func add(_ entry: Entry) {
    guard entry.attempt <= Self.nameLimit else { return }
    let name = entry.attempt == 1 ? service.name : "\(service.name) #\(entry.attempt)"
    let arguments: [BusValue] = [
      // Every interface, every protocol, no flags, the default domain, this host.
      .int32(-1), .int32(-1), .uint32(0), .string(name), .string(service.type), .string(""), .string(""),
      .uint16(service.port), .byteArrays([]),
    ]
    call(Self.avahi, entry.group, Self.entryGroup, "AddService", arguments) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success: call(Self.avahi, entry.group, Self.entryGroup, "Commit", []) { _ in }
      case .failure(let error):
        guard error.name == "\(Self.avahi).CollisionError" else { return }
        let next = change { present in
          guard present == entry else { return false }
          present.attempt += 1
          return true
        }
        if let next { add(next) }
      }
    }
  }

  private func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
    _ completion: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
  ) {
    bus.current?.call(
      BusMessage(
        destination: destination, path: path, interface: interface, member: member, arguments: arguments),
      completion: completion)
  }
}
