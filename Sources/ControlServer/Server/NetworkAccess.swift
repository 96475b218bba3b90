package import ControlProtocol
package import ControlSocket

/// What clients from the network may do, by mpd's rules: what their address allows, until they give a password, which then
/// says it alone.
package struct NetworkAccess: Hashable, Sendable {
  /// What the clients that have given a password may do.
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
