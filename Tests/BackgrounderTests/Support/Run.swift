import Foundation
import PulseTestSupport
import TestSupport

/// A `Backgrounder` that runs, and what it has printed so far.
final class Run: Sendable {
  /// What it has printed so far.
  struct Log: Sendable, CustomStringConvertible {
    /// Lines of standard output.
    var output: [String] = []
    /// Lines of standard error.
    var errors: [String] = []

    var description: String { "errors \(errors), output \(output.suffix(20))" }
  }

  let child: Child
  let log = Observed(Log())
  private let readers: [LineReader]
  private let folder: TemporaryFolder

  /// Runs it with these arguments. It sees nothing of the user's; `server` is its PulseAudio, if it needs one.
  init(_ arguments: [String], server: String? = nil) throws {
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
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { for end in [null, outputs[1], errors[1]] { close(end) } }
    let log = self.log
    readers = [
      LineReader(descriptor: outputs[0]) { line in log.update { $0.output.append(line) } },
      LineReader(descriptor: errors[0]) { line in log.update { $0.errors.append(line) } },
    ]
    child = try Child(
      [product("Backgrounder")] + arguments, environment: environment,
      streams: .descriptors(input: null, output: outputs[1], error: errors[1]))
  }

  deinit {
    child.signal(SIGKILL)
    folder.remove()
  }

  /// Waits for its end and returns all that it printed.
  func ended(status: Int32 = 0, limit: Double = 60) async throws -> Transcript {
    do {
      let end = try await child.ended(limit: limit)
      for reader in readers { reader.finish() }
      guard end.status == status else { throw Failure("status \(end.status) instead of \(status)") }
      return Transcript(log.value)
    } catch {
      throw Failure("\(error): \(log.value)")
    }
  }
}
