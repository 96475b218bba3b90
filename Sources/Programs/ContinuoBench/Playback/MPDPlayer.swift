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
    do {
      var connection: ControlConnection?
      try waitUntil("mpd started", seconds: 10, pause: 500) {
        if let exit = child.exit { throw child.failure("does not start", exit) }
        connection = try? ControlConnection(path: socketPath)
        return connection != nil
      }
      try connection?.ask(ControlServer.list(of: files))
      try connection?.ask("play")
      return child
    } catch {
      _ = try? child.terminate()
      throw error
    }
  }
}
