package import ControlProtocol
package import SystemSupport

/// The permissions of clients from the network, by mpd's rules. A client has the permissions of its address
/// until it gives a correct password, and then the permissions of the password.
package struct NetworkAccess: Hashable, Sendable {
  /// The permissions of clients that have given a password, by password.
  package var passwords: [Argument: Permissions]
  /// The permissions of clients by address, before a password.
  package var hosts: [IPAddress: Permissions]
  /// The permissions of clients at all other addresses. If nil: none if passwords are set; otherwise all for
  /// loopback addresses and `read` for others.
  package var others: Permissions?

  /// Creates the rules. By default, clients at loopback addresses may do everything and others may only read.
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
