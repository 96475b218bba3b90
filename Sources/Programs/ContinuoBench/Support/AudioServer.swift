import Foundation

/// A private PulseAudio server with one null sink: 44.1 kHz, stereo, float, so that no sound is converted on
/// its way to the monitor.
///
/// With `norewinds=1` the sink renders blocks of 50 ms that never change. The plain null sink renders up to 2
/// s and rewinds, and its monitor contains sound that was never heard.
struct AudioServer {
  static let rate = 44_100.0
  static let sink = "bench"

  let scratch: String
  let tools: Tools
  private let process: Child

  var address: String { "unix:\(scratch)/pulse.socket" }

  /// The environment of every client: this server, and no configuration of the user.
  var clientEnvironment: [String: String] {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PULSE_") }
    environment["PULSE_SERVER"] = address
    environment["HOME"] = scratch
    environment["XDG_RUNTIME_DIR"] = scratch
    environment["XDG_CONFIG_HOME"] = scratch
    environment["SDL_AUDIODRIVER"] = "pulseaudio"
    return environment
  }

  /// Starts the server and waits until it accepts connections, 10 s at most.
  init(scratch: String, tools: Tools) throws {
    self.scratch = scratch
    self.tools = tools
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PULSE_") }
    for name in ["HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH"] {
      environment[name] = scratch
    }
    process = try Child(
      [
        try tools.require("pulseaudio"), "-n", "--daemonize=no", "--use-pid-file=no", "--log-level=error",
        // The server exits by itself if this program is killed with SIGKILL.
        "--exit-idle-time=60",
        "--load=module-native-protocol-unix socket=\(scratch)/pulse.socket auth-anonymous=1",
        "--load=module-null-sink sink_name=\(Self.sink) norewinds=1 format=float32le rate=44100 channels=2",
      ], environment: environment, log: scratch + "/pulseaudio.log")
    let deadline = monotonicSeconds() + 10
    while monotonicSeconds() < deadline, process.exit == nil {
      if let socket = try? UnixSocket(path: scratch + "/pulse.socket") {
        socket.close()
        return
      }
      usleep(20_000)
    }
    _ = try? process.terminate()
    let log = (try? String(contentsOfFile: scratch + "/pulseaudio.log", encoding: .utf8)) ?? ""
    throw BenchError("pulseaudio does not answer: \(log.suffix(300))")
  }

  /// Ends the server's process.
  func stop() { _ = try? process.terminate() }

  /// Returns the number of streams that play now, as pactl reports it.
  func playingStreams() throws -> Int {
    let path = scratch + "/sink-inputs"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(file) }
    let child = try Child(
      [try tools.require("pactl"), "list", "short", "sink-inputs"], environment: clientEnvironment,
      output: file, log: scratch + "/pactl.log")
    _ = try child.waitOrKill(seconds: 5)
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count
  }
}
