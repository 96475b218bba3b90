import Foundation
import TestSupport

/// A program of this package that runs, and what it has printed so far.
package final class Run: Sendable {
  /// What it has printed so far.
  package struct Log: Sendable, CustomStringConvertible {
    /// Lines of standard output.
    package var output: [String] = []
    /// Lines of standard error.
    package var errors: [String] = []

    /// What matters of it in messages.
    package var description: String { "errors \(errors), output \(output.suffix(20))" }
  }

  /// Its process.
  package let child: Child
  /// What it has printed so far.
  package let log = Observed(Log())
  private let readers: [LineReader]
  private let folder: TemporaryFolder
  /// The other end of its standard input; -1: it has none.
  private let keyboard: Int32

  /// Runs the program of that name with these arguments. It sees nothing of the user's; `server` is its PulseAudio, if
  /// it needs one. `takesInput`: whether `type(_:)` can be called.
  package init(
    _ program: String, _ arguments: [String], server: String? = nil, takesInput: Bool = false
  ) throws {
    folder = try TemporaryFolder()
    var environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "LC_ALL": "C.UTF-8", "TZ": "UTC"]
    for name in ["PATH", "LD_LIBRARY_PATH"] {
      if let value = ProcessInfo.processInfo.environment[name] { environment[name] = value }
    }
    // None is to be found by chance.
    environment["PULSE_SERVER"] = server ?? "unix:\(folder.path)/none"

    var outputs: [Int32] = [-1, -1]
    var errors: [Int32] = [-1, -1]
    guard pipe(&outputs) == 0, pipe(&errors) == 0 else { throw Failure("no pipe") }
    for end in outputs + errors { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A socket: writing to one that nobody reads any more raises no signal.
    var inputs: [Int32] = [-1, -1]
    if takesInput {
      let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, type, 0, &inputs) == 0 else { throw Failure("no pair of sockets") }
    } else {
      inputs[1] = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
    keyboard = inputs[0]
    defer { for end in [inputs[1], outputs[1], errors[1]] { close(end) } }
    let log = self.log
    readers = [
      LineReader(descriptor: outputs[0]) { line in log.update { $0.output.append(line) } },
      LineReader(descriptor: errors[0]) { line in log.update { $0.errors.append(line) } },
    ]
    child = try Child(
      [product(program)] + arguments, environment: environment,
      streams: .descriptors(input: inputs[1], output: outputs[1], error: errors[1]))
  }

  deinit {
    child.signal(SIGKILL)
    if keyboard >= 0 { close(keyboard) }
    folder.remove()
  }

  /// Writes a line to its standard input.
  package func type(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = send(keyboard, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Waits for its end and returns all that it printed.
  package func finished(status: Int32 = 0, limit: Double = 120) async throws -> Log {
    do {
      let end = try await child.ended(limit: limit)
      for reader in readers { reader.finish() }
      guard end.status == status else { throw Failure("status \(end.status) instead of \(status)") }
      return log.value
    } catch {
      throw Failure("\(error): \(log.value)")
    }
  }
}
