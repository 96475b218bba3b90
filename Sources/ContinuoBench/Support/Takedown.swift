import Foundation
import Synchronization

/// What must not outlive this program: processes and the scratch folder. Ended in order at the normal end, and at
/// once on SIGINT, SIGTERM and SIGHUP.
final class Takedown: Sendable {
  static let shared = Takedown()

  private struct State {
    var running: Set<pid_t> = []
    var scratch: String?
    var closed = false
  }
  private let state = Mutex(State())

  /// Starts listening for the signals that end this program, as long as the result is kept.
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

  /// Runs `start` and keeps the number of the process it started; throws once everything was taken down, so that nothing
  /// new starts behind the back of a signal.
  func registering(_ start: () -> Result<pid_t, BenchError>) throws -> pid_t {
    try state.withLock { state in
      guard !state.closed else { throw BenchError("interrupted") }
      let pid = try start().get()
      state.running.insert(pid)
      return pid
    }
  }

  /// The process was reaped.
  func forget(_ pid: pid_t) { state.withLock { _ = $0.running.remove(pid) } }

  /// Makes the folder that everything temporary lives in; only the owner may look into it.
  func makeScratch() throws -> String {
    var template = Array((NSTemporaryDirectory() + "/continuo-bench.XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchError("cannot make a temporary folder") }
    let path = template.withUnsafeBufferPointer {
      String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    state.withLock { $0.scratch = path }
    return path
  }

  /// Kills every process group that is left and removes the folder. Idempotent.
  func everything() {
    let scratch = state.withLock { state in
      state.closed = true
      for pid in state.running { kill(-pid, SIGKILL) }
      defer { state.scratch = nil }
      return state.scratch
    }
    guard let scratch else { return }
    // What was killed a moment ago may still write there, or clean up itself: 2 s at most.
    for _ in 0..<100 {
      try? FileManager.default.removeItem(atPath: scratch)
      if access(scratch, F_OK) != 0 { return }
      usleep(20_000)
    }
  }
}
