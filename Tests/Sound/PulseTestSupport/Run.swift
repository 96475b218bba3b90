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
  private let readers: [DescriptorReader]
  private let folder: TemporaryFolder
  /// The other end of its standard input; -1: it has none.
  private let keyboard: Int32

  /// Runs the program of that name, of this package or at an absolute path, with these arguments. It sees nothing of the
  /// user's; `server` is its PulseAudio, if it needs one. `takesInput`: whether `type(_:)` can be called.
  package init(
    _ program: String, _ arguments: [String], server: String? = nil, takesInput: Bool = false
  ) throws {
    folder = try TemporaryFolder()
    // No server is to be found by chance.
    let environment = searchPaths.merging([
      "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "LC_ALL": "C.UTF-8", "TZ": "UTC",
      "PULSE_SERVER": server ?? "unix:\(folder.path)/none",
    ]) { $1 }

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
      DescriptorReader(linesOf: outputs[0]) { line in log.update { $0.output.append(line) } },
      DescriptorReader(linesOf: errors[0]) { line in log.update { $0.errors.append(line) } },
    ]
    child = try Child(
      [program.hasPrefix("/") ? program : product(program)] + arguments, environment: environment,
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

/// The part of the environment in which programs find programs and libraries; nothing else of the user's.
package let searchPaths = ProcessInfo.processInfo.environment.filter {
  ["PATH", "LD_LIBRARY_PATH"].contains($0.key)
}

/// The path of a program that is built beside the tests.
package func product(_ name: String) -> String {
  let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
  // `swift test` runs the bundle in a process of the toolchain's or directly; its first argument is the bundle.
  for path in [tests] + CommandLine.arguments {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let candidate = folder.appendingPathComponent(name).path
    if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
  }
  return name
}

/// Runs `pactl` against a server. Throws if it does not end well within a minute.
@discardableResult package func pactl(_ address: String, _ arguments: String...) throws -> String {
  try pactl(address, arguments)
}

/// The same.
@discardableResult
package func pactl(_ address: String, _ arguments: some Sequence<String>) throws -> String {
  let data = try runTool("timeout", ["120", "pactl", "--server=\(address)"] + arguments)
  return String(decoding: data, as: UTF8.self)
}
