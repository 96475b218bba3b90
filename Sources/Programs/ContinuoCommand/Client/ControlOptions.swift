import ArgumentParser
import ControlClient
import ControlProtocol
import ControlServer
import SystemSupport

/// The choice of the server for a command.
struct ControlOptions: ParsableArguments {
  /// The environment variable for the socket's path, if no option names a server.
  static let variable = "CONTINUO_SOCKET"
  /// The environment variable of mpd's clients for their server.
  static let hostVariable = "MPD_HOST"
  /// The environment variable for the port of the host in `hostVariable`, if that contains none.
  static let portVariable = "MPD_PORT"

  @Option(
    help: ArgumentHelp(
      "The server's control socket. (default: $\(variable), else $\(hostVariable), else $XDG_RUNTIME_DIR/continuo/socket)",
      valueName: "path"),
    completion: .file())
  var socket: String?

  @Option(
    help: ArgumentHelp(
      "A server on the network, or a socket, as in $\(hostVariable): kitchen.local, secret@kitchen.local:6600.",
      discussion: "The part before an @ is the password. File names refer to that server.",
      valueName: "host"))
  var host: String?

  mutating func validate() throws {
    try ValidationError.rejectEmpty(["--socket": socket])
    // Parsed here, because the parser's own message would show the whole value with the password.
    if let host { _ = try ValidationError.wrapping { try ServerChoice(parsing: host) } }
    if socket != nil, host != nil { throw ValidationError(contradiction: "--socket", "--host") }
  }

  /// Returns the server. Empty variables count as unset. Reads the file system if no server is named.
  func server(environment: (String) -> String?) throws(SyntaxError) -> ServerChoice {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let socket { return ServerChoice(.path(socket)) }
    if let host { return try ServerChoice(parsing: host) }
    if let path = value(Self.variable) { return ServerChoice(.path(path)) }
    guard let host = value(Self.hostVariable) else { return ServerChoice(.path(DefaultSocket.path)) }
    let port = value(Self.portVariable)
    guard let number = port.map({ UInt16($0) }) ?? NetworkAddress.standardPort else {
      throw SyntaxError("\(Self.portVariable): \"\(port ?? "")\" is not a port")
    }
    do throws(SyntaxError) {
      return try ServerChoice(parsing: host, port: number)
    } catch {
      throw SyntaxError("\(Self.hostVariable): \(error)")
    }
  }
}

/// The server of a command, and its password if one is given.
struct ServerChoice: Hashable, Sendable {
  let address: ServerAddress
  let password: ControlProtocol.Argument?

  init(_ address: ServerAddress) {
    self.address = address
    password = nil
  }

  /// Parses `[PASSWORD@]HOST[:PORT]` or `[PASSWORD@]/PATH`; as for mpd's clients, the first `@` counts.
  init(parsing text: String, port: UInt16 = NetworkAddress.standardPort) throws(SyntaxError) {
    let at = text.firstIndex(of: "@").flatMap { $0 > text.startIndex ? $0 : nil }
    password = at.map { ControlProtocol.Argument(text[..<$0]) }
    let place = at.map { text[text.index(after: $0)...] } ?? text[...]
    if place.first == "/" {
      address = .path(String(place))
    } else if let network = NetworkAddress(String(place), port: port), network.port > 0 {
      address = .network(network)
    } else {
      throw SyntaxError("\"\(place)\" is not a host like kitchen.local, 192.168.1.5:6600 or [::1]")
    }
  }
}

struct FormOptions: ParsableArguments {
  @Flag(help: "Print the result as JSON.")
  var json = false
}
