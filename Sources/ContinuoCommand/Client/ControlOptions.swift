import ArgumentParser
import ControlSocket
import Glibc

/// Which server a command speaks to.
struct ControlOptions: ParsableArguments {
  /// Where the socket's path is looked for if no option names it.
  static let variable = "CONTINUO_SOCKET"

  @Option(
    help: ArgumentHelp(
      "The server's control socket. (default: $\(variable), else $XDG_RUNTIME_DIR/continuo/socket)",
      valueName: "path"),
    completion: .file())
  var socket: String?

  mutating func validate() throws {
    if socket == "" { throw ValidationError("--socket has an empty value.") }
  }

  /// The socket's path. An empty variable counts as none. Asks the file system if nothing names it.
  func socketPath(environment: (String) -> String?) -> String {
    if let socket { return socket }
    if let path = environment(Self.variable), !path.isEmpty { return path }
    return DefaultSocket.path
  }

  /// The socket's path in this process's environment.
  var socketPath: String { socketPath { name in getenv(name).map { String(cString: $0) } } }
}

/// In what form a command prints what it has read.
struct FormOptions: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false
}
