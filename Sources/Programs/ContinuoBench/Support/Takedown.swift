import Foundation
import Synchronization

/// The resources that must not outlive this program: processes and the scratch folder. Removed in order at
/// the normal end, and immediately on SIGINT, SIGTERM and SIGHUP.
final class Takedown: Sendable {
  static let shared = Takedown()

  private struct State {
    var running: Set<pid_t> = []
    var scratch: String?
    var closed = false
  }
  private let state = Mutex(State())

  /// Starts to handle the signals that end this program, for as long as the result is retained.
  func listen() -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
      source.setEventHandler { [self] in
        everything()
        _exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  /// Runs `start` and records the process that it started. Throws after `everything`, so that no process
  /// starts after a signal.
  func registering(_ start: () -> Result<pid_t, BenchError>) throws -> pid_t {
    try state.withLock { state in
      guard !state.closed else { throw BenchError("interrupted") }
      let pid = try start().get()
      state.running.insert(pid)
      return pid
    }
  }

  /// Forgets a process that was reaped.
  func forget(_ pid: pid_t) { state.withLock { _ = $0.running.remove(pid) } }

  /// Creates a folder whose path begins with `prefix`.
  static func makeFolder(_ prefix: String) throws -> String {
    var template = Array((prefix + ".XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchError("cannot make a folder \(prefix)") }
    return template.withUnsafeBufferPointer {
      String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// Creates the folder for all temporary files. Only the owner has access.
  func makeScratch() throws -> String {
    let path = try Self.makeFolder(NSTemporaryDirectory() + "/continuo-bench")
    state.withLock { $0.scratch = path }
    return path
  }

  /// Kills the remaining process groups and removes the folder. Idempotent.
  func everything() {
    let scratch = state.withLock { state in
      state.closed = true
      for pid in state.running { kill(-pid, SIGKILL) }
      defer { state.scratch = nil }
      return state.scratch
    }
    guard let scratch else { return }
    // Killed processes may still write to the folder, or remove it: retries for 2 s at most.
    for _ in 0..<100 {
      try? FileManager.default.removeItem(atPath: scratch)
      if access(scratch, F_OK) != 0 { return }
      usleep(20_000)
    }
  }
}
