import CThreads
import Foundation

/// On which processors client and server run while a round trip is measured.
///
/// Left to itself the kernel does now the one and now the other, for seconds at a time, and p50 is 15 or 50 µs: with both
/// on one processor a round trip is the work of both, on two it is mostly the waking of a processor that sleeps.
enum Placement: String, CaseIterable {
  case together = "one processor"
  case apart = "two processors"

  /// What can be measured on this machine.
  static var possible: [Placement] { processors.count > 1 ? allCases : [.together] }

  /// Binds the calling thread and all threads of the server, and those that they start.
  func bind(_ server: ControlServer) throws {
    let all = Self.processors
    guard let first = all.first, let last = all.last else { throw BenchError("no processors") }
    try Self.bind(0, to: [first])
    try Self.bind(threadsOf: server, to: [self == .together ? first : last])
  }

  /// Lets the kernel choose again.
  static func lift(_ server: ControlServer) throws {
    try bind(0, to: processors)
    try bind(threadsOf: server, to: processors)
  }

  /// Bytes of a set of processors: those of `cpu_set_t`, enough for 1024.
  private static let setSize = 128

  /// Those that this process was given at its start.
  private static let processors: [Int] = {
    var set = [UInt8](repeating: 0, count: setSize)
    guard continuo_sched_getaffinity(0, UInt(setSize), &set) == 0 else { return [] }
    return (0..<setSize * 8).filter { set[$0 / 8] >> ($0 % 8) & 1 == 1 }
  }()

  private static func bind(threadsOf server: ControlServer, to processors: [Int]) throws {
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.process.pid)/task")
    for thread in threads.compactMap({ pid_t($0) }) { try bind(thread, to: processors) }
  }

  private static func bind(_ thread: pid_t, to processors: [Int]) throws {
    var set = [UInt8](repeating: 0, count: setSize)
    for processor in processors { set[processor / 8] |= 1 << (processor % 8) }
    // A thread may have ended meanwhile.
    guard continuo_sched_setaffinity(thread, UInt(setSize), set) == 0 || errno == ESRCH else {
      throw BenchError("cannot bind a thread to a processor: \(String(cString: strerror(errno)))")
    }
  }
}
