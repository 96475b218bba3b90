// A server with next to nothing behind it, in a process of its own: for the tests that need a umask, a limit on
// descriptors, passed sockets or a sudden death, and for measuring.
//
//   ControlServerProbe serve PATH [MODE]   binds PATH
//   ControlServerProbe activated           takes what systemd passed
//
// It prints `ready` or the error, and ends in order when standard input ends. Exit status 73: already running.

import ControlProtocol
import ControlServer
import Glibc

struct Trivial: ControlHandler {
  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo, completion: Completion
  ) {
    var reply = Reply()
    if case .playback(.status) = command {
      for name in [
        "volume", "repeat", "random", "single", "consume", "playlist", "playlistlength", "mixrampdb",
      ] {
        reply.append(name, "0")
      }
      reply.append("state", "stop")
    }
    completion(reply)
  }
}

// Each line goes out at once: the test waits for it.
func say(_ line: String) { _ = (line + "\n").withCString { write(STDOUT_FILENO, $0, strlen($0)) } }

let arguments = CommandLine.arguments.dropFirst()
do throws(ListenError) {
  let socket: ListeningSocket
  if arguments.first == "activated" {
    guard let passed = try ListeningSocket.activated() else {
      say("nothing passed")
      exit(64)
    }
    socket = passed
    say("unset: \(getenv("LISTEN_FDS") == nil && getenv("LISTEN_PID") == nil)")
  } else {
    let mode = arguments.dropFirst(2).first.flatMap { UInt32($0, radix: 8) }
    socket = try .bound(
      to: arguments.dropFirst().first ?? "", access: mode.map { SocketAccess(mode: $0) } ?? .ownerOnly)
  }
  let server = try ControlServer(socket: socket, handler: Trivial())
  say("ready")
  while getchar() != EOF {}
  server.stop()
} catch {
  say("\(error)")
  if case .alreadyRunning = error { exit(73) }
  exit(1)
}
