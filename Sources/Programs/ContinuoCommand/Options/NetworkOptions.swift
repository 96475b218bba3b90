import ArgumentParser
import ControlProtocol
import ControlServer
import MusicFiles
import SystemSupport

struct NetworkOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Listen at a TCP port as well: 192.168.1.5:6600, [::1]:6600, or 6600 for all addresses. Repeatable.",
      discussion: """
        Off by default. Without --password clients of this machine have full access, others are read-only. No client \
        may use absolute paths, which the socket allows.
        """, valueName: "address:port"),
    transform: NetworkAddress.init(listeningAt:))
  var listen: [NetworkAddress] = []

  @Option(
    help: ArgumentHelp(
      "The file with the passwords of network clients, one per line: PASSWORD@read,add,control,admin.",
      discussion:
        "Without one of them such a client has no access. Only the file's owner may have access to it.",
      valueName: "file"),
    completion: .file())
  var password: String?

  @Option(
    help: .init(
      "Permissions of network clients without a password: read,add,player,control,admin or none.",
      valueName: "list"), completion: Completions.permissions, transform: Permissions.init(parsing:))
  var defaultPermissions: Permissions?

  @Option(
    help: ArgumentHelp(
      "Permissions of one address without a password, such as 192.168.1.20@read,add,control. Repeatable.",
      valueName: "address@list"),
    transform: HostPermissions.init(parsing:))
  var hostPermissions: [HostPermissions] = []

  mutating func validate() throws {
    try ValidationError.rejectEmpty(["--password": password])
    guard listen.isEmpty else { return }
    for (name, isGiven) in [
      ("--password", password != nil), ("--default-permissions", defaultPermissions != nil),
      ("--host-permissions", !hostPermissions.isEmpty),
    ]
    where isGiven { throw ValidationError("\(name) requires --listen.") }
  }

  /// Returns the permissions of clients from the network. Reads the password file.
  func access() throws(PasswordFile.Problem) -> NetworkAccess {
    var access = NetworkAccess(others: defaultPermissions)
    for host in hostPermissions { access.hosts[host.address] = host.permissions }
    access.passwords = try passwords() ?? [:]
    return access
  }

  /// Returns the contents of the password file; nil if the option is not given.
  func passwords() throws(PasswordFile.Problem) -> [ControlProtocol.Argument: Permissions]? {
    guard let password else { return nil }
    return try PasswordFile.read(RawArguments.bytes(of: password))
  }
}

extension NetworkAddress {
  /// Parses a value of `--listen`.
  fileprivate init(listeningAt text: String) throws(SyntaxError) {
    if let port = UInt16(text) {
      self.init(host: NetworkAddress.anyHost, port: port)
      return
    }
    guard let address = NetworkAddress(text),
      address.host == NetworkAddress.anyHost || IPAddress(address.host) != nil
    else {
      throw SyntaxError("\"\(text)\" is not a port or an address like 127.0.0.1:6600, [::1]:6600 or *:6600")
    }
    self = address
  }
}

extension Permissions {
  fileprivate init(parsing text: String) throws(SyntaxError) {
    do throws(Permissions.UnknownWord) {
      try self.init(list: text)
    } catch {
      throw SyntaxError("\(error)")
    }
  }
}

struct HostPermissions: Hashable, Sendable {
  let address: IPAddress
  let permissions: Permissions

  init(parsing text: String) throws(SyntaxError) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw SyntaxError("\"\(text)\": expected ADDRESS@PERMISSIONS, as in 192.168.1.20@read,add,control")
    }
    guard let address = IPAddress(String(parts[0])) else {
      throw SyntaxError("\"\(parts[0])\" is not an address like 192.168.1.20")
    }
    self.address = address
    permissions = try Permissions(parsing: String(parts[1]))
  }
}
