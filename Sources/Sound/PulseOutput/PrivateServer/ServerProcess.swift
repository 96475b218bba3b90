import Glibc
import SystemSupport

/// The process of a private server, a child of this process.
struct ServerProcess: Sendable {
  let identifier: pid_t
  private let log: String

  /// Starts the program `arguments[0]` in the process group of `guardian`.
  static func start(
    arguments: [String], environment: [String], directory: String, guardian: ServerGuardian
  ) throws(PrivatePulseServer.Failure) -> ServerProcess {
    let log = "\(directory)/log"
    do throws(SystemCallError) {
      let identifier = try ChildProcess.start(
        arguments, environment: environment, input: .null, output: .log(log), group: guardian.identifier)
      return ServerProcess(identifier: identifier, log: log)
    } catch {
      let isMissing = error.code == ENOENT
      throw PrivatePulseServer.Failure(
        message: isMissing
          ? "\(arguments[0]) is not installed (Debian: apt install pulseaudio)"
          : "\(arguments[0]) could not be started: \(SystemError.message(error.code))",
        isMissingProgram: isMissing)
    }
  }

  func signal(_ number: Int32) { kill(identifier, number) }

  /// Kills and reaps the process. Call once.
  func end() {
    signal(SIGKILL)
    ChildProcess.reap(identifier)
  }

  /// Blocks until the server listens at `path`, at most `limit` seconds.
  func awaitSocket(_ path: String, limit: Double) throws(PrivatePulseServer.Failure) {
    let deadline = ContinuousClock.now + .seconds(limit)
    while !UnixSocket.isListening(at: path) {
      guard !ChildProcess.hasEnded(identifier) else {
        throw PrivatePulseServer.Failure(message: "the private pulseaudio ended at once\(lastWords)")
      }
      guard ContinuousClock.now < deadline else {
        throw PrivatePulseServer.Failure(
          message: "the private pulseaudio did not answer within \(limit) seconds\(lastWords)")
      }
      // A start takes about 25 ms; each check costs 10 µs.
      poll(nil, 0, 1)
    }
  }

  /// The log line about a module that failed to load; nil if there is none. PulseAudio 16.1 continues without
  /// that module, even with `--fail`.
  var moduleFailure: String? {
    logLines.last { $0.contains("Failed to load module") || $0.contains("Failed to open module") }
  }

  /// The last line of the server's log, preceded by a colon; empty if the log is empty.
  private var lastWords: String { logLines.last.map { ": \($0)" } ?? "" }

  private var logLines: [String] {
    let bytes = (try? FileBytes.read(log, limit: .max)) ?? []
    return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}

enum UnixSocket {
  /// Whether a server accepts connections at `path`. Never blocks.
  static func isListening(at path: String) -> Bool {
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return UnixAddress.with(path) { address, length in
      address.map { connect(descriptor, $0, length) == 0 } ?? false
    }
  }
}
