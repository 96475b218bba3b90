import Foundation

/// mpd as a contender: a server with a configuration of its own, which receives commands on its socket.
struct MPDPlayer: Player {
  let name = "mpd"
  let path: String

  func play(_ files: [String], on server: AudioServer) throws -> Child {
    let socketPath = server.scratch + "/mpd.socket"
    unlink(socketPath)
    let configuration = """
      bind_to_address "\(socketPath)"
      log_file "\(server.scratch)/mpd.log"
      zeroconf_enabled "no"
      auto_update "no"
      audio_output {
        type "pulse"
        name "bench"
        server "\(server.address)"
      }

      """
    let configurationPath = server.scratch + "/mpd.conf"
    try configuration.write(toFile: configurationPath, atomically: true, encoding: .utf8)
    let child = try Child(
      [path, "--no-daemon", configurationPath], environment: server.clientEnvironment,
      log: server.scratch + "/mpd.log")
    let deadline = monotonicSeconds() + 10
    while monotonicSeconds() < deadline, child.exit == nil {
      guard let socket = try? UnixSocket(path: socketPath) else {
        usleep(500)
        continue
      }
      defer { socket.close() }
      guard try socket.read().hasPrefix("OK MPD") else { throw BenchError("mpd does not greet") }
      // Clients of a Unix socket may use file://, so neither a music folder nor a database is needed.
      let adds = files.map { "add \(quoted($0.hasPrefix("http:") ? $0 : "file://" + $0))\n" }.joined()
      try socket.write("command_list_begin\n\(adds)play\ncommand_list_end\n")
      let answer = try socket.read()
      guard answer.hasPrefix("OK") else { throw BenchError("mpd: \(answer)") }
      return child
    }
    _ = try? child.terminate()
    throw BenchError("mpd does not start")
  }

  private func quoted(_ text: String) -> String {
    "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
      + "\""
  }
}
