package import ControlProtocol
package import ControlSocket

/// What clients from the network may do, by mpd's rules: by their address until they give a password, which adds what it
/// stands for.
package struct NetworkAccess: Hashable, Sendable {
  /// What a password adds.
  package var passwords: [Argument: Permissions]
  /// What clients at these addresses may do.
  package var hosts: [IPAddress: Permissions]
  /// What clients at all other addresses may do. Without it: nothing where there are passwords; where there are none,
  /// everything for clients of this machine, and looking for the rest.
  package var others: Permissions?

  /// Without arguments: clients of this machine may do everything, others may look.
  package init(
    passwords: [Argument: Permissions] = [:], hosts: [IPAddress: Permissions] = [:],
    others: Permissions? = nil
  ) {
    self.passwords = passwords
    self.hosts = hosts
    self.others = others
  }

  func configuration(for address: IPAddress) -> ConnectionMachine.Configuration {
    let standard: Permissions = !passwords.isEmpty ? [] : address.isLoopback ? .all : .read
    return ConnectionMachine.Configuration(
      permissions: hosts[address] ?? others ?? standard, passwords: passwords)
  }
}
