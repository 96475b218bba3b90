// A server with next to nothing behind it, in a process of its own: for the tests that need a umask, a limit on
// descriptors, passed sockets or a sudden death, and for measuring.
//
//   ControlServerProbe serve PATH [MODE]   binds PATH
//   ControlServerProbe activated           takes what systemd passed
//
// `next` sends all who watch it a step of 1/100 second. It prints `ready` or the error, and ends in order when standard input ends. Exit status 73: already running.

import ControlProtocol
import ControlServer
import Glibc
import Synchronization

let steps = WatchInterval("0.01").map { WatchTopic.time($0) }
let sender = Mutex<MPDServer?>(nil)

struct Trivial: ControlHandler {
  func perform(
    _ command: Command, _ context: ConnectionMachine.Context, for client: ClientInfo, completion: Completion
  ) {
    var reply = Reply()
    if case .transport(.next) = command, let steps {
      let step = WatchRecord(.time(songID: 1, value: 123_456, timescale: 100), host: 5_123_456_789_000)
      sender.withLock { $0 }?.broadcast(step, to: steps)
    }
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
  let server = try MPDServer(socket: socket, handler: Trivial())
  sender.withLock { $0 = server }
  say("ready")
  while getchar() != EOF {}
  server.stop()
} catch {
  say("\(error)")
  if case .alreadyRunning = error { exit(73) }
  exit(1)
}
