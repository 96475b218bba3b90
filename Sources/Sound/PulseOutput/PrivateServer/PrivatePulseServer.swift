import Glibc
import Synchronization
import SystemSupport

/// A private PulseAudio process in its own directory and on its own socket, with one null sink that consumes
/// sound in real time. Completely separate from the user's sound server.
///
/// The server ends with `stop()`, with this object, with the process, or with `stopAll()`. A shell, started
/// before the server, ends the server even if this process gets SIGKILL, at any time. A `PulseDevice` created
/// with the server restarts it after its death, except after `stop()`.
package final class PrivatePulseServer: Sendable {
  package struct Configuration: Hashable, Sendable {
    /// The sink's name; its monitor is named `NAME.monitor`.
    package var sink = "continuo"
    /// The sink's sample rate in frames per second.
    package var sampleRate = 44100
    package var channelCount = 2
    /// The sink's sample format in PulseAudio's notation. float32le keeps every sample unchanged.
    package var sampleFormat = "float32le"
    /// Whether the sink works in blocks of at most 50 ms and never rewinds, so that its monitor delivers
    /// exactly the sound heard. If false, the sink idles in blocks of 2 s and rewinds.
    package var noRewinds = true
    /// The timeout for the server's start in seconds.
    package var startTimeout: Double = 10
    /// The server's program, searched in PATH.
    package var program = "pulseaudio"

    package init() {}
  }

  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason as a sentence for users.
    package var message: String
    /// Whether the server's program is not installed.
    package var isMissingProgram = false
    package var description: String { message }
  }

  package let configuration: Configuration
  /// The server's directory: mode 0700, removed by `stop()`.
  package let directory: String
  package var socketPath: String { "\(directory)/native" }
  /// The server's address in libpulse's notation.
  package var address: String { "unix:\(socketPath)" }

  private struct State {
    /// The guarding shell; nil once the server was stopped.
    var guardian: ServerGuardian?
    /// The server's process; nil once it was killed, or if it could not be started.
    var process: ServerProcess?
  }
  private let state: Mutex<State>

  private struct Entry {
    weak var server: PrivatePulseServer?
    let identity: ObjectIdentifier
  }
  /// The servers of this process that were not stopped.
  private static let running = Mutex<[Entry]>([])

  /// Starts a server and blocks the caller until it answers: 20 to 40 ms, at most `startTimeout`.
  package init(_ configuration: Configuration = Configuration()) throws(Failure) {
    self.configuration = configuration
    let place = try Self.makeGuardedDirectory()
    directory = place.directory
    state = Mutex(State(guardian: place.guardian))
    let entry = Entry(server: self, identity: ObjectIdentifier(self))
    Self.running.withLock { $0.append(entry) }
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

  /// The server's process identifier; nil once the server was stopped or killed.
  package var processIdentifier: Int32? { state.withLock { $0.process?.identifier } }

  /// Kills the server with its children, permanently, waits for their end, and removes the server's directory.
  /// Thread-safe; idempotent.
  package func stop() {
    let (process, guardian) = state.withLock { state in
      (state.process.take(), state.guardian.take())
    }
    process?.end()
    guardian?.dismiss()
    PrivateDirectory.remove(directory)
    let identity = ObjectIdentifier(self)
    Self.running.withLock { $0.removeAll { $0.identity == identity } }
  }

  /// Sends the server a signal, for tests: SIGKILL simulates a crash (waits for the end), SIGSTOP a hang.
  package func kill(_ signal: Int32) {
    if signal == SIGKILL { end() } else { state.withLock { $0.process?.signal(signal) } }
  }

  /// Restarts the server, dead or running, at the same address. Fails after `stop()`. Blocks like `init`.
  package func restart() throws(Failure) {
    end()
    unlink(socketPath)
    try launch()
  }

  /// Whether the server should be running but is not.
  var isDead: Bool {
    state.withLock { state in
      state.guardian != nil && state.process.map { ChildProcess.hasEnded($0.identifier) } ?? true
    }
  }

  /// Kills all servers before the process exits. Must not be called in a signal handler. If a signal ends the
  /// process, the shells of `ServerGuardian` kill the servers.
  package static func stopAll() {
    for entry in running.withLock({ $0 }) { entry.server?.stop() }
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
      // With shared memory PulseAudio 16.1 aborts about once in 500 runs on a busy machine, because two
      // threads count imported blocks (memblock.c: n_imported > 0).
      "--disable-shm=yes",
      // The sink is loaded before the socket, so that every client finds it.
      "-L", sink, "-L", "module-native-protocol-unix socket=\(socketPath) auth-anonymous=1",
    ]
  }

  private static func environment(directory: String) -> [String] {
    // Excludes D-Bus, cookies and the user's configuration; keeps the search paths of programs and libraries.
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
