import Glibc
import Synchronization

/// A PulseAudio of one's own: in a directory of its own, on a socket of its own, with one null sink that swallows
/// sound in real time. It knows nothing of the user's sound server and the user's knows nothing of it.
///
/// It ends with `stop()`, with the object, with the process (a watchdog that holds one end of a pipe ends it even
/// after SIGKILL), or with `stopAll()`.
package final class PrivatePulseServer: Sendable {
  /// The null sink and how long to wait.
  package struct Configuration: Hashable, Sendable {
    /// The sink's name; its monitor is called `NAME.monitor`.
    package var sink = "continuo"
    /// The sink's rate in frames per second.
    package var sampleRate = 44100
    /// The sink's channels.
    package var channelCount = 2
    /// The sink's sample format as PulseAudio writes it. float32le leaves every sample as it was sent.
    package var sampleFormat = "float32le"
    /// Whether the sink works in blocks of at most 50 ms and never takes sound back: what leaves its monitor is then
    /// what was heard, sample by sample. Without it the sink idles in blocks of 2 s, and rewinds.
    package var noRewinds = true
    /// How long the server may take to start, in seconds.
    package var startTimeout: Double = 10
    /// The server's program, found by PATH.
    package var program = "pulseaudio"

    /// The defaults.
    package init() {}
  }

  /// Why there is no server.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for a person.
    package var message: String
    /// Whether the program is not installed.
    package var isMissingProgram = false
    /// `message`.
    package var description: String { message }
  }

  /// How it was configured.
  package let configuration: Configuration
  /// Its directory: mode 0700, removed by `stop()`.
  package let directory: String
  /// The socket in it.
  package var socketPath: String { "\(directory)/native" }
  /// Its address as libpulse writes it.
  package var address: String { "unix:\(socketPath)" }

  private let process: Mutex<ServerProcess?>

  /// Starts a server and waits until it answers; blocks the caller for that (20 to 40 ms, at most `startTimeout`).
  package init(_ configuration: Configuration = Configuration()) throws(Failure) {
    self.configuration = configuration
    directory = try PrivateDirectory.make()
    process = Mutex(nil)
    do throws(Failure) {
      try launch()
    } catch {
      PrivateDirectory.remove(directory)
      throw error
    }
  }

  deinit { stop() }

  /// The server's process; nil once it was stopped or killed.
  package var processIdentifier: Int32? { process.withLock { $0?.identifier } }

  /// Kills the server and everything it started, and removes its directory. Any thread; idempotent; takes no more
  /// than a few milliseconds.
  package func stop() {
    end()
    PrivateDirectory.remove(directory)
  }

  /// Sends the server a signal: SIGKILL for a crash (which is waited for), SIGSTOP for a hang.
  package func kill(_ signal: Int32) {
    if signal == SIGKILL { end() } else { process.withLock { $0?.signal(signal) } }
  }

  /// Starts the server again at the same address, after `kill(SIGKILL)` or in place of the one that runs.
  package func restart() throws(Failure) {
    end()
    unlink(socketPath)
    try launch()
  }

  /// Kills all servers of this process, for the way out after a signal. Not for a signal handler itself, which can
  /// do nothing but end the process: the watchdogs then do the same.
  package static func stopAll() {
    let servers = ServerRegistry.shared.all()
    for server in servers { server.stop() }
  }

  private func end() {
    let process = self.process.withLock { $0.take() }
    process?.end()
    ServerRegistry.shared.remove(self)
  }

  private func launch() throws(Failure) {
    let process = try ServerProcess.start(
      arguments: arguments, environment: environment, directory: directory)
    do throws(Failure) {
      try process.awaitSocket(socketPath, limit: configuration.startTimeout)
      if let complaint = process.moduleFailure {
        throw Failure(message: "the private pulseaudio has no sink: \(complaint)")
      }
    } catch {
      process.end()
      throw error
    }
    self.process.withLock { $0 = process }
    ServerRegistry.shared.add(self)
  }

  private var arguments: [String] {
    let sink =
      "module-null-sink sink_name=\(configuration.sink) rate=\(configuration.sampleRate) "
      + "channels=\(configuration.channelCount) format=\(configuration.sampleFormat)"
      + (configuration.noRewinds ? " norewinds=1" : "")
    return [
      configuration.program, "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
      "--high-priority=no", "--realtime=no", "--log-target=stderr", "--log-level=error",
      // The sink before the socket: whoever can connect finds it.
      "-L", sink, "-L", "module-native-protocol-unix socket=\(socketPath) auth-anonymous=1",
    ]
  }

  private var environment: [String] {
    // No D-Bus, no cookie, no configuration of the user's; libraries and programs are found as ever.
    var result = [
      "HOME=\(directory)", "XDG_RUNTIME_DIR=\(directory)", "PULSE_RUNTIME_PATH=\(directory)",
      "PULSE_STATE_PATH=\(directory)", "PULSE_CONFIG_PATH=\(directory)", "LC_ALL=C",
      "DBUS_SESSION_BUS_ADDRESS=disabled:", "DBUS_SYSTEM_BUS_ADDRESS=disabled:",
    ]
    for name in ["PATH", "LD_LIBRARY_PATH"] {
      if let value = getenv(name) { result.append("\(name)=\(String(cString: value))") }
    }
    return result
  }
}

/// All servers of the process that run.
private final class ServerRegistry: Sendable {
  static let shared = ServerRegistry()

  private struct Entry {
    weak var server: PrivatePulseServer?
    let identity: ObjectIdentifier
  }
  private let entries = Mutex<[Entry]>([])

  func add(_ server: PrivatePulseServer) {
    entries.withLock { $0.append(Entry(server: server, identity: ObjectIdentifier(server))) }
  }

  func remove(_ server: PrivatePulseServer) {
    let identity = ObjectIdentifier(server)
    entries.withLock { $0.removeAll { $0.identity == identity } }
  }

  func all() -> [PrivatePulseServer] { entries.withLock { $0.compactMap(\.server) } }
}
