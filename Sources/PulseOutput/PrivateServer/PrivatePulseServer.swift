import Glibc
import Synchronization

/// A PulseAudio of one's own: in a directory of its own, on a socket of its own, with one null sink that swallows
/// sound in real time. It knows nothing of the user's sound server and the user's knows nothing of it.
///
/// It ends with `stop()`, with the object, with the process (a shell that was started before it ends it even after
/// SIGKILL, at whatever moment that comes), or with `stopAll()`. A `PulseDevice` that was made with it starts it again
/// when it has died.
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

  private struct State {
    /// nil once the server was stopped.
    var guardian: ServerGuardian?
    /// nil once it was killed, and where it could not be started.
    var process: ServerProcess?
  }
  private let state: Mutex<State>

  /// Starts a server and waits until it answers; blocks the caller for that (20 to 40 ms, at most `startTimeout`).
  package init(_ configuration: Configuration = Configuration()) throws(Failure) {
    self.configuration = configuration
    let place = try Self.makeGuardedDirectory()
    directory = place.directory
    state = Mutex(State(guardian: place.guardian))
    ServerRegistry.shared.add(self)
    do throws(Failure) {
      try launch()
    } catch {
      stop()
      throw error
    }
  }

  private static func makeGuardedDirectory() throws(Failure)
    -> (directory: String, guardian: ServerGuardian)
  {
    var failure = Failure(message: "no directory for a private sound server: all paths are too long")
    for directory in PrivateDirectory.candidates() {
      let guardian = try ServerGuardian.start(
        directory: directory, environment: environment(directory: directory))
      do throws(Failure) {
        try PrivateDirectory.make(directory)
        return (directory, guardian)
      } catch {
        failure = error
        guardian.dismiss()
      }
    }
    throw failure
  }

  deinit { stop() }

  /// The server's process; nil once it was stopped or killed.
  package var processIdentifier: Int32? { state.withLock { $0.process?.identifier } }

  /// Kills the server and everything it started, and removes its directory. It cannot be started again. Any thread;
  /// idempotent; takes a few milliseconds.
  package func stop() {
    let (process, guardian) = state.withLock { state in
      (state.process.take(), state.guardian.take())
    }
    process?.end()
    guardian?.dismiss()
    PrivateDirectory.remove(directory)
    ServerRegistry.shared.remove(self)
  }

  /// Sends the server a signal: SIGKILL for a crash (which is waited for), SIGSTOP for a hang.
  package func kill(_ signal: Int32) {
    if signal == SIGKILL { end() } else { state.withLock { $0.process?.signal(signal) } }
  }

  /// Starts the server again at the same address, after its death or in place of the one that runs; fails after
  /// `stop()`. Blocks as the initializer does.
  package func restart() throws(Failure) {
    end()
    unlink(socketPath)
    try launch()
  }

  /// Whether it is to run and does not.
  var isDead: Bool {
    state.withLock { state in
      state.guardian != nil && state.process.map { hasEnded($0.identifier) } ?? true
    }
  }

  /// Kills all servers of this process, for the way out after a signal. Not for a signal handler itself, which can
  /// do nothing but end the process: the shells that guard them then do the same.
  package static func stopAll() {
    let servers = ServerRegistry.shared.all()
    for server in servers { server.stop() }
  }

  private func end() { state.withLock { $0.process.take() }?.end() }

  private func launch() throws(Failure) {
    let process = try state.withLock { state throws(Failure) in
      guard let guardian = state.guardian else {
        throw Failure(message: "the private pulseaudio was stopped")
      }
      let process = try ServerProcess.start(
        arguments: arguments, environment: Self.environment(directory: directory), directory: directory,
        guardian: guardian)
      state.process = process
      return process
    }
    do throws(Failure) {
      try process.awaitSocket(socketPath, limit: configuration.startTimeout)
      if let complaint = process.moduleFailure {
        throw Failure(message: "the private pulseaudio has no sink: \(complaint)")
      }
    } catch {
      end()
      throw error
    }
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

  private static func environment(directory: String) -> [String] {
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

/// All servers of the process that were not stopped.
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
